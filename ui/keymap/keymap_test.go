package keymap

import (
	"slices"
	"testing"

	"rdmatui/ui/uitest"
)

// conflicts names the keys that two bindings of a context share.
func conflicts(c Context) (out []string) {
	owner := map[string]string{}
	for _, g := range c.Groups {
		for _, b := range g.Keys {
			for _, k := range b.Keys() {
				if was, ok := owner[k]; ok {
					out = append(out, k+": "+was+", "+b.Help().Desc)
				}
				owner[k] = b.Help().Desc
			}
		}
	}
	return out
}

func TestNoConflicts(t *testing.T) {
	for _, c := range Contexts() {
		for _, s := range conflicts(c) {
			t.Errorf("%s: %s", c.Name, s)
		}
	}
	bad := Context{"bad", []Group{{"a", []binding{bind("x", "one", "x")}}, {"b", []binding{bind("y", "two", "y", "x")}}}}
	if got := conflicts(bad); !slices.Equal(got, []string{"x: one, two"}) {
		t.Errorf("a conflict was not found: %q", got)
	}
}

// Every key name is one the keyboard can send, and every binding has help.
func TestBindings(t *testing.T) {
	for _, c := range Contexts() {
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
				}
			}
		}
	}
}

// ctrl+c must work wherever the keyboard went.
func TestInterruptEverywhere(t *testing.T) {
	for _, c := range Contexts() {
		found := false
		for _, g := range c.Groups {
			found = found || slices.ContainsFunc(g.Keys, func(b binding) bool { return Matches(uitest.Key("ctrl+c"), b) })
		}
		if !found {
			t.Errorf("%s has no ctrl+c", c.Name)
		}
	}
}

func TestScreenIndex(t *testing.T) {
	if i, ok := ScreenIndex(uitest.Key("8")); !ok || i != 7 {
		t.Errorf("8: %d %v", i, ok)
	}
	for _, k := range []string{"0", "9", "a"} {
		if _, ok := ScreenIndex(uitest.Key(k)); ok {
			t.Errorf("%s is a screen", k)
		}
	}
}

func TestShort(t *testing.T) {
	var got []string
	for _, h := range CompletionsScreen.Short() {
		got = append(got, h.Key)
	}
	if want := []string{"p", "f", "m", "w", "o", "x", "a", "c", ":", "?", "q"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
