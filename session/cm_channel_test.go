package session

import (
	"net/netip"
	"testing"

	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// TestRequestsInTurn: a peer with many connection requests does not keep another's waiting, and other events keep their order.
func TestRequestsInTurn(t *testing.T) {
	var b cmInbox
	put := func(typ verbs.CMEventType, host byte, port uint16) {
		b.put(&arriving{CMEvent: timeline.CMEvent{Type: typ, Peer: netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, host}), port)}})
	}
	for port := range uint16(5) {
		put(verbs.CMConnectRequest, 1, port)
	}
	put(verbs.CMConnectRequest, 2, 0)
	put(verbs.CMDisconnected, 1, 9)
	any := func(*arriving) bool { return true }
	for _, want := range []string{"192.0.2.1:0", "192.0.2.2:0", "192.0.2.1:1", "192.0.2.1:2", "192.0.2.1:3", "192.0.2.1:4", "192.0.2.1:9"} {
		e, _ := b.get(any)
		if e == nil || e.Peer.String() != want {
			t.Fatalf("%v came, want the request of %s", e, want)
		}
	}
	if e, more := b.get(any); e != nil || more == nil {
		t.Errorf("%v came of nothing", e)
	}
}
