package sessiontest

import (
	"net/netip"

	"rdmatui/verbs"
)

// AddrSays returns the provider's results in the tests.
func AddrSays() []verbs.AddrInfo {
	return []verbs.AddrInfo{
		{Family: verbs.FamilyInet, QPType: verbs.RC, PortSpace: verbs.PortSpaceTCP,
			Dst: netip.MustParseAddrPort("10.0.0.2:7471"), DstCanonName: "server.example"},
		{Family: verbs.FamilyIB, PortSpace: verbs.PortSpaceTCP, Src: netip.MustParseAddrPort("[fe80::1]:0"),
			Dst: netip.MustParseAddrPort("[fe80::2]:7471"), RouteLen: 72, ConnectLen: 36},
	}
}
