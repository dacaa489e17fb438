package cm

import (
	"errors"
	"net/netip"
	"testing"

	"rdmatui/verbs"
)

// TestAddrInfoByFamily: without a node, the address is this host's, or any local one if passive.
func TestAddrInfoByFamily(t *testing.T) {
	for _, tt := range []struct {
		node   string
		flags  verbs.AddrInfoFlags
		family verbs.AddrFamily
		want   string
		err    error
	}{
		{"", 0, verbs.FamilyUnspec, "127.0.0.1", nil},
		{"", 0, verbs.FamilyInet, "127.0.0.1", nil},
		{"", 0, verbs.FamilyInet6, "::1", nil},
		{"", verbs.AddrInfoPassive, verbs.FamilyUnspec, "0.0.0.0", nil},
		{"", verbs.AddrInfoPassive, verbs.FamilyInet6, "::", nil},
		{"2001:db8::2", 0, verbs.FamilyUnspec, "2001:db8::2", nil},
		{"2001:db8::2", 0, verbs.FamilyInet, "", verbs.AddrInfoAddrFamily},
		{"10.9.0.2", 0, verbs.FamilyInet6, "", verbs.AddrInfoAddrFamily},
		{"10.9.0.2", verbs.AddrInfoNumericHost, verbs.FamilyUnspec, "10.9.0.2", nil},
		{"localhost", 0, verbs.FamilyInet, "127.0.0.1", nil},
		{"localhost", verbs.AddrInfoNumericHost, verbs.FamilyUnspec, "", verbs.AddrInfoNoName},
	} {
		got, err := GetAddrInfo(t.Context(), tt.node, "7", verbs.AddrInfoHints{Flags: tt.flags, Family: tt.family})
		if tt.err != nil {
			if !errors.Is(err, tt.err) {
				t.Errorf("%+v: %v", tt, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		at, family := netip.AddrPortFrom(netip.MustParseAddr(tt.want), 7), verbs.FamilyInet
		if at.Addr().Is6() {
			family = verbs.FamilyInet6
		}
		src, dst := netip.AddrPort{}, at
		if tt.flags&verbs.AddrInfoPassive != 0 {
			src, dst = dst, src
		}
		if got[0].Src != src || got[0].Dst != dst || got[0].Family != family {
			t.Errorf("%+v: %+v", tt, got[0])
		}
	}
}

// TestAddrInfoNetworks: queue pair type and port space complete each other, and must match.
func TestAddrInfoNetworks(t *testing.T) {
	for _, tt := range []struct {
		typ       verbs.QPType
		space     verbs.CMPortSpace
		wantTyp   verbs.QPType // 0: refused
		wantSpace verbs.CMPortSpace
	}{
		{0, 0, verbs.RC, verbs.PortSpaceTCP},
		{verbs.UC, 0, verbs.UC, verbs.PortSpaceTCP},
		{0, verbs.PortSpaceIPoIB, verbs.UD, verbs.PortSpaceIPoIB},
		{0, verbs.PortSpaceIB, verbs.RC, verbs.PortSpaceIB},
		{verbs.UD, verbs.PortSpaceIB, verbs.UD, verbs.PortSpaceIB},
		{verbs.RC, verbs.PortSpaceUDP, 0, 0},
		{0, 77, 0, 0},
		{verbs.RC, 77, 0, 0},
	} {
		got, err := GetAddrInfo(t.Context(), "10.9.0.2", "", verbs.AddrInfoHints{QPType: tt.typ, PortSpace: tt.space})
		if tt.wantTyp == 0 {
			if !errors.Is(err, verbs.AddrInfoSockType) {
				t.Errorf("%+v: %+v, %v", tt, got, err)
			}
		} else if err != nil || got[0].QPType != tt.wantTyp || got[0].PortSpace != tt.wantSpace {
			t.Errorf("%+v: %+v, %v", tt, got, err)
		}
	}
}
