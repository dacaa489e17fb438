package measure

import (
	"math"
	"math/bits"
	"slices"
	"time"
)

// Spread is the distribution of latencies in a few figures. A percentile is the least
// sample that at least this share of all samples does not exceed (nearest rank).
type Spread struct {
	Samples                       uint64
	Min, P50, P90, P99, P999, Max time.Duration
}

// Quantiles are the shares of P50 to P999.
var Quantiles = [...]float64{0.5, 0.9, 0.99, 0.999}

// fill sets the percentiles from a function of the rank, from 1.
func (s *Spread) fill(at func(rank uint64) time.Duration) {
	for i, dst := range []*time.Duration{&s.P50, &s.P90, &s.P99, &s.P999} {
		*dst = at(rank(Quantiles[i], s.Samples))
	}
}

// rank returns the nearest rank of a quantile among n samples, from 1.
func rank(q float64, n uint64) uint64 {
	return min(max(uint64(math.Ceil(q*float64(n)-1e-9)), 1), n)
}

// SpreadOf computes the spread exactly. It sorts the samples; each spans ways one-way
// trips.
func SpreadOf(samples []time.Duration, ways int) Spread {
	s := Spread{Samples: uint64(len(samples))}
	if s.Samples == 0 {
		return s
	}
	slices.Sort(samples)
	one := func(rank uint64) time.Duration { return samples[rank-1] / time.Duration(ways) }
	s.Min, s.Max = one(1), one(s.Samples)
	s.fill(one)
	return s
}

// subBits says into how many buckets a power of two is divided: 32, each 3 % wide.
const subBits = 5

// buckets covers all durations.
const buckets = (64 - subBits) << subBits

// Histogram counts latencies in buckets whose width grows with the value.
type Histogram struct {
	counts   []uint32
	n        uint64
	min, max time.Duration
}

// NewHistogram returns an empty histogram.
func NewHistogram() *Histogram { return &Histogram{counts: make([]uint32, buckets)} }

// clone returns a copy.
func (h *Histogram) clone() *Histogram {
	c := *h
	c.counts = slices.Clone(h.counts)
	return &c
}

// bucket returns the bucket of a value.
func bucket(d time.Duration) int {
	v := uint64(max(d, 0))
	if v < 1<<subBits {
		return int(v)
	}
	shift := bits.Len64(v) - subBits - 1
	return (shift+1)<<subBits + int(v>>shift) - 1<<subBits
}

// upper returns the largest value of a bucket.
func upper(i int) time.Duration {
	if i < 1<<subBits {
		return time.Duration(i)
	}
	shift := i>>subBits - 1
	return time.Duration((uint64(i&(1<<subBits-1)+1<<subBits)+1)<<shift - 1)
}

// Add counts a value.
func (h *Histogram) Add(d time.Duration) {
	if h.n == 0 || d < h.min {
		h.min = d
	}
	h.max = max(h.max, d)
	h.n++
	h.counts[bucket(d)]++
}

// Spread returns the percentiles as far as the buckets tell: at most 3 % too large.
func (h *Histogram) Spread() Spread {
	s := Spread{Samples: h.n, Min: h.min, Max: h.max}
	s.fill(func(rank uint64) time.Duration {
		sum := uint64(0)
		for i, n := range h.counts {
			if sum += uint64(n); sum >= rank {
				return min(upper(i), h.max)
			}
		}
		return h.max
	})
	return s
}

// Columns counts the values in n columns of equal width on a logarithmic axis between
// two values; those outside count in the outer columns.
func (h *Histogram) Columns(from, to time.Duration, n int) []float64 {
	out := make([]float64, n)
	for i, c := range h.counts {
		if c > 0 && n > 0 {
			out[Column(min(upper(i), h.max), from, to, n)] += float64(c)
		}
	}
	return out
}

// Column returns the column of a value on a logarithmic axis.
func Column(d, from, to time.Duration, n int) int {
	lo, hi := math.Log(float64(max(from, 1))), math.Log(float64(max(to, 2)))
	if hi <= lo {
		return 0
	}
	x := (math.Log(float64(max(d, 1))) - lo) / (hi - lo)
	return max(min(int(x*float64(n)), n-1), 0)
}
