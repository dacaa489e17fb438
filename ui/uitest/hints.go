package uitest

import (
	"slices"
	"strings"

	"rdmatui/ui/keymap"
)

// Later returns the keys of a context that can be used at other times only, as the help names them, in order.
func Later(c keymap.Context) string {
	var names []string
	for _, g := range c.Groups {
		if g.Name != "At other times" {
			continue
		}
		for _, b := range g.Keys {
			names = append(names, b.Help().Key)
		}
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}
