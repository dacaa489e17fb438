package format

import (
	"math"
	"testing"
	"time"
)

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 ns", 1: "1 ns", 999: "999 ns", 1000: "1 µs", 2130: "2.13 µs", 2100: "2.1 µs", 72583: "72.6 µs",
		999499: "999 µs", 999500: "1 ms", time.Millisecond: "1 ms", 12345678: "12.3 ms", 999499999: "999 ms",
		999500000: "1 s", time.Second: "1 s", 1234567891: "1.23 s",
		90 * time.Second: "90 s", time.Hour: "3600 s", 12345 * time.Second: "12345 s",
		-1500: "-1.5 µs", math.MaxInt64: "9223372037 s",
		math.MinInt64: "-9223372037 s",
	} {
		if got := Span(d); got != want {
			t.Errorf("%d ns: %q, want %q", int64(d), got, want)
		}
	}
}

func TestAppendSpanDoesNotAllocate(t *testing.T) {
	buf := make([]byte, 0, 64)
	if n := testing.AllocsPerRun(100, func() { buf = AppendSpan(buf[:0], 72583) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
