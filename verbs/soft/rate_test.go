package soft

import (
	"testing"

	"rdmatui/verbs"
)

// TestRateCodes decodes the codes: the rate of a port is the speed of its network interface, if InfiniBand has such a
// rate.
func TestRateCodes(t *testing.T) {
	for mbit, want := range map[int]float64{
		-1: 0, 0: 0, 10: 2.5, 1_000: 2.5, 2_500: 10, 10_000: 10, 20_000: 20, 25_000: 25, 40_000: 40,
		50_000: 50, 100_000: 100,
		200_000: 200, 400_000: 400, 800_000: 400,
	} {
		var p verbs.PortAttr
		if p.ActiveWidth, p.ActiveSpeed = rateCodes(mbit); p.Rate() != want {
			t.Errorf("%d Mbit/s is %g Gbit/s, want %g", mbit, p.Rate(), want)
		}
		if want == 0 && (p.ActiveWidth != 0 || p.ActiveSpeed != 0) {
			t.Errorf("%d Mbit/s: width %d, speed %d, want no codes", mbit, p.ActiveWidth, p.ActiveSpeed)
		}
	}
}

// TestNoRateInMemory: a device without a network interface has no rate; one with an interface has the interface's.
func TestNoRateInMemory(t *testing.T) {
	p := New(Options{})
	rate := func() float64 {
		dev := must(p.Open("soft0"))(t)
		defer dev.Close()
		attr := must(dev.QueryPort(1))(t)
		return attr.Rate()
	}
	if got := rate(); got != 0 {
		t.Errorf("%g Gbit/s in memory", got)
	}
	p.adapter("soft0").speed = func() int { return 25_000 }
	if got := rate(); got != 25 {
		t.Errorf("%g Gbit/s on an interface of 25", got)
	}
}
