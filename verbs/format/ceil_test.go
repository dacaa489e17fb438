package format

import (
	"math"
	"testing"
)

func TestCeil(t *testing.T) {
	for v, want := range map[float64]float64{0: 1, -1: 1, 0.3: 0.3, 1: 1, 1.1: 1.5, 20: 20, 21: 30, 812: 1000,
		math.Inf(1): 1} {
		if got := Ceil(v); math.Abs(got-want) > want*1e-9 {
			t.Errorf("above %v is %v, want %v", v, got, want)
		}
	}
}
