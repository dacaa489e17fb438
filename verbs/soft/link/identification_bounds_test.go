package link

import (
	"testing"
	"time"
)

// TestIdentificationBounds: what is near, how far a counter may have moved, and when damage explains an identification.
func TestIdentificationBounds(t *testing.T) {
	for _, b := range []uint16{0, 30000, 65535} {
		for d, want := range map[uint16]bool{0: true, window: true, window + 1: false, 1 << 15: false} {
			if up, down := near(b+d, b, window), near(b-d, b, window); up != want || down != want {
				t.Errorf("%d from %d is near: %t and %t, want %t", d, b, up, down, want)
			}
		}
	}
	now := time.Unix(1e9, 0)
	for _, tt := range []struct {
		rises         bool
		step          uint16 // from the last
		wait          time.Duration
		forward, late bool
	}{
		{true, ahead, 0, true, false}, {true, ahead + 1, 0, false, false},
		{true, ahead + 1, time.Millisecond, true, false},
		{true, ahead + 1, time.Millisecond - 1, false, false}, {true, ahead + 1001, time.Second, false, false},
		{true, 0, 0, true, true},
		{true, 1<<16 - ahead, 0, false, true}, {false, 0, time.Hour, false, false},
	} {
		s := &source{last: 60000, rises: tt.rises, seen: now.Add(-tt.wait)}
		if forward, late := s.reaches(60000+tt.step, now); forward != tt.forward || late != tt.late {
			t.Errorf("%+v: %t, %t", tt, forward, late)
		}
	}
	for _, tt := range []struct {
		before, id uint16
		rises      bool
	}{{window - 2, window - 1, false}, {window - 1, window, true}, {window, window, false},
		{window + 1, window, true}} {
		s := newSource(tt.before, evidence{})
		if s.admit(tt.id, distance(tt.id, tt.before), false, now); s.rises != tt.rises {
			t.Errorf("%+v: rises %t", tt, s.rises)
		}
	}
	for _, tt := range []struct {
		bad, leaps uint32
		want       bool
	}{{suspectAfter - 1, 0, false}, {suspectAfter, 0, true}, {2*suspectAfter - 1, 1, false},
		{2 * suspectAfter, 1, true}} {
		if e := (evidence{bad: tt.bad, leaps: tt.leaps}); e.suspect() != tt.want {
			t.Errorf("%+v: suspect %t", tt, e.suspect())
		}
	}
	for _, tt := range []struct{ last, id, want uint16 }{{30, 31, 31}, {30, 29, 30}, {30, 30, 30},
		{65530, 4, 4}, {4, 65530, 4}} {
		s := newSource(tt.last, evidence{})
		if s.admit(tt.id, distance(tt.id, tt.last), false, now); s.last != tt.want || s.recent != tt.id {
			t.Errorf("%+v: last %d, recent %d", tt, s.last, s.recent)
		}
	}
}
