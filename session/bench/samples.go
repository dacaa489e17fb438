package bench

import (
	"math"
	"slices"
	"time"
)

// tail is how many of the longest samples perftest leaves out of averages; the longest
// one left is its maximum.
const tail = 2

// Latency is what a latency test measured. The fields are those of the report and in
// microseconds.
type Latency struct {
	Size    uint64
	Iters   uint64
	Min     float64
	Max     float64
	Typical float64 // the median
	Average float64
	Stdev   float64
	P99     float64
	P999    float64
	// PerSecond is the number of round trips per second. Only this, Average and Iters
	// are known in a test of a given duration.
	PerSecond float64
}

// NewLatency computes the report from the times between the starts of messages. It
// sorts deltas. ways is [Test.Ways].
//
// perftest has no sample for the last message, leaves the two longest samples out of
// everything but the maximum, and takes the third longest as the maximum. Its
// deviation truncates each difference to whole microseconds; this one does not.
func NewLatency(size, iters uint64, deltas []time.Duration, ways int) Latency {
	l := Latency{Size: size, Iters: iters}
	slices.Sort(deltas)
	n := len(deltas) - tail
	if n < 1 {
		return l
	}
	usec := func(i int) float64 { return float64(deltas[min(i, len(deltas)-1)]) / 1e3 / float64(ways) }
	for i := range n {
		l.Average += usec(i) / float64(n)
	}
	for i := range n {
		l.Stdev += math.Pow(usec(i)-l.Average, 2) / float64(n)
	}
	l.Stdev = math.Sqrt(l.Stdev)
	l.Min, l.Max = usec(0), usec(n)
	l.Typical = (usec((n-1)/2) + usec(n/2)) / 2
	l.P99 = usec(int(math.Ceil(float64(n) * 0.99)))
	l.P999 = usec(int(math.Ceil(float64(n) * 0.999)))
	return l
}

// NewLatencyOver computes the report of a test of a given duration.
func NewLatencyOver(size, iters uint64, over time.Duration, ways int) Latency {
	l := Latency{Size: size, Iters: iters}
	if iters > 0 && over > 0 {
		l.Average = float64(over) / 1e3 / float64(ways) / float64(iters)
		l.PerSecond = float64(iters) / over.Seconds()
	}
	return l
}

// Bandwidth are the times of a bandwidth test, from which its report is computed.
type Bandwidth struct {
	Size  uint64
	Iters uint64 // of all queue pairs
	Over  time.Duration
	// Posted and Completed are when each message was posted and when its completion
	// was polled, zero for a message without one; both empty without a peak.
	Posted, Completed []time.Duration
}

// Report computes the report, in MiB/s or with gbits in Gbit/s.
func (b *Bandwidth) Report(gbits bool) Report {
	unit := float64(1 << 20)
	if gbits {
		unit = 125_000_000
	}
	r := Report{Size: b.Size, Iters: b.Iters}
	if sec := b.Over.Seconds(); sec > 0 {
		r.Average = float64(b.Size) * float64(b.Iters) / sec / unit
		r.Rate = float64(b.Iters) / sec / 1e6
	}
	if per := b.best(); per > 0 {
		r.Peak = float64(b.Size) / per * 1e9 / unit
	}
	return r
}

// best returns the least time per message, in nanoseconds, from the post of any
// message to the completion of any later one; 0 if there is none.
//
// The minimum of (completed[j]-posted[i]) / (j-i+1) is found by Newton's method
// (Dinkelbach): each round goes once over the messages and either finds a smaller
// value or proves that there is none.
func (b *Bandwidth) best() float64 {
	per := float64(b.Over) / float64(max(b.Iters, 1))
	for len(b.Posted) > 0 {
		latest, at := math.Inf(-1), 0 // the greatest posted[i] - per*i, and its i
		gain, from, to := 0.0, 0, -1  // the most negative difference
		for j := range min(len(b.Posted), len(b.Completed)) {
			if v := float64(b.Posted[j]) - per*float64(j); v > latest {
				latest, at = v, j
			}
			if b.Completed[j] == 0 {
				continue
			}
			if d := float64(b.Completed[j]) - per*float64(j+1) - latest; d < gain {
				gain, from, to = d, at, j
			}
		}
		if to < 0 {
			break
		}
		next := float64(b.Completed[to]-b.Posted[from]) / float64(to-from+1)
		if !(next < per) || next <= 0 {
			break
		}
		per = next
	}
	return per
}
