package tour

import (
	"slices"
	"strings"

	"rdmatui/session/timeline"
)

// All lists the tours.
var All = []*Tour{firstWrite, pingpong, connectCM, breakFix, byHand, sendRecv, eightSteps}

// did reports whether an event is a successful command with these words, of which the first is its verb.
func did(e *timeline.Event, words ...string) bool {
	if e.Kind != timeline.KindCommand || e.Command == nil || e.Command.Err != "" {
		return false
	}
	have := strings.Fields(e.Command.Line)
	return len(have) > 0 && have[0] == words[0] && !slices.ContainsFunc(words, func(w string) bool {
		return !slices.Contains(have, w)
	})
}
