package ui

import (
	"testing"

	"rdmatui/assets"
	"rdmatui/ui/screen"
)

// Each screen has a page, which m in its help shows; the console and the palette have all pages.
func TestManualOnScreen(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {80, 24}} {
		r := newRig(t, size[0], size[1])
		for id := range screen.Count {
			if _, ok := assets.Page(pageOf(screen.Names[id])); !ok {
				t.Errorf("%s has no page", screen.Names[id])
			}
		}
		r.Keys("1", "?", "m")
		if !r.Contains("THE DEVICES SCREEN") || !r.Contains("manual: devices") {
			t.Errorf("%v: m shows no page:\n%s", size, r.View())
		}
		r.Keys("m", "esc", "?", "/", "m")
		if r.Contains("THE DEVICES SCREEN") {
			t.Errorf("%v: m was no part of the search:\n%s", size, r.View())
		}
		r.Keys("esc", "esc")
		r.typed("manual")
		if !r.Contains("bring-up         The Bring-up screen") {
			t.Errorf("%v: the pages are not listed:\n%s", size, r.View())
		}
		r.typed("manual nothing")
		if !r.Contains(`no page "nothing"`) {
			t.Errorf("%v: no reason:\n%s", size, r.View())
		}
		r.typed("manual software-device")
		if !r.Contains("THE SOFTWARE DEVICE") {
			t.Errorf("%v: no page:\n%s", size, r.View())
		}
		r.Keys("esc", "ctrl+p")
		r.Type("manual peers")
		r.Keys("enter")
		if !r.Contains("TWO INSTANCES, AND STOCK PROGRAMS") || len(r.sess.Lines()) > 0 {
			t.Errorf("%v: not found:\n%s", size, r.View())
		}
	}
}
