package incident

import (
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// TestNote: the history keeps events that may explain an incident, and none of a flood of completions, packets and
// notes.
func TestNote(t *testing.T) {
	b := &book{open: map[string]*opened{"a": {}, "b": {}}}
	for _, tt := range []struct {
		event timeline.Event
		kept  bool
	}{
		{timeline.Event{Kind: timeline.KindWC}, false},
		{timeline.Event{Kind: timeline.KindPacket}, false},
		{timeline.Event{Kind: timeline.KindNote}, false},
		{timeline.Event{Kind: timeline.KindCommand, Command: &timeline.CommandDone{Resolved: "modify_qp a ERR"}}, false},
		{timeline.Event{Kind: timeline.KindState, State: &timeline.StateChange{QP: "a", To: verbs.QPErr, Cause: "modify_qp"}}, true},
		{timeline.Event{Kind: timeline.KindState, State: &timeline.StateChange{QP: "a", To: verbs.QPReset, Cause: "failure"}}, true},
		{timeline.Event{Kind: timeline.KindAsync, Async: &timeline.AsyncEvent{}}, true},
		{timeline.Event{Kind: timeline.KindCM, CM: &timeline.CMEvent{}}, true},
	} {
		n := b.history.Len()
		if b.note(&tt.event); b.history.Len() != n && !tt.kept || b.history.Len() != n+1 && tt.kept {
			t.Errorf("kind %d: %d moments, then %d", tt.event.Kind, n, b.history.Len())
		}
	}
	all := b.before()
	if all[0].line != "modify_qp a ERR" || all[1].line != "" {
		t.Errorf("moved by %q and %q", all[0].line, all[1].line)
	}
	if b.open["a"] != nil || b.open["b"] == nil {
		t.Error("a reset must end the incident of its queue pair, and no other")
	}
}

// TestMayLook: the first maxBurst incidents of each burst are examined.
func TestMayLook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &book{s: &core.Session{Start: time.Now()}}
		for _, wait := range []time.Duration{0, burst, burst + 1, burst + 1} {
			time.Sleep(wait)
			looks := 0
			for range 2 * maxBurst {
				if b.mayLook() {
					looks++
				}
			}
			want := maxBurst
			if wait == burst { // the first burst is not over yet
				want = 0
			}
			if looks != want {
				t.Errorf("%d examined after %s, want %d", looks, wait, want)
			}
			if wait == burst {
				time.Sleep(time.Nanosecond)
			}
		}
	})
}

// TestMovedSince: counts are compared with the newest reading from before the post, or else with the oldest.
func TestMovedSince(t *testing.T) {
	now := []verbs.HWCounter{{Name: "still", Value: 9}, {Name: "moved", Value: 40}}
	read := func(began, ended time.Duration, moved uint64) reading {
		return reading{began, ended, []uint64{9, moved}}
	}
	first, second, last := read(1, 2, 10), read(3, 4, 20), read(5, 6, 40)
	for _, tt := range []struct {
		name     string
		readings []reading
		at       time.Duration
		moved    uint64 // 0: not shown
		since    time.Duration
	}{
		{"never read", nil, 3, 0, 0},
		{"one reading", []reading{last}, 3, 0, 0},
		{"before and after", []reading{first, second, last}, 5, 20, 4},
		{"ended at the post", []reading{first, second, last}, 4, 20, 4},
		{"in progress at the post", []reading{first, second, last}, 3, 30, 2},
		{"none from before", []reading{first, second, last}, 1, 30, 2},
		{"none from after", []reading{first, second, last}, 6, 0, 0},
		{"other counters then", []reading{{1, 2, []uint64{9}}, last}, 3, 0, 2},
	} {
		m := &meter{now: now}
		for _, r := range tt.readings {
			*m.kept.Keep(maxReadings) = r
		}
		v := (&book{meters: map[string]*meter{"soft0": m}}).movedSince("soft0", tt.at)
		moved := uint64(0)
		for _, c := range v.list {
			if moved = c.Value; c.Name != "moved" {
				t.Errorf("%s: %s has moved", tt.name, c.Name)
			}
		}
		if moved != tt.moved || v.since != tt.since {
			t.Errorf("%s: +%d since %d, want +%d since %d", tt.name, moved, v.since, tt.moved, tt.since)
		}
	}
}

// TestBeside: a moment is shown with its distance from the post, if that is known.
func TestBeside(t *testing.T) {
	s := newScene(verbs.WCRetryExcErr, verbs.WRSend) // posted at 1 s
	for at, want := range map[time.Duration]string{
		time.Second: "1.000000 s, 0 ns before the post", 1500 * time.Millisecond: "1.500000 s, 500 ms after the post", 500 * time.Millisecond: "0.500000 s, 500 ms before the post",
	} {
		if got := s.beside(at); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	s.known = false
	if got := s.beside(0); got != "0.000000 s" {
		t.Error(got)
	}
}

// TestAwait: await waits for readings in progress, up to hostWait.
func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct{ takes, waits time.Duration }{{0, 0}, {time.Millisecond, time.Millisecond}, {hostWait + 1, hostWait}} {
			b := &book{meters: map[string]*meter{"idle": {}}}
			if tt.takes > 0 {
				busy := make(chan struct{})
				b.meters["busy"] = &meter{busy: busy}
				time.AfterFunc(tt.takes, func() { close(busy) })
			}
			begun := time.Now()
			if b.await(); time.Since(begun) != tt.waits {
				t.Errorf("a reading of %s: waited %s", tt.takes, time.Since(begun))
			}
			time.Sleep(time.Second)
		}
	})
}
