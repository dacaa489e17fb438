package connections

import (
	"rdmatui/session"
	"slices"
	"testing"
)

// E explains the event shown: why the request was refused, and the event itself.
func TestExplain(t *testing.T) {
	run(t, plain, func(x *bench) {
		x.Keys("E")
		if len(x.Explained) > 0 || len(x.Flashes) != 1 {
			t.Errorf("without an event: %q, %q", x.Explained, x.Flashes)
		}
		x.client(session.IDError)
		x.Keys("E")
		if want := []string{"CONSUMER_DEFINED", "REJECTED"}; !slices.Equal(x.Explained, want) {
			t.Errorf("explained %q, want %q", x.Explained, want)
		}
	})
}
