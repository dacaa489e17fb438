// Package sample is what the test of the mutations changes.
package sample

// Larger returns the larger of two numbers.
func Larger(a, b int) int {
	if a > b {
		return a
	}
	return b
}

// Sum adds two numbers.
func Sum(a, b int) int { return a + b }

func text(a, b string) string { return a + b }
