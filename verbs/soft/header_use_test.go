package soft

import (
	"slices"
	"testing"
)

// TestHeaderUse: headers are asked for from the first user on, and no more after the last.
func TestHeaderUse(t *testing.T) {
	var u headerUse
	var told []bool
	for _, n := range []int{0, 1, 2, 0, -2, -1, 0, 3, -3} {
		u.add(n, func(on bool) { told = append(told, on) })
	}
	if want := []bool{true, false, true, false}; !slices.Equal(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
	u.add(1, nil) // a carrier that has no headers to show
}
