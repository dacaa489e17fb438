package labrun

import (
	"testing"

	"rdmatui/session/timeline"
)

// TestObservations: a device's answers are observations; mistakes of the script are not.
func TestObservations(t *testing.T) {
	for _, tt := range []struct {
		line, errno string
		want        bool
	}{
		{"post_send a SEND", "EINVAL", true}, {"post_send a SEND", "", false}, {"poll_cq cq", "", true}, {"poll_cq cq", "EIO", true},
		{"  expect wc status=SUCCESS", "", true}, {"expected", "", false}, {"", "", false},
	} {
		if got := isObservation(tt.line, &timeline.CommandDone{Errno: tt.errno}); got != tt.want {
			t.Errorf("%q, %q: %v", tt.line, tt.errno, got)
		}
	}
}
