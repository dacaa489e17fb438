package cm

import (
	"net/netip"
	"testing"

	"rdmatui/session/core"
	"rdmatui/verbs"
)

// providersID is an identifier of the provider.
type providersID struct{ verbs.CMID }

func (*providersID) PortSpace() verbs.CMPortSpace { return verbs.PortSpaceTCP }
func (*providersID) Device() verbs.Device         { return nil }
func (*providersID) PortNum() uint8               { return 0 }
func (*providersID) LocalAddr() netip.AddrPort    { return netip.AddrPort{} }
func (*providersID) PeerAddr() netip.AddrPort     { return netip.AddrPort{} }
func (*providersID) QP() verbs.QP                 { return nil }

// TestNewIdentifier: only a connection request adds an identifier, and only if the session does not have it yet. A late
// event of a destroyed identifier adds none.
func TestNewIdentifier(t *testing.T) {
	none, unknown, known := verbs.CMID(nil), &providersID{}, &providersID{}
	for _, tt := range []struct {
		name  string
		event verbs.CMEventType
		id    verbs.CMID
		adds  int
	}{
		{"a request", verbs.CMConnectRequest, unknown, 1},
		{"a request without an identifier", verbs.CMConnectRequest, none, 0},
		{"a request of an identifier that the session has", verbs.CMConnectRequest, known, 0},
		{"the end of a connection", verbs.CMDisconnected, known, 0},
		{"the end of a connection whose identifier is gone", verbs.CMDisconnected, unknown, 0},
		{"an event of no identifier", verbs.CMAddrChange, none, 0},
	} {
		s := core.New(core.Options{}, core.Wiring{
			Record: func(*core.Session) core.Recorder { return nil },
			Close:  func(*core.Session) error { return nil },
		})
		ec := &EventChannel{Node: &core.Node{Name: "events"}}
		have := &ID{Node: &core.Node{Name: "have"}, ID: known, ec: ec}
		managerOf(s).ids[known] = have
		came(s, ec, verbs.CMEvent{Type: tt.event, ID: tt.id})
		if n := len(s.Graph.Nodes); n != tt.adds || len(managerOf(s).ids) != 1+tt.adds {
			t.Errorf("%s: %d objects, %d identifiers", tt.name, n, len(managerOf(s).ids))
		}
		s.Graph = core.Graph{} // these identifiers cannot be destroyed
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
