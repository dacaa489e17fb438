package keymap

import (
	"slices"
	"testing"
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
	bad := Context{"bad",
		[]Group{{"a", []binding{bind("x", "one", "x")}}, {"b", []binding{bind("y", "two", "y", "x")}}}}
	if got := conflicts(bad); !slices.Equal(got, []string{"x: one, two"}) {
		t.Errorf("a conflict was not found: %q", got)
	}
}

func TestShort(t *testing.T) {
	var got []string
	own, last := CompletionsScreen.Short()
	for _, b := range append(own, last...) {
		got = append(got, b.Help().Key)
	}
	if want := []string{"enter", "p", "f", "F", "v", "m", "w", "L", ".", "a", "s", "C", "u", "/", "E", "y", "z", ":",
		"?", "q"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
