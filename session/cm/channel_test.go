package cm

import (
	"net/netip"
	"testing"

	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// TestRequestsInTurn: a peer with many connection requests does not delay another's, and other events keep their order.
func TestRequestsInTurn(t *testing.T) {
	var b cmInbox
	put := func(typ verbs.CMEventType, host byte, port uint16) {
		b.put(&arriving{CMEvent: timeline.CMEvent{Type: typ,
			Peer: netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, host}), port)}})
	}
	for port := range uint16(5) {
		put(verbs.CMConnectRequest, 1, port)
	}
	put(verbs.CMConnectRequest, 2, 0)
	put(verbs.CMDisconnected, 1, 9)
	any := func(*arriving) bool { return true }
	for _, want := range []string{"192.0.2.1:0", "192.0.2.2:0", "192.0.2.1:1", "192.0.2.1:2", "192.0.2.1:3",
		"192.0.2.1:4", "192.0.2.1:9"} {
		e, _ := b.get(any)
		if e == nil || e.Peer.String() != want {
			t.Fatalf("got %v, want the request of %s", e, want)
		}
	}
	if e, more := b.get(any); e != nil || more == nil {
		t.Errorf("got %v from an empty inbox", e)
	}
}

// TestInboxMovesWhatConcerns: an identifier's events move with it to another channel, in order, and other events stay.
func TestInboxMovesWhatConcerns(t *testing.T) {
	var from, to cmInbox
	id, other := &ID{}, &ID{}
	put := func(id, listen *ID, status int) {
		from.put(&arriving{CMEvent: timeline.CMEvent{Type: verbs.CMDisconnected, Status: status},
			id: id, listen: listen})
	}
	put(id, nil, 1)
	put(other, nil, 2)
	put(other, id, 3)
	put(id, nil, 4)
	from.moveTo(&to, id)
	if from.Len() != 1 || to.Len() != 3 {
		t.Fatalf("%d stayed and %d moved", from.Len(), to.Len())
	}
	for _, want := range []int{1, 3, 4} {
		if e, _ := to.get(func(*arriving) bool { return true }); e.Status != want {
			t.Errorf("got %d, want %d", e.Status, want)
		}
	}
}
