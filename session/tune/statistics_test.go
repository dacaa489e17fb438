package tune

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
)

func TestSummarize(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		want   Summary
	}{
		{[]float64{3}, Summary{3, 3, 3}},
		{[]float64{4, 2}, Summary{3, 2.5, 3.5}},
		{[]float64{5, 1, 3, 2, 4}, Summary{3, 2, 4}},
		{[]float64{1, 1, 1, 1000}, Summary{1, 1, 250.75}},
	} {
		before := slices.Clone(tt.values)
		if got := summarize(tt.values); got != tt.want || !slices.Equal(tt.values, before) {
			t.Errorf("%v: %+v, want %+v", before, got, tt.want)
		}
	}
}

// TestStrays checks the sign test's limits against the sum of binomial probabilities.
func TestStrays(t *testing.T) {
	for _, tt := range []struct{ n, want int }{{1, -1}, {7, -1}, {8, 0}, {9, 0}, {11, 0}, {12, 1}, {13, 1}, {25, 5},
		{41, 11}} {
		if got := strays(tt.n); got != tt.want {
			t.Errorf("%d: %d, want %d", tt.n, got, tt.want)
		}
	}
}

// turns returns n values around 100 times a factor, each off by at most a share.
func turns(n int, factor, off float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = 100 * factor * (1 + off*math.Sin(float64(7*i)))
	}
	return values
}

func TestCompare(t *testing.T) {
	drift := func(values []float64) []float64 {
		for i := range values {
			values[i] *= 1 + float64(i)/4 // the host becomes slower
		}
		return values
	}
	equal := turns(13, 1.5, 0)
	copy(equal, turns(3, 1, 0))
	mixed := turns(13, 1.3, 0)
	copy(mixed, turns(4, 0.9, 0))
	for _, tt := range []struct {
		name          string
		without, with []float64
		less          bool
		want          Verdict
		unclear       bool
	}{
		{"equal", turns(13, 1, 0), turns(13, 1, 0), false, Same, false},
		{"noise alone", turns(13, 1, 0.2), turns(13, 1.01, -0.2), false, Same, true},
		{"more is better", turns(13, 1, 0.02), turns(13, 1.5, 0.02), false, Better, false},
		{"more is worse", turns(13, 1, 0.02), turns(13, 1.5, 0.02), true, Worse, false},
		{"less is better", turns(13, 1, 0.02), turns(13, 0.5, 0.02), true, Better, false},
		{"less is worse", turns(13, 1, 0.02), turns(13, 0.5, 0.02), false, Worse, false},
		{"real but small", turns(13, 1, 0), turns(13, 1.1, 0), false, Same, true},
		{"just beyond the margin", turns(13, 1, 0), turns(13, 1.2, 0), false, Better, true},
		{"large, with exceptions", turns(13, 1, 0), mixed, false, Same, true},
		{"large, or none at all", turns(13, 1, 0), equal, false, Better, false},
		{"too few turns", turns(7, 1, 0), turns(7, 3, 0), false, Same, true},
		{"slow drift", drift(turns(13, 1, 0.01)), drift(turns(13, 2, 0.01)), false, Better, false},
		{"nothing counted", make([]float64, 13), make([]float64, 13), true, Same, false},
		{"nothing counted without", make([]float64, 13), turns(13, 1, 0), true, Worse, false},
		{"nothing counted with", turns(13, 1, 0), make([]float64, 13), true, Better, false},
		{"a turn short", turns(14, 1, 0), turns(13, 2, 0), false, Better, false},
	} {
		c := compare(tt.without, tt.with, tt.less)
		if c.verdict != tt.want || c.unclear != tt.unclear {
			t.Errorf("%s: %s, unclear %v, change %+v, want %s, %v", tt.name, c.verdict, c.unclear, c.change, tt.want,
				tt.unclear)
		}
		if _, err := json.Marshal(c.change); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// TestChange: the difference is that of the ratios of the turns, with its quartiles.
func TestChange(t *testing.T) {
	c := compare([]float64{100, 200, 50, 100, 10}, []float64{90, 200, 55, 120, 13}, true)
	for name, tt := range map[string][2]float64{"median": {c.change.Median, 0.1},
		"lower quartile": {c.change.LowerQuartile, 0}, "upper quartile": {c.change.UpperQuartile, 0.2}} {
		if math.Abs(tt[0]-tt[1]) > 1e-9 {
			t.Errorf("%s: %g, want %g", name, tt[0], tt[1])
		}
	}
}
