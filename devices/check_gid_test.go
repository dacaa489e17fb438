package devices

import (
	"net/netip"
	"strings"
	"testing"

	"rdmatui/verbs"
)

// TestGIDFinding: the remedy names an interface only if it is here, and never an address.
func TestGIDFinding(t *testing.T) {
	sys := &fakeOS{tree: tree{t.TempDir()}}
	for netdev, state := range map[string]string{"d0": "up", "d1": "down"} {
		sys.write(t, netDir+"/"+netdev+"/ifindex", "3\n")
		sys.write(t, netDir+"/"+netdev+"/operstate", state+"\n")
	}
	for netdev, want := range map[string]string{"": "give the port's network interface an IP address",
		"d0": "give d0 an IP address that no other host has", "d1": "ip link set d1 up, then give it",
		"elsewhere": "run rdmatui in the network namespace of elsewhere"} {
		f := gidFinding(sys, "rxe0", PortSummary{PortNum: 1, Netdev: netdev}, nil)
		if !strings.HasPrefix(f.Next, want) || strings.Contains(f.Next, "10.9") || strings.Contains(f.Next, "NETDEV") {
			t.Errorf("netdev %q: %+v", netdev, f)
		}
	}
	rows := []GID{{Index: 0, GID: gid(t, "10.9.0.1"), Type: verbs.GIDTypeRoCEv1}}
	if f := gidFinding(&fakeOS{tree: tree{t.TempDir()}}, "rxe0", PortSummary{PortNum: 1}, rows); f.Status != Warn ||
		!strings.Contains(f.Next, "give sgid_index") {
		t.Errorf("RoCE v1 alone: %+v", f)
	}
}

// TestGIDFindingInPod: a row of another network namespace is never the best.
func TestGIDFindingInPod(t *testing.T) {
	sys := &fakeOS{tree: tree{t.TempDir()}}
	sys.write(t, netDir+"/mv0/ifindex", "3\n")
	sys.addresses = map[int][]netip.Prefix{3: {netip.MustParsePrefix("10.9.0.77/24")}}
	rows := []GID{
		{Index: 1, GID: gid(t, "10.9.0.1"), Type: verbs.GIDTypeRoCEv2, Netdev: "d0"},
		// one of the same name elsewhere
		{Index: 3, GID: gid(t, "10.9.0.78"), Type: verbs.GIDTypeRoCEv2, Netdev: "mv0"},
	}
	f := gidFinding(sys, "rxe0", PortSummary{PortNum: 1, Netdev: "mv0"}, rows)
	if f.Status != Warn || !strings.Contains(f.Meaning, "all GIDs belong to other network namespaces") {
		t.Errorf("%+v", f)
	}
	rows = append(rows, GID{Index: 4, GID: gid(t, "10.9.0.77"), Type: verbs.GIDTypeRoCEv2, Netdev: "mv0"})
	f = gidFinding(sys, "rxe0", PortSummary{PortNum: 1, Netdev: "mv0"}, rows)
	if f.Status != OK || !strings.Contains(f.Looked, "best 4: ") ||
		!strings.Contains(f.Meaning, "2 GIDs belong to other network namespaces") {
		t.Errorf("%+v", f)
	}
	if f = gidFinding(sys, "rxe0", PortSummary{PortNum: 1, Netdev: "mv0"}, rows[1:]); !strings.Contains(f.Meaning,
		"1 GID belongs to other") {
		t.Errorf("one row: %+v", f)
	}
	if f = gidFinding(sys, "rxe0", PortSummary{PortNum: 1, Netdev: "mv0"},
		rows[2:]); strings.Contains(f.Meaning, "other") {
		t.Errorf("no such row: %+v", f)
	}
}

// TestGIDFindingInEmptyPod: where no interface has an address, no row is of here.
func TestGIDFindingInEmptyPod(t *testing.T) {
	sys := &fakeOS{tree: tree{t.TempDir()}, addresses: map[int][]netip.Prefix{}}
	sys.write(t, netDir+"/lo/ifindex", "1\n")
	rows := []GID{{Index: 1, GID: gid(t, "10.9.0.1"), Type: verbs.GIDTypeRoCEv2}}
	f := gidFinding(sys, "rxe0", PortSummary{PortNum: 1}, rows)
	if f.Status != Warn || !strings.Contains(f.Meaning, "all GIDs belong to other network namespaces") {
		t.Errorf("%+v", f)
	}
}

// TestGIDFindingOfMovedDevice: a device was moved here without its netdev, which the provider cannot name then.
func TestGIDFindingOfMovedDevice(t *testing.T) {
	sys := &fakeOS{tree: tree{t.TempDir()}}
	sys.write(t, netDir+"/lo/ifindex", "1\n")
	sys.write(t, portDir(deviceDir("rxe1"), 1)+"/gid_attrs/ndevs/0", "e0\n")
	rows := []GID{{Index: 0, GID: gid(t, "fe80::1"), Type: verbs.GIDTypeRoCEv2}}
	f := gidFinding(sys, "rxe1", PortSummary{PortNum: 1, Netdev: "e0"}, rows)
	if f.Status != Warn || !strings.Contains(f.Meaning, "all GIDs belong to other network namespaces") {
		t.Errorf("%+v", f)
	}
	sys.write(t, netDir+"/e0/ifindex", "3\n")
	f = gidFinding(sys, "rxe1", PortSummary{PortNum: 1, Netdev: "e0"}, rows)
	if f.Status != Warn || !strings.Contains(f.Meaning, "all GIDs are link-local") {
		t.Errorf("with its netdev: %+v", f)
	}
}
