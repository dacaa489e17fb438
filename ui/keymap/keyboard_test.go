package keymap_test

import (
	"testing"

	"rdmatui/ui/keymap"
	"rdmatui/ui/uitest"
)

// Every key name is one the keyboard can send, and every binding has help.
func TestBindings(t *testing.T) {
	for _, c := range keymap.Contexts() {
		for _, g := range c.Groups {
			if g.Name == "" || len(g.Keys) == 0 {
				t.Errorf("%s: group %q is empty", c.Name, g.Name)
			}
			for _, b := range g.Keys {
				if b.Help().Key == "" || b.Help().Desc == "" || len(b.Keys()) == 0 {
					t.Errorf("%s: %v has no help or no key", c.Name, b)
				}
				for _, k := range b.Keys() {
					if got := uitest.Key(k).String(); got != k {
						t.Errorf("%s: key %q arrives as %q", c.Name, k, got)
					}
					if got := keymap.Press(k).String(); got != k {
						t.Errorf("%s: a click presses %q, not %q", c.Name, got, k)
					}
				}
			}
		}
	}
}

// ctrl+c must work wherever the keyboard focus is.
func TestInterruptEverywhere(t *testing.T) {
	for _, c := range keymap.Contexts() {
		found := false
		for _, g := range c.Groups {
			found = found || keymap.Matches(uitest.Key("ctrl+c"), g.Keys...)
		}
		if !found {
			t.Errorf("%s has no ctrl+c", c.Name)
		}
	}
}

func TestScreenIndex(t *testing.T) {
	if i, ok := keymap.ScreenIndex(uitest.Key("9")); !ok || i != 9 {
		t.Errorf("9: %d %v", i, ok)
	}
	for _, k := range []string{"10", "a"} {
		if _, ok := keymap.ScreenIndex(uitest.Key(k)); ok {
			t.Errorf("%s is a screen", k)
		}
	}
}
