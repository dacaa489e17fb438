package soft

import (
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// TestRNRTimersAgree: the documented value of min_rnr_timer is the delay that the code on the wire makes a requester
// wait. Each has its own table, since packet formats import nothing.
func TestRNRTimersAgree(t *testing.T) {
	for n := range uint8(32) {
		if said, done := verbs.RNRTimer(n), wire.RNRTimer(n).Duration(); said != done {
			t.Errorf("code %d: %v and %v", n, said, done)
		}
	}
}
