package connections

import (
	"slices"
	"testing"

	"rdmatui/session/timeline"
	"rdmatui/ui/theme"
	"rdmatui/verbs"
)

// E explains the event that is shown: why it was refused, and what the event is.
func TestExplain(t *testing.T) {
	x := newBench(t, theme.New("none", true))
	x.Keys("E")
	if len(x.Explained) > 0 || len(x.Flashes) != 1 {
		t.Errorf("without an event: %q, %q", x.Explained, x.Flashes)
	}
	x.have(rejected())
	x.log.Append(timeline.Event{Kind: timeline.KindCM, CM: &timeline.CMEvent{Type: verbs.CMRejected, ID: "id", Status: 28}})
	x.Frame()
	x.Keys("E")
	if want := []string{"CONSUMER_DEFINED", "REJECTED"}; !slices.Equal(x.Explained, want) {
		t.Errorf("explained %q, want %q", x.Explained, want)
	}
}
