package lab

import (
	"testing"

	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// TestObservations: a device's answers are observations; mistakes of the script are not.
func TestObservations(t *testing.T) {
	for _, tt := range []struct {
		line, errno string
		want        bool
	}{
		{"post_send a SEND", "EINVAL", true}, {"post_send a SEND", "", false}, {"poll_cq cq", "", true},
		{"poll_cq cq", "EIO", true},
		{"  expect wc status=SUCCESS", "", true}, {"expected", "", false}, {"", "", false},
	} {
		if got := isObservation(tt.line, &timeline.CommandDone{Errno: tt.errno}); got != tt.want {
			t.Errorf("%q, %q: %v", tt.line, tt.errno, got)
		}
	}
}

// TestTaken: what a device tells while the experiment is tried is kept, up to a bound.
func TestTaken(t *testing.T) {
	wc := timeline.Event{Kind: timeline.KindWC}
	async := timeline.Event{Kind: timeline.KindAsync, Async: &timeline.AsyncEvent{Type: verbs.EventQPFatal, QP: "a"}}
	refused := timeline.Event{Kind: timeline.KindCommand, Command: &timeline.CommandDone{Errno: "EINVAL"}}
	accepted := timeline.Event{Kind: timeline.KindCommand, Command: &timeline.CommandDone{}}
	var o observer
	o.enter(SettingUp)
	if o.take(&wc); len(o.completions) != 0 || len(o.told) != 0 {
		t.Errorf("%d completions before the trial", len(o.completions))
	}
	o.enter(Trying)
	for _, e := range []timeline.Event{wc, async, refused, refused, accepted} {
		o.take(&e)
	}
	if len(o.completions) != 1 || len(o.events) != 1 || o.events[0] != "QP_FATAL a" ||
		len(o.refused) != 1 || len(o.told) != 3 {
		t.Errorf("%d completions, events %q, refused %q, %d events", len(o.completions), o.events,
			o.refused, len(o.told))
	}
	for range maxEvents {
		o.take(&wc)
		o.take(&async)
	}
	if n := len(o.completions) + len(o.events); n != maxEvents || len(o.told) != maxEvents+1 {
		t.Errorf("%d completions and events, %d events", n, len(o.told))
	}
}
