package verbs

import (
	"testing"
	"time"
)

// TestRNRTimer: from code 2 on the times double with every second code; IBA 9.7.5.2.8, table 46.
func TestRNRTimer(t *testing.T) {
	for n, want := range map[uint8]time.Duration{0: 655360, 1: 10, 2: 20, 3: 30} {
		for ; ; n, want = n+2, 2*want {
			if got := RNRTimer(n); got != want*time.Microsecond {
				t.Errorf("RNR timer %d is %s, want %s", n, got, want*time.Microsecond)
			}
			if n < 2 || n > 29 {
				break
			}
		}
	}
}

// TestAckTimeout: 4.096 µs·2ⁿ; IBA 9.7.6.1.3.
func TestAckTimeout(t *testing.T) {
	for n, want := range map[uint8]time.Duration{
		0: 0, 1: 8192, 8: 1048576, 14: 67108864, 18: 1073741824, 31: 8796093022208, 32: 0, 255: 0,
	} {
		if got := AckTimeout(n); got != want {
			t.Errorf("timeout %d is %s, want %s", n, got, want)
		}
	}
}
