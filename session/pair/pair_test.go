package pair

import (
	"context"
	"io"
	"net/netip"
	"strings"
	"testing"

	"rdmatui/devices"
	"rdmatui/session/agent"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
	"rdmatui/verbs/soft/link"
)

// ends starts two agents in this process, whose software devices are joined in memory.
func ends(t *testing.T) (a, b Side) {
	t.Helper()
	fabric := new(link.Fabric)
	side := func(host, addr string) Side {
		requests, out := io.Pipe()
		in, answers := io.Pipe()
		provider := soft.New(soft.Options{Fabric: fabric, Addrs: []netip.Addr{netip.MustParseAddr(addr),
			netip.MustParseAddr(addr).Next()}})
		go func() {
			_ = agent.Serve(context.Background(), requests, answers, agent.Options{Version: "1",
				Providers: []verbs.Provider{provider}, Host: devices.Host()})
			answers.Close()
		}()
		t.Cleanup(func() { out.Close(); in.Close() })
		conn, err := agent.NewConn(t.Context(), in, out, nil)
		if err != nil {
			t.Fatal(err)
		}
		return Side{Host: host, Conn: conn}
	}
	return side("one", "127.0.0.1"), side("two", "127.0.0.11")
}

// TestHealthyPair: a pair without a fault is not accused, and every check was made.
func TestHealthyPair(t *testing.T) {
	a, b := ends(t)
	r, err := Examine(t.Context(), a, b)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if f.Verdict != Right || f.Change != "" {
			t.Errorf("%+v", f)
		}
	}
	if !r.Healthy || r.A.Device != "soft0" || r.B.GID != "127.0.0.11" {
		t.Errorf("%+v %+v", r.A, r.B)
	}
}

// TestLostPackets: what a device loses is named, by its share.
func TestLostPackets(t *testing.T) {
	for _, tt := range []struct{ at, fault, want, evidence string }{
		{"a", "loss=20%", "loss a→b", "took longer than the retry timer"},
		{"b", "loss=20%", "loss a→b", "took longer than the retry timer"},
		{"a", "loss=100%", "udp_4791 a→b", "127.0.0.11 at b"}, // b's bytes arrive at a
		{"b", "loss=100%", "udp_4791 b→a", "127.0.0.1 at a"},
	} {
		t.Run(tt.at+" "+tt.fault, func(t *testing.T) {
			a, b := ends(t)
			at := map[string]Side{"a": a, "b": b}[tt.at]
			if _, err := at.Conn.Run(t.Context(), "fault soft0 "+tt.fault+" seed=7"); err != nil {
				t.Fatal(err)
			}
			r, err := Examine(t.Context(), a, b)
			if err != nil {
				t.Fatal(err)
			}
			f := r.First()
			if f == nil || f.Check+" "+f.Of != tt.want || !strings.Contains(f.Evidence, tt.evidence) || f.Change == "" {
				t.Errorf("first %+v, want %s", f, tt.want)
			}
		})
	}
}

// facts is a pair of ends that differ from a healthy one in one fact, as agents on other devices would tell.
func facts() (a, b *end) {
	one := func(name, addr, mac string) *end {
		e := &end{Side: Side{Host: name}, name: name}
		e.facts = agent.Facts{Hostname: name, Device: &agent.Device{Name: "mlx5_0", Provider: "ibverbs",
			Transport: "RoCE",
			PortNum:   1, State: portActive, LinkLayer: linkEthernet, ActiveMTU: 4096, PKeys: []uint16{0xffff},
			GIDs: []agent.GID{
				{Index: 0, Addr: netip.MustParseAddr(addr), Type: "ROCE_V1", Netdev: "eth0", Here: true},
				{Index: 1, Addr: netip.MustParseAddr(addr), Type: roceV2, Netdev: "eth0", Here: true, Usual: true}},
			Netdevs: []agent.Netdev{{Name: "eth0", MTU: 4200, OperState: "up", Address: mac,
				Addresses: []netip.Prefix{netip.PrefixFrom(netip.MustParseAddr(addr), 24)}}}}}
		return e
	}
	return one("a", "10.0.0.1", "02:00:00:00:00:01"), one("b", "10.0.0.2", "02:00:00:00:00:02")
}

// TestFacts: one wrong fact is the first finding, with what both ends show and a change. Nothing was tried.
func TestFacts(t *testing.T) {
	for _, tt := range []struct {
		name             string
		fault            func(b *agent.Facts)
		check, of        string
		evidence, change string
	}{
		{"nothing", func(*agent.Facts) {}, "", "", "", ""},
		{"no device", func(f *agent.Facts) { f.Device, f.Why, f.Next = nil, "modprobe", "do it" },
			"device", "b", "modprobe", "do it"},
		{"port down", func(f *agent.Facts) { f.Device.State, f.Device.Netdevs[0].OperState = "DOWN", "down" },
			"port", "b", "mlx5_0 port 1 is DOWN, eth0 is down", "ip link set eth0 up (b)"},
		{"no subnet manager", func(f *agent.Facts) { f.Device.State, f.Device.LinkLayer = "INIT", "INFINIBAND" },
			"port", "b", "no subnet manager", "opensm"},
		{"LID 0", func(f *agent.Facts) { f.Device.LinkLayer = "INFINIBAND" }, "port", "b", "LID 0", "opensm"},
		{"iWARP", func(f *agent.Facts) { f.Device.Transport = "iWARP" }, "transport", "both", "b: mlx5_0 speaks iWARP",
			"one kind"},
		{"no GID", func(f *agent.Facts) { f.Device.GIDs = nil }, "gid", "both", "no GID",
			"ip addr add ADDRESS/24 dev eth0 (b)"},
		{"RoCE v1 alone", func(f *agent.Facts) { f.Device.GIDs = f.Device.GIDs[:1] }, "", "", "", ""}, // both have it
		{"another family", func(f *agent.Facts) {
			for i := range f.Device.GIDs {
				f.Device.GIDs[i].Addr = netip.MustParseAddr("fd00::2")
			}
		}, "gid", "both", "index 1, fd00::2, ROCE_V2", "same family"},
		{"RoCE v1 of another family", func(f *agent.Facts) {
			f.Device.GIDs = []agent.GID{{Addr: netip.MustParseAddr("fd00::2"), Type: "ROCE_V1", Here: true}}
		}, "gid", "both", "ROCE_V1", "RoCE v2"},
		{"another namespace", func(f *agent.Facts) { f.Device.GIDs[0].Here, f.Device.GIDs[1].Here = false, false },
			"gid", "both", "no two GIDs", "address"},
		{"one address", func(f *agent.Facts) {
			f.Device.GIDs[0].Addr, f.Device.GIDs[1].Addr = netip.MustParseAddr("10.0.0.1"),
				netip.MustParseAddr("10.0.0.1")
		}, "address", "both", "a on eth0 (02:00:00:00:00:01), b on eth0 (02:00:00:00:00:02)", "another address"},
		{"another partition", func(f *agent.Facts) { f.Device.PKeys[0] = 0x8001 }, "pkey", "both", "a 0xffff, b 0x8001",
			"partition"},
		{"MTU", func(f *agent.Facts) { f.Device.ActiveMTU, f.Device.Netdevs[0].MTU = 1024, 1500 }, "mtu", "both",
			"active_mtu is 4096 at a and 1024 at b; eth0 of a has MTU 4200; eth0 of b has MTU 1500",
			"ip link set eth0 mtu 4200 (b)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := facts()
			tt.fault(&b.facts)
			r := judgeFacts(a, b)
			f := r.First()
			if tt.check == "" {
				if f != nil {
					t.Errorf("accused: %+v", f)
				}
				return
			}
			if f == nil || f.Check != tt.check || f.Of != tt.of || !strings.Contains(f.Evidence, tt.evidence) ||
				!strings.Contains(f.Change, tt.change) || strings.Contains(f.Evidence+f.Change, "%!") {
				t.Errorf("first %+v", f)
			}
		})
	}
}

// judgeFacts makes the checks on ends at which nothing was tried, with routes that fit.
func judgeFacts(a, b *end) *Report {
	x := newExamination(a, b)
	x.chooseGIDs()
	for _, d := range x.ways() {
		d.route.Netdev, d.hop.HopMAC = "eth0", map[string]string{"a": "02:00:00:00:00:01",
			"b": "02:00:00:00:00:02"}[d.to.name]
	}
	return x.judge()
}

// TestPartitions: keys meet if they differ in the bit of full members at most, and one end has it. IBA 10.9.1.
func TestPartitions(t *testing.T) {
	for keys, want := range map[[2]uint16]Verdict{
		{0xffff, 0xffff}: Right, {0xffff, 0x7fff}: Right, {0x7fff, 0xffff}: Right, {0x7fff, 0x7fff}: Wrong,
		{0xffff, 0x8001}: Wrong, {0x8001, 0x0001}: Right,
	} {
		a, b := facts()
		a.facts.Device.PKeys, b.facts.Device.PKeys = keys[:1], keys[1:]
		if got := checkPKey(newExamination(a, b)); got.Verdict != want {
			t.Errorf("%04x: %+v, want %s", keys, got, want)
		}
	}
}
