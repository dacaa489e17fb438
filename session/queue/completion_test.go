package queue

import (
	"testing"

	"rdmatui/session/timeline"
)

func TestInboxDropsTheOldest(t *testing.T) {
	var b inbox
	batch := make([]timeline.Completion, 1000)
	for i := range 3 * inboxCap / 1000 {
		for j := range batch {
			batch[j].WC.WRID = uint64(i*1000 + j)
		}
		b.Push(batch)
	}
	total := uint64(3 * inboxCap / 1000 * 1000)
	if b.Len() != inboxCap {
		t.Errorf("%d kept", b.Len())
	}
	got := b.Pop(nil, 2)
	if len(got) != 2 || got[0].WC.WRID != total-inboxCap || got[1].WC.WRID != total-inboxCap+1 {
		t.Errorf("%+v", got)
	}
}
