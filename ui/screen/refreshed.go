package screen

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/widget/line"
	"rdmatui/verbs/format"
)

// Values are what a screen has read, each by the name that a message gives it.
type Values map[string]string

// namedChanges is how many changed values a message names.
const namedChanges = 3

// Refreshed reports which values a refresh has changed, or that none has: otherwise the
// key would seem to do nothing.
func Refreshed(was, is Values) tea.Cmd {
	for name := range is {
		if _, ok := was[name]; !ok {
			was[name] = ""
		}
	}
	maps.DeleteFunc(was, func(name, v string) bool { now, ok := is[name]; return ok && v == now })
	if len(was) == 0 {
		return Flash("refreshed: nothing changed")
	}
	names := slices.Sorted(maps.Keys(was))
	text := strings.Join(names[:min(len(names), namedChanges)], ", ")
	if more := len(names) - namedChanges; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return Flash(fmt.Sprintf("refreshed: %s changed: %s", format.Counted(len(names), "value"), line.Escape(text)))
}
