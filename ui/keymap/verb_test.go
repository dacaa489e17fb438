package keymap

import (
	"slices"
	"strings"
	"testing"
)

// verbWords are the words that may begin the description of a verb's key.
var verbWords = map[string][]string{
	"enter": {"run", "open", "show", "create", "post", "next", "try", "back", "go"},
	"n":     {"new", "next"},
	"N":     {"previous"},
	"e":     {"edit"},
	"D":     {"destroy", "deregister", "stop"},
	"space": {"mark", "next", "try", "back"},
	"r":     {"refresh", "query", "run", "post"},
	"/":     {"filter", "search"},
	"p":     {"pause"},
	"y":     {"copy"},
	"w":     {"write"},
	"o":     {"other"},
	"E":     {"explain"},
	"z":     {"zoom"},
	"S":     {"strip:"},
	"x":     {"send"},
	"?":     {"help", "keys"},
	"c":     {"connect"},
	"C":     {"clear"},
	"u":     {"undo"},
	"f":     {"fix", "faults", "close"}, // Wire has nothing to fix: its faults open and close with f
}

// On every screen a verb's key does what the verb says, and no screen uses it for
// anything else.
func TestVerbs(t *testing.T) {
	for _, b := range append(group("", Verb).Keys, group("", Find).Keys...) {
		if verbWords[b.Keys()[0]] == nil {
			t.Errorf("%s has no words", b.Keys()[0])
		}
	}
	for _, c := range screens() {
		for _, g := range c.Groups {
			for _, b := range g.Keys {
				for _, k := range b.Keys() {
					words, reserved := verbWords[k]
					first, _, _ := strings.Cut(b.Help().Desc, " ")
					if reserved && !slices.Contains(words, first) {
						t.Errorf("%s: %s means %v, not %q", c.Name, k, words, b.Help().Desc)
					}
				}
			}
		}
	}
}

// The digits select screens, and 0 is unused.
func TestDigitsAreFree(t *testing.T) {
	for _, c := range screens() {
		for _, g := range c.Groups {
			for _, b := range g.Keys {
				for _, k := range b.Keys() {
					if g.Name != globalGroup.Name && len(k) == 1 && k[0] >= '0' && k[0] <= '9' {
						t.Errorf("%s: %s is %q", c.Name, k, b.Help().Desc)
					}
				}
			}
		}
	}
}
