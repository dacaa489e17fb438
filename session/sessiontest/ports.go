package sessiontest

import (
	"net/netip"
	"testing"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/verbs"
	"rdmatui/verbs/route"
)

// Card makes a fake with these ports. Ethernet ports have the RoCE v2 GID 10.9.PORT.1
// in row 1; InfiniBand ports have their GID in row 0, odd ones in a different subnet.
func Card(t *testing.T, ports ...verbs.PortAttr) (*session.Session, *Fake) {
	s, f := NewFaked(t, core.Options{Network: &route.Network{}})
	f.Ports = ports
	for i, p := range ports {
		e := verbs.GIDEntry{
			PortNum: uint8(i + 1), GID: verbs.GID{0: 0xfe, 1: 0x80, 7: byte(i), 15: byte(p.LID)}, Type: verbs.GIDTypeIB,
		}
		if p.LinkLayer == verbs.LinkEthernet {
			e.Index, e.GID, e.Type = 1, verbs.GIDFromAddr(netip.AddrFrom4([4]byte{10, 9, byte(i + 1), 1})),
				verbs.GIDTypeRoCEv2
		}
		f.Gids = append(f.Gids, e)
	}
	return s, f
}

// GID returns a row of the GID table.
func (f *Fake) GID(port uint8, index int) verbs.GID {
	for _, e := range f.Gids {
		if e.PortNum == port && e.Index == index {
			return e.GID
		}
	}
	return verbs.GID{}
}
