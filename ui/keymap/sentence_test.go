package keymap

import (
	"strings"
	"testing"
)

// Each key of a screen has a sentence for the help, but for movements; each sentence belongs to a key.
func TestSentences(t *testing.T) {
	used := map[string]bool{}
	all := screens()
	for i := range all {
		c := &all[i]
		for _, g := range c.Groups {
			if g.Name == listGroup.Name {
				continue
			}
			for _, b := range g.Keys {
				s := c.Sentence(b)
				moves := strings.Contains(g.Name, paneGroup.Name) || len(b.Keys()) > 1 || b.Keys()[0] == "esc"
				if s == "" && !moves {
					t.Errorf("%s: %s, %q, has no sentence", c.Name, b.Help().Key, b.Help().Desc)
				}
				if s != "" && (!strings.HasSuffix(s, ".") || len(s) > 100) {
					t.Errorf("%s: %q is no short sentence", c.Name, s)
				}
				used[s] = true
			}
		}
	}
	for screen, list := range sentences {
		for label, s := range list {
			if !used[s] && label != Keys.Manual.Help().Desc {
				t.Errorf("%s: no key is labelled %q", screen, label)
			}
		}
	}
}
