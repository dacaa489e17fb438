package race

import "testing"

// The test run finds the tests that call these functions by their names, and runs them whole, without the race
// detector, in its stage world.

// Needless skips a test with one goroutine under the race detector, which has nothing to find there.
func Needless(tb testing.TB) {
	tb.Helper()
	if Enabled {
		tb.Skip("has one goroutine: runs without the race detector (make world)")
	}
}

// Sample returns the first n of all under the race detector, otherwise all.
func Sample[T any](all []T, n int) []T {
	if Enabled {
		return all[:n]
	}
	return all
}

// Fewer returns few under the race detector, otherwise all.
func Fewer(all, few int) int {
	if Enabled {
		return few
	}
	return all
}
