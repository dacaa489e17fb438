package keymap

import (
	"testing"

	"charm.land/bubbles/v2/key"
)

// The Devices screen names what enter does at the moment, and no key has two meanings
// whichever pane has the focus.
func TestDevicesContexts(t *testing.T) {
	for _, c := range []Context{DevicesIn(true, false), DevicesIn(true, true), DevicesIn(false, false),
		DevicesIn(false, true), DevicesNone, DevicesSearch} {
		for _, s := range conflicts(c) {
			t.Errorf("%s: %s", c.Name, s)
		}
	}
	for _, list := range []bool{true, false} {
		first := func(opened bool) key.Help { own, _ := DevicesIn(list, opened).Short(); return own[0].Help() }
		shut, opened := first(false), first(true)
		if shut.Key != "enter" || opened.Key != "enter" || opened.Desc == shut.Desc {
			t.Errorf("enter is told as %v, and as %v on an open device", shut, opened)
		}
	}
}
