// Package format formats durations, counts and sizes for people, the same way
// everywhere.
package format

import (
	"math"
	"strconv"
	"time"
)

// spanUnits lists each unit with the limit from which the next larger one is used: a
// value that rounds to 1000 is 1 of the next.
var spanUnits = []struct {
	limit, unit time.Duration
	name        string
}{
	{time.Microsecond, time.Nanosecond, " ns"},
	{999500 * time.Nanosecond, time.Microsecond, " µs"},
	{999500 * time.Microsecond, time.Millisecond, " ms"},
}

// AppendSpan appends a duration for people, with three significant digits and its unit:
// "72.6 µs", "1 s". Whole seconds are not rounded.
func AppendSpan(dst []byte, d time.Duration) []byte {
	if d < 0 {
		return AppendSpan(append(dst, '-'), -max(d, -math.MaxInt64)) // the least duration has no opposite
	}
	for _, u := range spanUnits {
		if d < u.limit {
			return append(appendThree(dst, float64(d)/float64(u.unit)), u.name...)
		}
	}
	return append(appendThree(dst, d.Seconds()), " s"...)
}

// Span returns the text of [AppendSpan].
func Span(d time.Duration) string { return string(AppendSpan(nil, d)) }

// appendThree appends three significant digits without trailing zeros, and all digits
// before the decimal point.
func appendThree(dst []byte, v float64) []byte {
	if v >= 999.5 {
		return strconv.AppendFloat(dst, v, 'f', 0, 64)
	}
	return strconv.AppendFloat(dst, v, 'g', 3, 64)
}
