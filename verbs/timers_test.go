package verbs

import "testing"

func TestRNRTimer(t *testing.T) {
	if got := RNRTimer(0).String(); got != "655.36ms" {
		t.Errorf("RNR timer 0 is %s", got)
	}
	if got := RNRTimer(31).String(); got != "491.52ms" {
		t.Errorf("RNR timer 31 is %s", got)
	}
	for n := uint8(2); n < 32; n++ {
		if RNRTimer(n) <= RNRTimer(n-1) {
			t.Errorf("RNR timer %d does not grow", n)
		}
	}
}
