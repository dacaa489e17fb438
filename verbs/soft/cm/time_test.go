package cm

import (
	"testing"
	"time"

	"rdmatui/verbs/soft/internal/object"
)

// TestCMAckTimeout adds every two powers: the sum is encoded as the power above the larger one if the smaller is at
// least half of it, and as the larger one otherwise.
func TestCMAckTimeout(t *testing.T) {
	for delay := range uint8(object.MaxTimer + 1) {
		for lifetime := range uint8(object.MaxTimer + 1) {
			twice := lifetime + 1
			larger, smaller := max(twice, delay), min(twice, delay)
			want := larger
			if larger-smaller <= 1 {
				want++
			}
			if want = min(want, object.MaxTimer); ackTimeout(delay, lifetime) != want {
				t.Errorf("delay %d, lifetime %d: timeout %d, want %d", delay, lifetime,
					ackTimeout(delay, lifetime), want)
			}
		}
	}
}

func TestCMSpan(t *testing.T) {
	for n, want := range map[uint8]time.Duration{0: 4096, 1: 8192, 18: 1073741824, 31: 4096 << 31,
		32: 4096 << 31, 255: 4096 << 31} {
		if got := Span(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
	if got, want := lateAfter(MaxTimewait+1), Span(MaxTimewait); got != want {
		t.Errorf("late for %s, want %s", got, want)
	}
}
