package screen

import (
	"testing"

	"rdmatui/session"
)

// A snapshot that is older than what is in hand makes the hand forget nothing; if the queue pair is gone, the first
// there is takes its place.
func TestHandSurvivesAnOlderSnapshot(t *testing.T) {
	of := func(names ...string) *session.Snapshot {
		s := new(session.Snapshot)
		for _, n := range names {
			s.QPs = append(s.QPs, session.QPView{Name: n})
		}
		return s
	}
	old, now := of("a", "b"), of("a", "b", "c")
	var h Hand
	h.Take("c")
	for _, tt := range []struct {
		in   *session.Snapshot
		want string
	}{{old, "a"}, {of(), ""}, {now, "c"}} {
		if got := h.In(tt.in); got != tt.want {
			t.Errorf("of %d queue pairs %q is in hand, want %q", len(tt.in.QPs), got, tt.want)
		}
	}
	if h.Turn(old, 1); h.In(now) != "b" {
		t.Errorf("the next one after a queue pair that is gone is %s, want b", h.In(now))
	}
}
