package soft

import (
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// TestRNRTimersAgree: the documented meaning of the queue pair's attribute is the time that the
// wire's code makes a requester wait. Each has its own table, since packet
// formats import nothing.
func TestRNRTimersAgree(t *testing.T) {
	for n := range uint8(32) {
		if said, done := verbs.RNRTimer(n), wire.RNRTimer(n).Duration(); said != done {
			t.Errorf("code %d: %v and %v", n, said, done)
		}
	}
}
