package cm

import (
	"errors"
	"net/netip"
	"syscall"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
)

// TestCMPortsUsedUp takes ports until none is left: each is in the range, none is assigned twice, and a released one is
// assigned again.
func TestCMPortsUsedUp(t *testing.T) {
	next := uint64(0)
	ports, random := portTable{}, &object.Random{Next: func() uint64 { next++; return next << 32 }}
	ids := map[uint16]*ID{}
	take := func(space verbs.CMPortSpace) (uint16, error) {
		id := &ID{space: space}
		port, err := ports.take(id, 0, random)
		id.local = netip.AddrPortFrom(netip.IPv4Unspecified(), port)
		if err == nil && space == verbs.PortSpaceTCP {
			if port < firstFreePort || port > lastFreePort || ids[port] != nil {
				t.Fatalf("port %d", port)
			}
			ids[port] = id
		}
		return port, err
	}
	for range lastFreePort - firstFreePort + 1 {
		if _, err := take(verbs.PortSpaceTCP); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := take(verbs.PortSpaceTCP); !errors.Is(err, syscall.EADDRNOTAVAIL) {
		t.Errorf("one port too many: %v", err)
	}
	if _, err := take(verbs.PortSpaceUDP); err != nil {
		t.Errorf("in another port space: %v", err)
	}
	for _, port := range []uint16{firstFreePort, 40000, lastFreePort} {
		ports.release(ids[port])
		delete(ids, port)
		if got, err := take(verbs.PortSpaceTCP); got != port || err != nil {
			t.Errorf("port %d, %v, want %d", got, err, port)
		}
	}
}

// TestCMListener puts several listeners on one port: one on the address itself takes precedence over those on all
// addresses.
func TestCMListener(t *testing.T) {
	key := portKey{verbs.PortSpaceTCP, 5}
	own, other := netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("127.0.0.2")
	at := func(addr netip.Addr, state idState, onlyFamily bool) *ID {
		return &ID{space: key.space, local: netip.AddrPortFrom(addr, key.port), state: state, onlyFamily: onlyFamily}
	}
	any4, any6 := at(netip.IPv4Unspecified(), idListening, false), at(netip.IPv6Unspecified(), idListening, false)
	only6, at1, bound := at(netip.IPv6Unspecified(), idListening, true), at(own, idListening, false),
		at(own, idBound, false)
	for name, tt := range map[string]struct {
		ids  []*ID
		dst  netip.Addr
		want *ID
	}{
		"nobody":                        {nil, own, nil},
		"the address":                   {[]*ID{at1}, own, at1},
		"another address":               {[]*ID{at1}, other, nil},
		"bound only":                    {[]*ID{bound}, own, nil},
		"bound before all addresses":    {[]*ID{bound, any4}, own, any4},
		"all addresses":                 {[]*ID{any4}, own, any4},
		"all addresses of IPv6 as well": {[]*ID{any6}, own, any6},
		"all addresses of IPv6 only":    {[]*ID{only6}, own, nil},
		"IPv6 only, to IPv6":            {[]*ID{only6}, netip.IPv6Loopback(), only6},
		"the address, then all":         {[]*ID{at1, any4}, own, at1},
		"all, then the address":         {[]*ID{any4, at1}, own, at1},
	} {
		if got := (portTable{key: tt.ids}).listener(key, tt.dst); got != tt.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestCMPortShared asks for a port that is in use.
func TestCMPortShared(t *testing.T) {
	key := portKey{verbs.PortSpaceTCP, 5}
	own, any4, any6 := netip.MustParseAddr("127.0.0.1"), netip.IPv4Unspecified(), netip.IPv6Unspecified()
	for name, tt := range map[string]struct {
		has, wants ID
		reuse      bool // of the requester
		want       error
	}{
		"another address": {ID{local: netip.AddrPortFrom(own, 5)},
			ID{local: netip.AddrPortFrom(own.Next(), 5)}, false, nil},
		"the same address": {ID{local: netip.AddrPortFrom(own, 5)},
			ID{local: netip.AddrPortFrom(own, 5)}, false, syscall.EADDRINUSE},
		"its holder has all addresses": {ID{local: netip.AddrPortFrom(any4, 5)},
			ID{local: netip.AddrPortFrom(own, 5)}, false, syscall.EADDRNOTAVAIL},
		"all addresses are wanted": {ID{local: netip.AddrPortFrom(own, 5)},
			ID{local: netip.AddrPortFrom(any4, 5)}, false, syscall.EADDRNOTAVAIL},
		"two families": {ID{local: netip.AddrPortFrom(any6, 5)},
			ID{local: netip.AddrPortFrom(any4, 5)}, false, syscall.EADDRNOTAVAIL},
		"two families, both of their own only": {ID{local: netip.AddrPortFrom(any6, 5), onlyFamily: true},
			ID{local: netip.AddrPortFrom(any4, 5), onlyFamily: true}, false, nil},
		"two families, the holder of its own only": {ID{local: netip.AddrPortFrom(any6, 5), onlyFamily: true},
			ID{local: netip.AddrPortFrom(any4, 5)}, false, syscall.EADDRNOTAVAIL},
		"two families, the requester of its own only": {ID{local: netip.AddrPortFrom(any6, 5)},
			ID{local: netip.AddrPortFrom(any4, 5), onlyFamily: true}, false, syscall.EADDRNOTAVAIL},
		"one family, both of it only": {ID{local: netip.AddrPortFrom(any4, 5), onlyFamily: true},
			ID{local: netip.AddrPortFrom(any4, 5), onlyFamily: true}, false, syscall.EADDRNOTAVAIL},
		"both allow it": {ID{local: netip.AddrPortFrom(own, 5), reuse: true},
			ID{local: netip.AddrPortFrom(own, 5)}, true, nil},
		"the holder does not allow it": {ID{local: netip.AddrPortFrom(own, 5)},
			ID{local: netip.AddrPortFrom(own, 5)}, true, syscall.EADDRINUSE},
		"the requester does not allow it": {ID{local: netip.AddrPortFrom(own, 5), reuse: true},
			ID{local: netip.AddrPortFrom(own, 5)}, false, syscall.EADDRINUSE},
		"both allow it, but one listens": {ID{local: netip.AddrPortFrom(own, 5), reuse: true,
			state: idListening}, ID{local: netip.AddrPortFrom(own, 5)}, true, syscall.EADDRINUSE},
	} {
		if err := (portTable{key: {&tt.has}}).check(&tt.wants, key, tt.reuse); err != tt.want {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
	same := &ID{local: netip.AddrPortFrom(own, 5)}
	if err := (portTable{key: {same}}).check(same, key, false); err != nil {
		t.Errorf("its own port: %v", err)
	}
}
