// Package sample is what the test of the mutations changes.
package sample

import "time"

// Larger returns the larger of two numbers.
func Larger(a, b int) int {
	if a > b {
		return a
	}
	return b
}

// Sum adds numbers.
func Sum(first int, more ...int) (sum int) {
	sum = first
	for i := 0; i < len(more); i++ {
		sum += more[i]
	}
	return sum
}

func text(a, b string) string { return a + b }

// Late is past a second, and reports it.
func Late(d time.Duration, report func()) bool {
	if late := d > 1*time.Second && true; late {
		report()
		return true
	}
	return false
}

// Mebibytes has a constant whose parts have another type.
func Mebibytes(bytes int) float64 { return float64(bytes) / float64(1<<20) }

// String is for people: it stays as it is.
func (n number) String() string { return "a" + "b" }

type number int
