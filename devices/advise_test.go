package devices

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"testing"

	"rdmatui/verbs"
)

// network is the routes and names of TestAdvise.
var network = Resolver{
	Addresses: func(_ context.Context, host string) ([]netip.Addr, error) {
		switch host {
		case "both": // the first address is reached by an interface without RDMA
			return []netip.Addr{netip.MustParseAddr("192.0.2.7"), netip.MustParseAddr("::ffff:10.9.0.2")}, nil
		case "empty":
			return nil, nil
		}
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	},
	Source: func(dst netip.Addr) (netip.Addr, error) {
		for to, from := range map[string]string{"10.9.0.0/16": "10.9.0.1", "10.8.0.0/24": "10.8.0.1",
			"192.0.2.0/24": "192.0.2.2", "127.0.0.0/8": "127.0.0.1", "fe80::/64": "fe80::309f:9eff:fe8e:801"} {
			if netip.MustParsePrefix(to).Contains(dst.WithZone("")) {
				return netip.MustParseAddr(from), nil
			}
		}
		return netip.Addr{}, fmt.Errorf("dial udp %s: %w", dst, syscall.ENETUNREACH)
	},
}

// hostWith is a host with rxe0 on d0, changed, and eth0 without RDMA.
func hostWith(t *testing.T, change func(*fakeOS, *fakeDevice)) *Inventory {
	sys, dev := plant(t, "rxe"), rxe0(t)
	sys.write(t, netDir+"/eth0/ifindex", "2\n")
	sys.addresses = map[int][]netip.Prefix{2: {netip.MustParsePrefix("192.0.2.2/24")},
		4: {netip.MustParsePrefix("10.9.0.1/24"), netip.MustParsePrefix("fe80::309f:9eff:fe8e:801/64")}}
	if change != nil {
		change(sys, dev)
	}
	return New([]verbs.Provider{&fakeProvider{name: "ibverbs", devices: []*fakeDevice{dev}},
		&fakeProvider{name: "soft", devices: []*fakeDevice{soft0(t)}}}, sys)
}

// TestAdvise: the advice follows the route, whatever the kind of device, and says what is wrong with it.
func TestAdvise(t *testing.T) {
	v1 := func(_ *fakeOS, d *fakeDevice) { d.gids[1].Type = verbs.GIDTypeRoCEv1 }
	both := func(_ *fakeOS, d *fakeDevice) { // as cards list them: RoCE v1 before v2
		d.gids[1].Index = 3
		d.gids = append(d.gids[:1:1], verbs.GIDEntry{PortNum: 1, Index: 2, GID: d.gids[1].GID,
			Type: verbs.GIDTypeRoCEv1}, d.gids[1])
	}
	down := func(_ *fakeOS, d *fakeDevice) { d.port.State = 1 }
	iwarp := func(_ *fakeOS, d *fakeDevice) {
		d.info.NodeType, d.info.Transport = "RNIC", "iWARP"
		d.gids = []verbs.GIDEntry{{PortNum: 1, GID: gid(t, "::329f:9e8e:801:0"), Type: verbs.GIDTypeIB}}
	}
	infiniband := func(_ *fakeOS, d *fakeDevice) {
		d.port.LinkLayer = verbs.LinkInfiniBand
		d.gids = []verbs.GIDEntry{{PortNum: 1, GID: gid(t, "fe80::30"), Type: verbs.GIDTypeIB}}
	}
	for _, tt := range []struct {
		name, host string
		change     func(*fakeOS, *fakeDevice)
		want       string   // the sentence
		has        []string // in the findings and settings
		wrong      string   // the check that failed; "": none
	}{
		{"RoCE v2", "10.9.0.2", nil, "use rxe0, port 1, GID index 1, source address 10.9.0.1 on d0",
			[]string{"in 10.9.0.0/24, the subnet of d0", "path_mtu may be at most 1024 here",
				"NCCL: NCCL_IB_HCA==rxe0:1 NCCL_IB_GID_INDEX=1 NCCL_SOCKET_IFNAME==d0",
				"UCX: UCX_NET_DEVICES=rxe0:1 UCX_IB_GID_INDEX=1", "libfabric: FI_PROVIDER=verbs FI_VERBS_IFACE=d0",
				"Open MPI: mpirun --mca pml ucx -x UCX_NET_DEVICES=rxe0:1 -x UCX_IB_GID_INDEX=1",
				"Intel MPI: I_MPI_OFI_PROVIDER=verbs FI_VERBS_IFACE=d0",
				"perftest: ib_write_bw -d rxe0 -i 1 -x 1 10.9.0.2", "librdmacm: rping -c -I 10.9.0.1 -a 10.9.0.2",
				"rdmatui: rdmatui scenario rc-pingpong -d rxe0 10.9.0.2"}, ""},
		{"behind a router", "10.9.7.2", nil, "use rxe0, port 1, GID index 1, source address 10.9.0.1 on d0",
			[]string{"outside 10.9.0.0/24, the subnet of d0: packets go through a router"}, ""},
		{"link-local", "fe80::2%d0", nil,
			"use rxe0, port 1, GID index 0, source address fe80::309f:9eff:fe8e:801 on d0", nil, ""},
		{"link-local elsewhere", "fe80::2%eth0", nil, "no RDMA device of this host leads to fe80::2%eth0", nil,
			"device"},
		{"the second address", "both", nil, "use rxe0, port 1, GID index 1, source address 10.9.0.1 on d0",
			[]string{"both: 192.0.2.7, 10.9.0.2", "ib_write_bw -d rxe0 -i 1 -x 1 10.9.0.2"}, ""},
		{"an interface without RDMA", "192.0.2.9", nil, "no RDMA device of this host leads to 192.0.2.9",
			[]string{"packets to 192.0.2.9 leave from 192.0.2.2 by eth0", "10.9.0.0/24 (rxe0 on d0)"}, "device"},
		{"no route", "203.0.113.1", nil, "no RDMA device of this host leads to 203.0.113.1",
			[]string{"no route to 203.0.113.1: network is unreachable", "ip route get 203.0.113.1"}, "route"},
		{"no route: the interface is down", "10.6.0.2", func(sys *fakeOS, _ *fakeDevice) {
			sys.write(t, netDir+"/d0/operstate", "down\n")
			sys.addresses[4] = append(sys.addresses[4], netip.MustParsePrefix("10.6.0.1/24"))
		}, "no RDMA device of this host leads to 10.6.0.2", []string{"d0 is down", "ip link set d0 up"}, "route"},
		{"no name", "nowhere", nil, "no RDMA device of this host leads to nowhere", []string{"no such host"}, "name"},
		{"a name without addresses", "empty", nil, "no RDMA device of this host leads to empty",
			[]string{"addresses of empty: it has none"}, "name"},
		{"RoCE v1", "10.9.0.2", v1, "use rxe0, port 1, GID index 1, source address 10.9.0.1 on d0",
			[]string{"as RoCE v1 only"}, ""},
		{"RoCE v1 and v2", "10.9.0.2", both, "use rxe0, port 1, GID index 3, source address 10.9.0.1 on d0", nil, ""},
		{"port down", "10.9.0.2", down, "use rxe0, port 1, GID index 1, source address 10.9.0.1 on d0",
			[]string{"the port carries no packets", "ip link set d0 up"}, ""},
		{"iWARP", "10.9.0.2", iwarp, "use rxe0, port 1, source address 10.9.0.1 on d0",
			[]string{"ib_write_bw -R -d rxe0 10.9.0.2", "scenario rping -d rxe0"}, ""},
		{"InfiniBand", "10.9.0.2", infiniband, "use rxe0, port 1, source address 10.9.0.1 on d0",
			[]string{"NCCL: NCCL_IB_HCA==rxe0:1 NCCL_SOCKET_IFNAME==d0", "ib_write_bw -d rxe0 -i 1 10.9.0.2"}, ""},
		{"software", "127.0.0.9", nil, "use soft0, port 1, GID index 0, source address 127.0.0.1",
			[]string{"rdmatui: rdmatui scenario rc-pingpong -d soft0 127.0.0.9"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := hostWith(t, tt.change).Advise(t.Context(), tt.host, network)
			if got := a.String(); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
			all := adviceText(a)
			for _, want := range tt.has {
				if !strings.Contains(all, want) {
					t.Errorf("no %q in:\n%s", want, all)
				}
			}
			wrong := ""
			if f := a.Wrong(); f != nil {
				wrong = f.Check
			}
			if wrong != tt.wrong {
				t.Errorf("wrong is %q, want %q:\n%s", wrong, tt.wrong, all)
			}
		})
	}
}

func adviceText(a Advice) string {
	var b strings.Builder
	for _, f := range a.Findings {
		fmt.Fprintf(&b, "%s %s: %s; %s; %s\n", f.Status, f.Check, f.Looked, f.Meaning, f.Next)
	}
	for _, s := range a.Settings {
		fmt.Fprintf(&b, "%s: %s\n", s.Program, s.Set)
	}
	return b.String()
}

// TestAdviseOrder: RoCE v2 comes before iWARP on the same interface, and an ACTIVE port before one that is down.
func TestAdviseOrder(t *testing.T) {
	one, two := rxe0(t), rxe0(t)
	one.info.Name, two.info.Name = "siw0", "rxe1"
	one.info.NodeType, one.info.Transport = "RNIC", "iWARP"
	one.gids = nil
	two.gids = []verbs.GIDEntry{{PortNum: 1, Index: 3, GID: gid(t, "10.9.0.1"), Type: verbs.GIDTypeRoCEv2,
		Netdev: "d0"}}
	for _, active := range []bool{true, false} {
		sys := plant(t, "rxe")
		sys.write(t, deviceDir("siw0")+"/parent", "d0\n")
		sys.addresses = map[int][]netip.Prefix{4: {netip.MustParsePrefix("10.9.0.1/24")}}
		want := []string{"rxe1", "siw0"}
		if !active {
			two.port.State = 1
			slices.Reverse(want)
		}
		inv := New([]verbs.Provider{&fakeProvider{name: "ibverbs", devices: []*fakeDevice{one, two}}}, sys)
		a := inv.Advise(t.Context(), "10.9.0.2", network)
		if a.Device != want[0] || !strings.Contains(adviceText(a), "also on this address: "+want[1]) {
			t.Errorf("RoCE is up: %t: %s\n%s", active, a.String(), adviceText(a))
		}
	}
}

// TestAdviseWithoutDevices: a host without an RDMA device is sent to the doctor and the software device.
func TestAdviseWithoutDevices(t *testing.T) {
	sys := plant(t, "bare")
	inv := New([]verbs.Provider{&fakeProvider{name: "ibverbs", err: errors.New("none")},
		&fakeProvider{name: "soft", devices: []*fakeDevice{soft0(t)}}}, sys)
	a := inv.Advise(t.Context(), "192.0.2.9", network)
	if f := a.Wrong(); f == nil || !strings.Contains(f.Next, "rdmatui doctor") ||
		!strings.Contains(f.Next, "--soft 192.0.2.2") {
		t.Errorf("%+v", a.Findings)
	}
}
