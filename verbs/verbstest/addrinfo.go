package verbstest

import (
	"context"
	"errors"
	"net/netip"
	"syscall"
	"testing"

	"rdmatui/verbs"
)

// testAddrInfo needs no device and no name server: its queries contain only numeric
// addresses and ports.
func testAddrInfo(t *testing.T, b *bench) {
	p, ok := b.env.Provider.(verbs.CMProvider)
	if !ok {
		t.Fatalf("%s has no connection manager", b.env.Provider.Name())
	}
	v4, v6 := netip.MustParseAddrPort("10.9.0.2:7471"), netip.MustParseAddrPort("[2001:db8::2]:7471")
	tcp := verbs.AddrInfo{Family: verbs.FamilyInet, QPType: verbs.RC, PortSpace: verbs.PortSpaceTCP, Dst: v4}
	with := func(change func(*verbs.AddrInfo)) verbs.AddrInfo {
		info := tcp
		change(&info)
		return info
	}
	passive := func(i *verbs.AddrInfo) { i.Flags, i.Src, i.Dst = verbs.AddrInfoPassive, v4, netip.AddrPort{} }
	for name, tt := range map[string]struct {
		node, service string
		hints         verbs.AddrInfoHints
		want          verbs.AddrInfo
	}{
		"no hints": {"10.9.0.2", "7471", verbs.AddrInfoHints{}, tcp},
		"no service": {"10.9.0.2", "", verbs.AddrInfoHints{}, with(func(i *verbs.AddrInfo) {
			i.Dst = netip.AddrPortFrom(v4.Addr(), 0)
		})},
		"IPv6": {"2001:db8::2", "7471",
			verbs.AddrInfoHints{Flags: verbs.AddrInfoNumericHost, Family: verbs.FamilyInet6},
			with(func(i *verbs.AddrInfo) { i.Family, i.Dst = verbs.FamilyInet6, v6 })},
		"passive": {"10.9.0.2", "7471", verbs.AddrInfoHints{Flags: verbs.AddrInfoPassive}, with(passive)},
		"any address of one's own": {"", "7471",
			verbs.AddrInfoHints{Flags: verbs.AddrInfoPassive, Family: verbs.FamilyInet},
			with(func(i *verbs.AddrInfo) { passive(i); i.Src = netip.MustParseAddrPort("0.0.0.0:7471") })},
		"this host": {"", "7471", verbs.AddrInfoHints{Family: verbs.FamilyInet},
			with(func(i *verbs.AddrInfo) { i.Dst = netip.MustParseAddrPort("127.0.0.1:7471") })},
		"datagrams, by port space": {"10.9.0.2", "7471", verbs.AddrInfoHints{PortSpace: verbs.PortSpaceUDP},
			with(func(i *verbs.AddrInfo) { i.QPType, i.PortSpace = verbs.UD, verbs.PortSpaceUDP })},
		"datagrams, by queue pair": {"10.9.0.2", "7471", verbs.AddrInfoHints{QPType: verbs.UD},
			with(func(i *verbs.AddrInfo) { i.QPType, i.PortSpace = verbs.UD, verbs.PortSpaceUDP })},
		"any service": {"10.9.0.2", "7471", verbs.AddrInfoHints{PortSpace: verbs.PortSpaceIB, QPType: verbs.RC},
			with(func(i *verbs.AddrInfo) { i.PortSpace = verbs.PortSpaceIB })},
		"a source": {"10.9.0.2", "7471",
			verbs.AddrInfoHints{Flags: verbs.AddrInfoNoRoute, Src: netip.MustParseAddrPort("10.9.0.1:5")},
			with(func(i *verbs.AddrInfo) { i.Src = netip.MustParseAddrPort("10.9.0.1:5") })},
		"hints alone": {"", "", verbs.AddrInfoHints{PortSpace: verbs.PortSpaceUDP, Src: v4},
			verbs.AddrInfo{PortSpace: verbs.PortSpaceUDP, Src: v4}},
	} {
		got, err := p.GetAddrInfo(t.Context(), tt.node, tt.service, tt.hints)
		if err != nil || len(got) != 1 || got[0] != tt.want {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, tt.want)
		}
	}
	testAddrInfoErrors(t, p)
}

func testAddrInfoErrors(t *testing.T, p verbs.CMProvider) {
	for name, tt := range map[string]struct {
		node, service string
		hints         verbs.AddrInfoHints
		want          error
	}{
		"a name where none may be": {"server.example", "", verbs.AddrInfoHints{Flags: verbs.AddrInfoNumericHost},
			verbs.AddrInfoNoName},
		"no such service": {"10.9.0.2", "no-such-service", verbs.AddrInfoHints{}, verbs.AddrInfoService},
		"UD with TCP": {"10.9.0.2", "1",
			verbs.AddrInfoHints{QPType: verbs.UD, PortSpace: verbs.PortSpaceTCP}, verbs.AddrInfoSockType},
		"IPv4 as IPv6": {"10.9.0.2", "1", verbs.AddrInfoHints{Family: verbs.FamilyInet6},
			verbs.AddrInfoAddrFamily},
		"IPv4 as a GID": {"10.9.0.2", "1", verbs.AddrInfoHints{Family: verbs.FamilyIB},
			verbs.AddrInfoAddrFamily},
		"no such family": {"10.9.0.2", "1", verbs.AddrInfoHints{Family: 99}, verbs.AddrInfoBadFamily},
		"nothing at all": {"", "", verbs.AddrInfoHints{}, syscall.EINVAL},
		"a NUL":          {"a\x00b", "", verbs.AddrInfoHints{}, syscall.EINVAL},
	} {
		got, err := p.GetAddrInfo(t.Context(), tt.node, tt.service, tt.hints)
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: %+v, %v; want %v", name, got, err, tt.want)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := p.GetAddrInfo(ended, "10.9.0.2", "1", verbs.AddrInfoHints{}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the last result: %+v, %v", got, err)
	}
}
