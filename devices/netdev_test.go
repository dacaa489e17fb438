package devices

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/route"
)

// TestPortNetdev: the netdev of the first GID comes before the one that the link was made on.
func TestPortNetdev(t *testing.T) {
	sys := plant(t, "rxe")
	dir := deviceDir("rxe0")
	sys.write(t, dir+"/ports/1/gid_attrs/ndevs/0", "d0.5\n")
	sys.write(t, netDir+"/d0.5/ifindex", "7\n")
	sys.write(t, dir+"/ports/2/state", "4: ACTIVE\n")
	for port, want := range map[uint8]string{1: "d0.5", 2: "d0"} {
		if got := portNetdev(sys, dir, port); got != want {
			t.Errorf("port %d is on %q, want %q", port, got, want)
		}
	}
}

// TestPortNetdevInPod: the table also shows rows of other network namespaces, whose netdevs are not visible
// here.
func TestPortNetdevInPod(t *testing.T) {
	sys := &fakeOS{tree: tree{t.TempDir()}}
	dir := deviceDir("rxe0")
	for i, name := range []string{"d0", "d0", "pod1", "mv0", "mv0"} {
		sys.write(t, fmt.Sprintf("%s/ports/1/gid_attrs/ndevs/%d", dir, i), name+"\n")
	}
	if got := portNetdev(sys, dir, 1); got != "d0" {
		t.Errorf("without any netdev here: %q", got)
	}
	sys.write(t, netDir+"/mv0/ifindex", "3\n")
	if got := portNetdev(sys, dir, 1); got != "mv0" {
		t.Errorf("in the namespace of mv0: %q", got)
	}
}

// TestUsualGID: the default row belongs to this network namespace.
func TestUsualGID(t *testing.T) {
	sys := &fakeOS{tree: tree{t.TempDir()}}
	sys.write(t, netDir+"/mv0/ifindex", "3\n")
	sys.addresses = map[int][]netip.Prefix{3: {netip.MustParsePrefix("10.9.0.77/24")}}
	row := func(index int, addr, netdev string) GID {
		return GID{Index: index, GID: gid(t, addr), Type: verbs.GIDTypeRoCEv2, Netdev: netdev}
	}
	d := &Detail{Ports: []Port{
		{PortAttr: verbs.PortAttr{PortNum: 1}, GIDs: []GID{row(1, "10.9.0.1", "d0"), row(4, "10.9.0.77", "mv0")}},
		{PortAttr: verbs.PortAttr{PortNum: 2}, GIDs: []GID{}},
	}}
	d.joinNetdevs(sys, "")
	if u := d.Ports[0].Usual; u.Index != 4 || u.Why != "the first row that is an IPv4 address" {
		t.Errorf("%+v", u)
	}
	if u := d.Ports[1].Usual; u != (route.ChosenGID{}) {
		t.Errorf("without a GID: %+v", u)
	}
}

// TestNetdevNames: on a card without GIDs only this device's interfaces are listed.
func TestNetdevNames(t *testing.T) {
	for _, tt := range []struct {
		name, gid, owner string
		want             []string
	}{
		{"the function's interface", "", "mlx5_0", []string{"enp5s0"}},
		{"another device's interface", "", "mlx5_1", nil},
		{"GIDs name theirs", "enp5s0.5", "mlx5_0", []string{"enp5s0.5"}},
	} {
		sys := plant(t, "cards")
		sys.onNetdev = map[string]string{"enp5s0": tt.owner}
		d := &Detail{DeviceInfo: verbs.DeviceInfo{Name: "mlx5_0"}, Ports: []Port{{GIDs: []GID{{Netdev: tt.gid}}}}}
		if got := d.netdevNames(sys, deviceDir("mlx5_0")); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	sys := plant(t, "rxe")
	if got := (&Detail{}).netdevNames(sys, deviceDir("rxe0")); !slices.Equal(got, []string{"d0"}) {
		t.Errorf("a link without GIDs: %q, want the netdev that it was made on", got)
	}
}

// TestGIDNetdevsOfInfiniBand: netdevs are read from sysfs only for Ethernet rows without one.
func TestGIDNetdevsOfInfiniBand(t *testing.T) {
	for layer, want := range map[verbs.LinkLayer]string{verbs.LinkInfiniBand: "", verbs.LinkEthernet: "d0"} {
		p := Port{
			PortAttr: verbs.PortAttr{PortNum: 1, LinkLayer: layer}, GIDs: []GID{{Index: 0}, {Index: 1, Netdev: "mine"}},
		}
		if fillGIDNetdevs(plant(t, "rxe"), deviceDir("rxe0"), &p); p.GIDs[0].Netdev != want ||
			p.GIDs[1].Netdev != "mine" {
			t.Errorf("%s: %+v", layer, p.GIDs)
		}
	}
}

// TestSoftRoCENamespace: the limitation to the first network namespace is reported only
// if it applies.
func TestSoftRoCENamespace(t *testing.T) {
	sys := plant(t, "bare")
	for _, exclusive := range []bool{true, false} {
		found := checkSoftRoCE(&examination{os: sys, modules: readModules(sys), exclusive: exclusive})
		if len(found) == 0 {
			t.Fatal("nothing was found")
		}
		for _, f := range found {
			if got := strings.Contains(f.Meaning, "namespace"); got != exclusive {
				t.Errorf("exclusive is %v: %s", exclusive, f.Meaning)
			}
		}
	}
}

// TestGIDsHere: a row belongs to this namespace if its address does; a link-local row, and one of InfiniBand, if its
// netdev does.
func TestGIDsHere(t *testing.T) {
	sys := plant(t, "bare")
	sys.write(t, netDir+"/here/ifindex", "2\n")
	sys.write(t, netDir+"/here/address", "52:54:00:12:34:56\n")
	sys.addresses = map[int][]netip.Prefix{
		2: {netip.MustParsePrefix("10.0.0.1/24"), netip.MustParsePrefix("fe80::2/64")}}
	for _, tt := range []struct {
		gid, netdev string
		typ         verbs.GIDType
		want        bool
	}{
		{"::ffff:10.0.0.1", "here", verbs.GIDTypeRoCEv2, true},
		{"::ffff:10.0.0.2", "here", verbs.GIDTypeRoCEv2, false},
		{"fe80::1", "here", verbs.GIDTypeRoCEv2, true},
		{"fe80::1", "there", verbs.GIDTypeRoCEv2, false},
		{"fe80::1", "", verbs.GIDTypeRoCEv1, false},
		{"fe80::2", "", verbs.GIDTypeRoCEv2, true},                   // an address of here
		{"fe80::5054:ff:fe12:3456", "", verbs.GIDTypeRoCEv2, true},   // made from the link-layer address of here
		{"fe80::5054:ff:fe12:3457", "", verbs.GIDTypeRoCEv2, false},  // of another
		{"fe80::5054:ff:fe12:3456", "there", verbs.GIDTypeIB, false}, // named, so the name decides
		{"fec0::1", "", verbs.GIDTypeIB, true},
		{"fec0::1", "here", verbs.GIDTypeIB, true},
		{"fec0::1", "there", verbs.GIDTypeIB, false},
	} {
		e := verbs.GIDEntry{GID: verbs.GID(netip.MustParseAddr(tt.gid).As16()), Netdev: tt.netdev, Type: tt.typ}
		if got := gidsHere(sys)(e); got != tt.want {
			t.Errorf("%s %s of %q: %v", tt.typ, tt.gid, tt.netdev, got)
		}
	}
}
