package devices

import "testing"

func TestLimitKiB(t *testing.T) {
	for limit, want := range map[uint64]string{0: "0 KiB", 65536: "64 KiB", 8 << 20: "8192 KiB", Unlimited: "unlimited",
		Unlimited - 1: "18014398509481983 KiB"} {
		if got := limitKiB(limit); got != want {
			t.Errorf("%d is %q, want %q", limit, got, want)
		}
	}
}
