package queue

import (
	"testing"

	"rdmatui/verbs"
)

type anyCQ struct{ verbs.CQ }

type anySRQ struct{ verbs.SRQ }

// TestIsOf: an asynchronous event concerns the object that it names, and no other; an event of a port concerns none,
// not even an object that the provider has not made yet.
func TestIsOf(t *testing.T) {
	cq, srq := &anyCQ{}, &anySRQ{}
	events := map[string]*verbs.AsyncEvent{
		"cq": {CQ: cq}, "another cq": {CQ: &anyCQ{}}, "srq": {SRQ: srq}, "another srq": {SRQ: &anySRQ{}},
		"port": {PortNum: 1},
	}
	for name, e := range events {
		for of, got := range map[string]bool{
			"cq": (&CQ{CQ: cq}).IsOf(e), "srq": (&SRQ{SRQ: srq}).IsOf(e),
			"a new cq": (&CQ{}).IsOf(e), "a new srq": (&SRQ{}).IsOf(e),
		} {
			if want := name == of; got != want {
				t.Errorf("the event of %s is of %s: %t, want %t", name, of, got, want)
			}
		}
	}
}
