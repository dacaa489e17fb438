package measure

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// exactly is the definition of a percentile: the least sample that at least the share q of all samples does not exceed.
func exactly(samples []time.Duration, permille int) time.Duration {
	sorted := slices.Sorted(slices.Values(samples))
	for _, d := range sorted {
		upTo := 0
		for _, o := range samples {
			if o <= d {
				upTo++
			}
		}
		if upTo*1000 >= permille*len(samples) {
			return d
		}
	}
	return 0
}

// TestPercentiles compares the percentiles with their definition, exactly for samples, and within a bucket for a
// histogram.
func TestPercentiles(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	shapes := map[string]func() time.Duration{
		"equal":  func() time.Duration { return 1234 },
		"few":    func() time.Duration { return time.Duration(random.IntN(4)) },
		"even":   func() time.Duration { return time.Duration(random.IntN(100_000)) },
		"normal": func() time.Duration { return time.Duration(max(random.NormFloat64()*500+12_000, 0)) },
		"tailed": func() time.Duration { return time.Duration(8000 * (1 + 1/(1.0001-random.Float64()))) },
	}
	for name, draw := range shapes {
		for _, n := range []int{1, 2, 3, 9, 10, 99, 100, 101, 999, 1000, 1001} {
			var samples []time.Duration
			h := NewHistogram()
			for range n {
				samples = append(samples, draw())
				h.Add(samples[len(samples)-1])
			}
			exact, rough := SpreadOf(slices.Clone(samples), 1), h.Spread()
			for _, q := range []struct {
				permille   int
				got, about time.Duration
			}{{500, exact.P50, rough.P50}, {900, exact.P90, rough.P90}, {990, exact.P99, rough.P99}, {999, exact.P999,
				rough.P999}} {
				want := exactly(samples, q.permille)
				if q.got != want {
					t.Errorf("%s, %d samples: %d‰ is %d, want %d", name, n, q.permille, q.got, want)
				}
				if q.about < want || q.about > want+want>>subBits {
					t.Errorf("%s, %d samples: the histogram's %d‰ is %d, want %d or up to 1/32 more", name, n,
						q.permille, q.about, want)
				}
			}
			low, high := slices.Min(samples), slices.Max(samples)
			if exact.Min != low || exact.Max != high || rough.Min != low || rough.Max != high {
				t.Errorf("%s: %+v, %+v; from %d to %d", name, exact, rough, low, high)
			}
			if sum := total(h.Columns(low, high, 40)); sum != float64(n) {
				t.Errorf("%s: the columns count %v of %d", name, sum, n)
			}
		}
	}
}

func total(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum
}

// TestFewSamples: without samples all is 0, and a copy of a histogram counts no more.
func TestFewSamples(t *testing.T) {
	h := NewHistogram()
	if got := [2]Spread{SpreadOf(nil, 1), h.Spread()}; got != [2]Spread{} {
		t.Errorf("without samples: %+v", got)
	}
	h.Add(5)
	then := h.clone()
	h.Add(1)
	h.Add(1)
	if got := then.Spread(); got != SpreadOf([]time.Duration{5}, 1) {
		t.Errorf("one sample of 5 ns: %+v", got)
	}
	for n := range 3 {
		if got := h.Columns(1, 5, n); len(got) != n || n > 0 && total(got) != 3 {
			t.Errorf("three samples in %d columns: %v", n, got)
		}
	}
}

// TestBuckets checks that the buckets adjoin and that the largest duration has one.
func TestBuckets(t *testing.T) {
	for i := range buckets - 1 {
		if u := upper(i); bucket(u) != i || bucket(u+1) != i+1 {
			t.Fatalf("bucket %d ends at %d, which is in %d, and the next value in %d", i, u, bucket(u), bucket(u+1))
		}
	}
	if b := bucket(1<<63 - 1); b >= buckets {
		t.Errorf("the largest duration is in bucket %d of %d", b, buckets)
	}
}

// TestColumn checks the logarithmic axis.
func TestColumn(t *testing.T) {
	for _, tt := range []struct {
		d, from, to time.Duration
		want        int
	}{{1, 1, 1000, 0}, {9, 1, 1000, 9}, {11, 1, 1000, 10}, {101, 1, 1000, 20}, {1000, 1, 1000, 29}, {0, 1, 1000,
		0}, {9999, 1, 1000, 29}, {5, 5, 5, 0}, {10, 20, 5, 0}, {2, 1, 2, 29}, {110, 10, 1000, 15}} {
		if got := Column(tt.d, tt.from, tt.to, 30); got != tt.want {
			t.Errorf("%d between %d and %d is in column %d, want %d", tt.d, tt.from, tt.to, got, tt.want)
		}
	}
}

// TestShortPoint: a short interval becomes part of the one before, unless its messages have another size, and what
// was shown before stays.
func TestShortPoint(t *testing.T) {
	shown := []Point{{At: interval, Over: interval, Size: 2, Messages: 160}}
	short := Point{At: interval + least/2, Over: least / 2, Size: 2, Messages: 40}
	want := Point{At: short.At, Over: interval + least/2, Size: 2, Messages: 200}
	if got := appendPoint(shown, short); len(got) != 1 || got[0] != want || shown[0].Messages != 160 {
		t.Errorf("%+v after %+v, want %+v", got, shown, want)
	}
	short.Size = 4
	if got := appendPoint(shown, short); len(got) != 2 || got[1] != short {
		t.Errorf("%+v, want the other size by itself", got)
	}
	if got := appendPoint(nil, short); len(got) != 1 || got[0] != short {
		t.Errorf("%+v, want the first one", got)
	}
}

// TestMergePoints: only neighbours of one size are merged, with the mean of their latencies.
func TestMergePoints(t *testing.T) {
	points := make([]Point, maxPoints) // the first and the last one stay alone
	for i := range points {
		points[i] = Point{Over: interval, Size: 2}
	}
	first := &points[0]
	*first = Point{Over: interval, Size: 1, Messages: 5}
	points[1].Messages, points[1].Latency = 1, 7
	got, merged := appendPoint(points, *first), Point{Over: 2 * interval, Size: 2}
	idle, last := merged, points[maxPoints-1]
	merged.Messages, merged.Latency = 1, 7
	if len(got) != maxPoints/2+2 || got[0] != *first || got[1] != merged || got[2] != idle || got[len(got)-2] != last ||
		got[len(got)-1] != *first {
		t.Errorf("%d points: %+v ... %+v", len(got), got[:3], got[len(got)-2:])
	}
	if mean, ok := (&View{Points: points[1:3]}).Mean(0); !ok || mean != merged {
		t.Errorf("%+v, %v", mean, ok)
	}
}

// TestAppendPoint checks that a full history keeps its sums.
func TestAppendPoint(t *testing.T) {
	var points []Point
	for i := range 3 * maxPoints {
		points = appendPoint(points, Point{At: time.Duration(i+1) * interval, Over: interval, Size: 2, Messages: 3,
			Latency: 7})
		if i == maxPoints && len(points) != maxPoints/2+1 {
			t.Errorf("%d points after one too many", len(points))
		}
	}
	var over time.Duration
	messages := uint64(0)
	for i := range points {
		over, messages = over+points[i].Over, messages+points[i].Messages
		if points[i].Latency != 7 {
			t.Fatalf("point %d has latency %d", i, points[i].Latency)
		}
	}
	if len(points) > maxPoints || over != 3*maxPoints*interval || messages != 9*maxPoints {
		t.Errorf("%d points over %v with %d messages", len(points), over, messages)
	}
}
