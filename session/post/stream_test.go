package post

import (
	"testing"

	"rdmatui/verbs"
)

// TestNextRequests: how many requests of a stream are next, and which of them are SIGNALED.
func TestNextRequests(t *testing.T) {
	for _, tt := range []struct {
		count, posted, every, n uint64
		flags                   verbs.SendFlags
		want                    string // a letter for each: s if it is SIGNALED
	}{
		{1, 0, 0, 5, 0, "-"}, {3, 0, 0, 5, 0, "---"}, {3, 2, 0, 5, 0, "-"}, {3, 0, 0, 2, 0, "--"},
		{0, 7, 0, 2, 0, "--"}, {3, 3, 0, 2, 0, ""},
		{3, 0, 0, 5, verbs.SendSignaled, "sss"}, {5, 0, 2, 5, verbs.SendSignaled, "-s-ss"}, {5, 1, 2, 2, 0, "s-"},
		{0, 0, 3, 4, 0, "--s-"}, {3, 0, 1, 5, 0, "sss"},
	} {
		s := &stream{count: tt.count, posted: tt.posted, every: tt.every}
		s.wr.WRID, s.wr.SendFlags = 100, tt.flags|verbs.SendFence
		got := ""
		for i, wr := range s.next(tt.n) {
			if wr.WRID != 100+tt.posted+uint64(i) || wr.SendFlags&verbs.SendFence == 0 {
				t.Errorf("%+v: wr_id %d, %s", tt, wr.WRID, wr.SendFlags)
			}
			if wr.SendFlags&verbs.SendSignaled != 0 {
				got += "s"
			} else {
				got += "-"
			}
		}
		if got != tt.want {
			t.Errorf("%+v: %s", tt, got)
		}
	}
	if n := len((&stream{}).next(2 * maxPostBatch)); n != maxPostBatch {
		t.Errorf("%d requests at once", n)
	}
}
