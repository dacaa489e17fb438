package format

import (
	"math"
	"testing"
)

func TestSize(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "0 B", 1023: "1023 B", 1024: "1 KiB", 1536: "1.5 KiB", 1<<30 - 1: "1023 MiB", 1 << 30: "1 GiB",
		100<<20 + 900<<10: "100 MiB", math.MaxUint64: "16 EiB",
	} {
		if got := Size(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
