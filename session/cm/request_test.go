package cm

import (
	"testing"
	"time"
)

// TestAllowance: a burst, then a rate per second.
func TestAllowance(t *testing.T) {
	a := allowance{}
	now := time.Unix(1e9, 0)
	granted := 0
	for range 2 * recordedAtOnce {
		if a.take(now) {
			granted++
		}
	}
	for range 100 {
		now = now.Add(time.Second)
		for range 100 {
			if a.take(now) {
				granted++
			}
		}
	}
	if want := recordedAtOnce + 100*recordedRate; granted != want {
		t.Errorf("%d granted, want %d", granted, want)
	}
}
