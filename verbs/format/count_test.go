package format

import "testing"

func TestCount(t *testing.T) {
	for n, want := range map[uint64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", 1<<64 - 1: "18,446,744,073,709,551,615"} {
		if got := Count(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
