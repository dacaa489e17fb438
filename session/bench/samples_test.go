package bench

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// TestBest compares the peak with the least time per message of all pairs of a post
// and a completion, as perftest computes it.
func TestBest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 200 {
		n, mod := 1+random.IntN(60), 1+random.IntN(7)
		b := Bandwidth{Size: 1, Iters: uint64(n), Posted: make([]time.Duration, n), Completed: make([]time.Duration, n)}
		at := time.Duration(0)
		for i := range n {
			at += time.Duration(1 + random.IntN(1000))
			b.Posted[i] = at
		}
		done := at / 2
		for i := range n {
			done = max(done, b.Posted[i]) + time.Duration(1+random.IntN(3000))
			if (i+1)%mod == 0 || i == n-1 {
				b.Completed[i] = done
			}
		}
		b.Over = done - b.Posted[0]
		want := float64(b.Over) / float64(n)
		for i := range n {
			for j := i; j < n; j++ {
				if b.Completed[j] > 0 {
					want = min(want, float64(b.Completed[j]-b.Posted[i])/float64(j-i+1))
				}
			}
		}
		if got := b.best(); math.Abs(got-want) > 1e-6*want {
			t.Errorf("round %d, %d messages: %g, want %g", round, n, got, want)
		}
	}
}

func TestBandwidthReport(t *testing.T) {
	b := Bandwidth{Size: 1 << 20, Iters: 10, Over: 2 * time.Second}
	for _, tt := range []struct {
		gbits bool
		want  Report
	}{
		{false, Report{1 << 20, 10, 5, 5, 5e-6}},
		{true, Report{1 << 20, 10, 5 * 8 * (1 << 20) / 1e9, 5 * 8 * (1 << 20) / 1e9, 5e-6}},
	} {
		if got := b.Report(tt.gbits); math.Abs(got.Average-tt.want.Average) > 1e-9 ||
			math.Abs(got.Peak-tt.want.Peak) > 1e-9 || got.Rate != tt.want.Rate {
			t.Errorf("%+v, want %+v", got, tt.want)
		}
	}
	if got := (&Bandwidth{Size: 1}).Report(false); got != (Report{Size: 1}) {
		t.Errorf("without a message: %+v", got)
	}
}

func TestLatency(t *testing.T) {
	var deltas []time.Duration
	for i := range 1000 {
		deltas = append(deltas, time.Duration(1000-i)*2*time.Microsecond)
	}
	got := NewLatency(2, 1001, deltas, 2)
	want := Latency{
		Size: 2, Iters: 1001, Min: 1, Max: 999, Typical: 499.5, Average: 499.5, Stdev: 288.1, P99: 990, P999: 999,
	}
	got.Stdev = math.Round(got.Stdev*10) / 10
	got.Average = math.Round(got.Average*1e6) / 1e6
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	for n := range 4 {
		_ = NewLatency(2, 5, make([]time.Duration, n), 1) // must not panic
	}
	if got := NewLatencyOver(2, 500, time.Second, 2); got.Average != 1000 || got.PerSecond != 500 {
		t.Errorf("%+v", got)
	}
	if got := NewLatencyOver(2, 0, 0, 2); got != (Latency{Size: 2}) {
		t.Errorf("%+v", got)
	}
}
