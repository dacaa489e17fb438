package device

import (
	"net/netip"
	"slices"
	"testing"

	"rdmatui/session/core"
	"rdmatui/verbs"
)

// TestAddrs: a server listens on the addresses of its own port's GIDs, each once, a link-local one with its
// interface.
func TestAddrs(t *testing.T) {
	row := func(port uint8, index int, addr, netdev string) verbs.GIDEntry {
		gid := verbs.GIDFromAddr(netip.MustParseAddr(addr))
		return verbs.GIDEntry{PortNum: port, Index: index, GID: gid, Netdev: netdev}
	}
	rows := []verbs.GIDEntry{row(1, 0, "fe80::1", "eth0"), row(1, 1, "fe80::1", "eth1"), row(1, 2, "10.0.0.1", "eth0"),
		row(1, 3, "10.0.0.1", "eth1"), row(2, 0, "10.0.0.2", "eth2"), {PortNum: 1, Index: 4},
		row(1, 5, "2001:db8::1", "eth0")}
	want := []string{"fe80::1%eth0", "fe80::1%eth1", "10.0.0.1", "2001:db8::1"}
	d := &Device{Ports: []verbs.PortAttr{{LinkLayer: verbs.LinkEthernet}, {}}, GIDs: GIDTable{Rows: rows}}
	var got []string
	for _, addr := range d.Addrs(&core.Session{}, 1) {
		got = append(got, addr.String())
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	d.Ports[0].LinkLayer = verbs.LinkInfiniBand
	if got := d.Addrs(&core.Session{}, 1); got != nil {
		t.Errorf("on InfiniBand: %v", got)
	}
}
