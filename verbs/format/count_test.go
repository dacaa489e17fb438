package format

import "testing"

func TestCount(t *testing.T) {
	for n, want := range map[uint64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567",
		1<<64 - 1: "18,446,744,073,709,551,615"} {
		if got := Count(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

func TestCounted(t *testing.T) {
	for _, tt := range []struct {
		n          uint64
		noun, want string
	}{
		{0, "byte", "0 bytes"}, {1, "byte", "1 byte"}, {4096, "byte", "4,096 bytes"},
		{1, "entry", "1 entry"}, {2, "entry", "2 entries"}, {2, "success", "2 successes"},
		{3, "queue pair", "3 queue pairs"},
	} {
		if got := Counted(tt.n, tt.noun); got != tt.want {
			t.Errorf("%d %s: %s, want %s", tt.n, tt.noun, got, tt.want)
		}
	}
}
