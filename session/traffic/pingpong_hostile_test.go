package traffic

import (
	"strings"
	"testing"

	"rdmatui/verbs"
)

// TestSlotOfAnother: a completion with a wr_id that none of the runner's RECVs has is an error.
func TestSlotOfAnother(t *testing.T) {
	p := &pinger{recvs: make([]verbs.RecvWR, 3)}
	for _, slot := range []uint64{0, 4, 1 << 63} {
		if err := p.nextInSlot(slot); err == nil || !strings.Contains(err.Error(), "was not posted by pingpong") {
			t.Errorf("RECV %d: %v", slot, err)
		}
	}
}
