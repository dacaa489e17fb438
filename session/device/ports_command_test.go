package device_test

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/lab"
	"rdmatui/session/oob"
	"rdmatui/session/scenario"
	"rdmatui/session/script"
	"rdmatui/session/sessiontest"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/route"
)

// onEthernet returns the attributes of a RoCE port.
func onEthernet(state verbs.PortState) verbs.PortAttr {
	return verbs.PortAttr{State: state, ActiveMTU: verbs.MTU1024, LinkLayer: verbs.LinkEthernet}
}

const portDown verbs.PortState = 1

const onePair = "alloc_pd pd\ncreate_cq cq\ncreate_qp a\ncreate_qp b\n"

// TestUsualPort: without port_num the first ACTIVE port is used, and its GIDs and LID
// are shown.
func TestUsualPort(t *testing.T) {
	active, down := onEthernet(verbs.PortActive), onEthernet(portDown)
	for _, tt := range []struct {
		name   string
		ports  []verbs.PortAttr
		open   string
		want   uint8
		result string
		check  string
	}{
		{"one port", []verbs.PortAttr{active}, "open_device", 1,
			"fake device, port 1 ACTIVE, ETHERNET, active_mtu 1024", ""},
		{"one port, down", []verbs.PortAttr{down}, "open_device", 1,
			"fake device, port 1 DOWN, ETHERNET, active_mtu 1024", "port 1 is DOWN: it carries no packets"},
		{"the second is up", []verbs.PortAttr{down, active}, "open_device", 2,
			"fake device, port 2 ACTIVE, ETHERNET, active_mtu 1024; default port: the first ACTIVE port; port 1 is DOWN", ""},
		{"both are up", []verbs.PortAttr{active, active}, "open_device", 1,
			"fake device, port 1 ACTIVE, ETHERNET, active_mtu 1024; default port: the first ACTIVE port of 2", ""},
		{"the third is up", []verbs.PortAttr{down, down, active}, "open_device", 3, "fake device, port 3 ACTIVE, ETHERNET, active_mtu 1024; default port: the first ACTIVE port; ports 1 to 2 are not", ""},
		{"none is up", []verbs.PortAttr{down, down}, "open_device", 1,
			"fake device, port 1 DOWN, ETHERNET, active_mtu 1024; default port: none of 2 ports is ACTIVE",
			"port 1 is DOWN: it carries no packets"},
		{"named", []verbs.PortAttr{active, active}, "open_device port_num=2", 2,
			"fake device, port 2 ACTIVE, ETHERNET, active_mtu 1024; default port: named at open_device", ""},
		{"named, down", []verbs.PortAttr{active, down}, "open_device port_num=2", 2,
			"fake device, port 2 DOWN, ETHERNET, active_mtu 1024; default port: named at open_device",
			"port 2 is DOWN: it carries no packets"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, _ := sessiontest.Card(t, tt.ports...)
			done := sessiontest.Execute(t, s, tt.open)
			if done.Result != tt.result || done.Check != tt.check {
				t.Errorf("%q, %q; want %q, %q", done.Result, done.Check, tt.result, tt.check)
			}
			if named := strings.Contains(done.Resolved,
				fmt.Sprintf(" port_num=%d", tt.want)); named != (len(tt.ports) > 1) {
				t.Errorf("%d ports: %s", len(tt.ports), done.Resolved)
			}
			sessiontest.RunScript(t, s, onePair)
			plan, err := s.Plan("a", verbs.QPInit)
			if got := plan.Values()["port_num"]; err != nil || got != fmt.Sprint(tt.want) {
				t.Errorf("INIT: port_num=%s, %v; want %d", got, err, tt.want)
			}
			for _, q := range s.Snapshot().QPs {
				if want := fmt.Sprintf("::ffff:10.9.%d.1", tt.want); q.GID.String() != want || q.Port != tt.want {
					t.Errorf("%s has %s of port %d, want %s", q.Name, q.GID, q.Port, want)
				}
			}
			if d := s.Snapshot().Devices[0]; d.Port.PortNum != tt.want {
				t.Errorf("the device's port is %d, want %d", d.Port.PortNum, tt.want)
			}
			for _, line := range []string{"query_port", "query_pkey", "query_gid"} {
				if done := sessiontest.Execute(t, s, line); !strings.Contains(done.Resolved, fmt.Sprintf("port_num=%d",
					tt.want)) {
					t.Errorf("%s: %s", line, done.Resolved)
				}
			}
		})
	}
}

// TestPortEverywhere: a bring-up that names no port, or names it once, uses a single
// port.
func TestPortEverywhere(t *testing.T) {
	for _, tt := range []struct{ open, connect string }{
		{"open_device", "connect_qps a b"},
		{"open_device port_num=2", "connect_qps a b"},
	} {
		s, f := sessiontest.Card(t, onEthernet(portDown), onEthernet(verbs.PortActive))
		sessiontest.RunScript(t, s, tt.open+"\n"+onePair+tt.connect)
		for _, q := range f.Qps {
			if a := q.Attr; a.PortNum != 2 || a.AH.PortNum != 2 || a.AH.GRH.SGIDIndex != 1 ||
				a.AH.GRH.DGID.String() != "::ffff:10.9.2.1" || !a.AH.IsGlobal {
				t.Errorf("%s, %s: %+v", tt.open, tt.connect, a)
			}
		}
		sessiontest.RunScript(t, s, "create_qp u qp_type=UD\nmodify_qp u INIT port_num=fake0.port_num pkey_index=0 qkey=1\ncreate_ah ah dgid=u.gid")
		if ah := s.Snapshot().AHs[0].Attr; ah.PortNum != 2 || ah.GRH.SGIDIndex != 1 {
			t.Errorf("%s: %+v", tt.open, ah)
		}
	}
}

// TestNamedPort: a named port is used even if another is ACTIVE; if it is down, a
// warning says so.
func TestNamedPort(t *testing.T) {
	s, f := sessiontest.Card(t, onEthernet(verbs.PortActive), onEthernet(portDown))
	sessiontest.RunScript(t, s, "open_device\n"+onePair)
	done := sessiontest.Execute(t, s, "modify_qp a INIT port_num=2 pkey_index=0 qp_access_flags=0")
	if want := "port 2 is DOWN: it carries no packets; port 1 is ACTIVE"; done.Check != want {
		t.Errorf("check %q, want %q", done.Check, want)
	}
	sessiontest.RunScript(t, s, "modify_qp b INIT port_num=2 pkey_index=0 qp_access_flags=0\nconnect_qps a b")
	if a := f.Qps[0].Attr.AH; a.PortNum != 2 || a.GRH.DGID.String() != "::ffff:10.9.2.1" {
		t.Errorf("%+v", a)
	}
	sessiontest.RunScript(t, s,
		"create_qp u qp_type=UD\nmodify_qp u INIT port_num=2 pkey_index=0 qkey=1\ncreate_ah ah dgid=b.gid")
	if ah := s.Snapshot().AHs[0].Attr; ah.PortNum != 2 {
		t.Errorf("the address handle is on port %d, its queue pair on 2", ah.PortNum)
	}
}

// TestOpenRefused: a port that the device does not have is refused, and no object is
// left open.
func TestOpenRefused(t *testing.T) {
	for _, line := range []string{"open_device port_num=3", "open_device port_num=0"} {
		s, f := sessiontest.Card(t, onEthernet(portDown), onEthernet(verbs.PortActive))
		done, err := s.Exec(t.Context(), line)
		if want := "fake0 has no port " + line[len(line)-1:] + ": phys_port_cnt is 2"; err == nil || done.Err != want ||
			f.Alive.Load() != 0 {
			t.Errorf("%s: %q, %d objects alive; want %q", line, done.Err, f.Alive.Load(), want)
		}
	}
}

// TestInfiniBandPath: two queue pairs in one subnet use LIDs only. A GRH is used if
// the subnets differ, the port requires one, or a GID was named.
func TestInfiniBandPath(t *testing.T) {
	up := func(lid uint16) verbs.PortAttr { return sessiontest.InfiniBand(verbs.PortActive, lid) }
	wants := up(3)
	wants.Flags = verbs.PortGRHRequired
	const onBoth = "modify_qp a INIT port_num=1 pkey_index=0 qp_access_flags=0\nmodify_qp b INIT port_num=2 pkey_index=0 qp_access_flags=0\nconnect_qps a b"
	for _, tt := range []struct {
		name   string
		ports  []verbs.PortAttr
		open   string
		lines  string
		global bool
		dlid   uint16 // a's
	}{
		{"one subnet", []verbs.PortAttr{up(3)}, "open_device", "connect_qps a b", false, 3},
		{"the second port is up", []verbs.PortAttr{sessiontest.InfiniBand(portDown, 0), up(4)}, "open_device",
			"connect_qps a b", false, 4},
		{"two subnets", []verbs.PortAttr{up(3), up(4)}, "open_device", onBoth, true, 4},
		{"the port requires a GRH", []verbs.PortAttr{wants}, "open_device", "connect_qps a b", true, 3},
		{"a GID was named", []verbs.PortAttr{up(3)}, "open_device", "connect_qps a b sgid_index=0", true, 3},
		{"a GID was named at the beginning", []verbs.PortAttr{up(3)}, "open_device sgid_index=0",
			"connect_qps a b", true, 3},
		{"a peer that sends its LID", []verbs.PortAttr{up(3)}, "open_device",
			"peer p lid=9 qp_num=7 psn=8\nconnect_qps a p", false, 9},
		{"a peer that sends its GID", []verbs.PortAttr{up(3)}, "open_device",
			"peer p lid=9 qp_num=7 psn=8 gid=fe80::9\nconnect_qps a p", true, 9},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, f := sessiontest.Card(t, tt.ports...)
			sessiontest.RunScript(t, s, tt.open+"\n"+onePair+tt.lines)
			if a := f.Qps[0].Attr.AH; a.IsGlobal != tt.global || a.DLID != tt.dlid || a.GRH.DGID.IsZero() == tt.global {
				t.Errorf("%+v; want is_global %v, dlid %d", a, tt.global, tt.dlid)
			}
		})
	}
}

// TestInfiniBandTold: on InfiniBand a peer is sent the LID of the ACTIVE port, and a
// GID only if one was named. A path without a LID is warned of.
func TestInfiniBandTold(t *testing.T) {
	for _, tt := range []struct{ open, args, gid string }{
		{"open_device", "", "::"},
		{"open_device", " sgid_index=0", "fe80:0:0:1::4"},
		{"open_device sgid_index=0", "", "fe80:0:0:1::4"},
	} {
		s, _ := sessiontest.Card(t, sessiontest.InfiniBand(portDown, 0), sessiontest.InfiniBand(verbs.PortActive, 4))
		sessiontest.RunScript(t, s, tt.open+"\nalloc_pd pd\ncreate_cq cq\ncreate_qp a")
		port, ended := sessiontest.Serving(t, s, "exchange p qp=a hold=1"+tt.args)
		c, err := oob.Dial(t.Context(), "127.0.0.1", port)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Send(t.Context(), oob.Record{LID: 9, QPN: 7, PSN: 8}); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		finished := make(chan error, 1)
		go func() {
			_, err := s.Exec(t.Context(), "exchange_finish p")
			finished <- err
		}()
		told, err := c.Receive(t.Context())
		if err != nil || told.LID != 4 || told.GID.String() != tt.gid {
			t.Errorf("%s%s: the peer was sent %+v, %v; want LID 4, GID %s", tt.open, tt.args, told, err, tt.gid)
		}
		if err := c.SendDone(t.Context()); err != nil {
			t.Error(err)
		}
		if err := <-finished; err != nil {
			t.Error(err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	s, _ := sessiontest.Card(t, sessiontest.InfiniBand(verbs.PortActive, 3))
	sessiontest.RunScript(t, s, "open_device\nalloc_pd")
	if done := sessiontest.Execute(t, s, "create_ah dgid=fe80::9"); !strings.Contains(done.Check, "dlid is 0") {
		t.Errorf("check %q", done.Check)
	}
}

// TestScenarioPort: a scenario's queue pair uses the requested port, or the first
// ACTIVE one.
func TestScenarioPort(t *testing.T) {
	for _, tt := range []struct {
		asked string
		ports []verbs.PortAttr
		want  uint8
	}{
		{"", []verbs.PortAttr{onEthernet(portDown), onEthernet(verbs.PortActive)}, 2},
		{"", []verbs.PortAttr{onEthernet(verbs.PortActive), onEthernet(verbs.PortActive)}, 1},
		{"2", []verbs.PortAttr{onEthernet(verbs.PortActive), onEthernet(verbs.PortActive)}, 2},
	} {
		for _, name := range []string{"rc-pingpong", "uc-pingpong", "ud-pingpong", "srq-pingpong"} {
			s, f := sessiontest.Card(t, tt.ports...)
			p := scenario.DefaultParams(name)
			p.Server, p.QPs = true, 1
			if err := scenario.OptionNamed("ib-port").Set(&p, tt.asked); err != nil {
				t.Fatal(err)
			}
			r, err := s.NewScenarioRun(p)
			if err != nil {
				t.Fatal(err)
			}
			for len(f.Qps) == 0 || f.Qps[0].Attr.Mask == 0 {
				if _, err := r.Step(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if got := f.Qps[0].Attr.PortNum; got != tt.want {
				t.Errorf("%s, asked for %q: port %d, want %d", name, tt.asked, got, tt.want)
			}
		}
	}
}

// TestScenarioOptionsRefuse: an invalid port or GID row is refused in one line.
func TestScenarioOptionsRefuse(t *testing.T) {
	for _, tt := range []struct{ name, value, want string }{
		{"ib-port", "0", `ib-port: "0" is not a port of a device: 1 to 255`},
		{"ib-port", "two", `ib-port: "two" is not a port of a device: 1 to 255`},
		{"gid-index", "256", `gid-index: "256" is not a row of a GID table: 0 to 255`},
	} {
		p := scenario.DefaultParams("rc-pingpong")
		if err := scenario.OptionNamed(tt.name).Set(&p, tt.value); err == nil || err.Error() != tt.want {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
}

// TestLabPlace: both queue pairs of an experiment use the requested port, and the
// requested GID row.
func TestLabPlace(t *testing.T) {
	for _, tt := range []struct {
		at   lab.Place
		port uint8
		row  uint8
	}{
		{lab.On("fake0"), 1, 1},
		{lab.Place{Device: "fake0", PortNum: 2, GIDIndex: -1}, 2, 1},
		{lab.Place{Device: "fake0", PortNum: 2, GIDIndex: 3}, 2, 3},
	} {
		s, f := sessiontest.Card(t, onEthernet(verbs.PortActive), onEthernet(verbs.PortActive))
		row3 := f.Gids[1]
		row3.Index, row3.GID = 3, verbs.GIDFromAddr(netip.MustParseAddr("10.9.2.3"))
		f.Gids = append(f.Gids, row3)
		for _, name := range []string{"wrong-qpn", "bad-rkey"} {
			made := len(f.Qps)
			r, err := s.NewLabRun(name, tt.at, nil)
			if err != nil {
				t.Fatal(err)
			}
			for lines := r.Lines(); r.PartOf(&lines[r.At()]) < lab.Trying; {
				if _, err := r.Step(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if err := r.Destroy(t.Context()); err != nil {
				t.Error(err)
			}
			for _, q := range f.Qps[made:] {
				if a := q.Attr; a.PortNum != tt.port || a.AH.PortNum != tt.port || a.AH.GRH.SGIDIndex != tt.row ||
					a.AH.GRH.DGID != f.GID(tt.port, int(tt.row)) {
					t.Errorf("%s on %+v: %+v", name, tt.at, a)
				}
			}
		}
	}
}

// TestPortInC: in the C program the chosen port is the one that the user can change.
func TestPortInC(t *testing.T) {
	s, _ := sessiontest.Card(t, onEthernet(portDown), onEthernet(verbs.PortActive))
	sessiontest.RunScript(t, s, "open_device\n"+onePair+
		"modify_qp a INIT port_num=fake0.port_num pkey_index=0 qp_access_flags=0\nconnect_qps a b")
	r, err := script.Recording(s.Core())
	if err != nil {
		t.Fatal(err)
	}
	text := session.C(r)
	if n := strings.Count(text, ".port_num = port_num"); !strings.Contains(text, "#define PORT 2\n") || n != 4 {
		t.Errorf("port_num is used %d times, want 4:\n%s", n, text)
	}
}

// TestWayOnOtherPort: a warning says if the route to the peer uses another port of
// the card; a path to the card's own other port is fine.
func TestWayOnOtherPort(t *testing.T) {
	s, f := sessiontest.NewFaked(t, core.Options{Network: &route.Network{Source: func(netip.Addr) (netip.Addr, error) {
		return netip.MustParseAddr("10.9.2.1"), nil
	}}})
	f.Ports = []verbs.PortAttr{onEthernet(verbs.PortActive), onEthernet(verbs.PortActive)}
	for port := range uint8(2) {
		f.Gids = append(f.Gids, verbs.GIDEntry{
			PortNum: port + 1, Index: 1,
			GID: verbs.GIDFromAddr(netip.AddrFrom4([4]byte{10, 9, port + 1, 1})), Type: verbs.GIDTypeRoCEv2,
		})
	}
	sessiontest.RunScript(t, s, "open_device\nalloc_pd")
	for line, want := range map[string]string{
		"create_ah dgid=10.9.2.9":            "the route to 10.9.2.9 leaves from 10.9.2.1, which is on port 2: the path is on port 1",
		"create_ah port_num=2 dgid=10.9.2.9": "",
		"create_ah dgid=10.9.2.1":            "",
	} {
		if done := sessiontest.Execute(t, s, line); done.Check != want {
			t.Errorf("%s: %q, want %q", line, done.Check, want)
		}
	}
}

// TestDefaultPortChanges: a note says when another port becomes the first ACTIVE one,
// and new objects use it. A queue pair stays on its port.
func TestDefaultPortChanges(t *testing.T) {
	s, f := sessiontest.Card(t, onEthernet(portDown), onEthernet(verbs.PortActive))
	sessiontest.RunScript(t, s,
		"open_device\n"+onePair+"modify_qp a INIT port_num=fake0.port_num pkey_index=0 qp_access_flags=0")
	f.Ports[0].State = verbs.PortActive
	f.Events <- verbs.AsyncEvent{Type: verbs.EventPortActive, PortNum: 1}
	sessiontest.RunScript(t, s, "expect async PORT_ACTIVE timeout=5s")
	f.Events <- verbs.AsyncEvent{Type: verbs.EventGIDChange, PortNum: 1} // handled after the ports were read
	want := "the default port of fake0 is now 1: the first ACTIVE port of 2"
	if !slices.ContainsFunc(s.Timeline().Snapshot(), func(e timeline.Event) bool {
		return e.Kind == timeline.KindNote && e.Note.Text == want
	}) {
		t.Errorf("no note %q", want)
	}
	for _, q := range s.Snapshot().QPs {
		if want := map[string]uint8{"a": 2, "b": 1}[q.Name]; q.Port != want {
			t.Errorf("%s is on port %d, want %d", q.Name, q.Port, want)
		}
	}
}

// TestManagedDeviceNamesNoGID: the device that the connection manager opened has no
// named GID row.
func TestManagedDeviceNamesNoGID(t *testing.T) {
	s, f, _ := sessiontest.NewManaged(t)
	f.Gids = []verbs.GIDEntry{{PortNum: 1, GID: verbs.GIDFromAddr(netip.MustParseAddr("fe80::1")),
		Type: verbs.GIDTypeRoCEv2}}
	sessiontest.RunLines(t, s, "rdma_create_event_channel events\nrdma_create_id id\nrdma_resolve_addr id 10.0.0.2 port=7471\nrdma_get_cm_event ADDR_RESOLVED\nalloc_pd pd id=id")
	if d := s.Snapshot().Devices[0]; d.GID.GID.IsZero() || d.GID.Why == "named" {
		t.Errorf("row %d, %s: %s", d.GID.Index, d.GID.GID, d.GID.Why)
	}
}

// TestConnectByRow: a GID row named by connect_qps applies to both ends, and to this
// line only: if it is no longer in use, a row is chosen again.
func TestConnectByRow(t *testing.T) {
	s, f := sessiontest.Card(t, onEthernet(verbs.PortActive))
	f.Gids = append(f.Gids, verbs.GIDEntry{
		PortNum: 1, Index: 4, GID: verbs.GIDFromAddr(netip.MustParseAddr("fd00::4")), Type: verbs.GIDTypeRoCEv2,
	})
	sessiontest.RunScript(t, s, "open_device\n"+onePair)
	for _, tt := range []struct {
		args string
		row  uint8
	}{{" sgid_index=4", 4}, {" sgid_index=9", 9}, {"", 1}} {
		f.Qps[0].Attr, f.Qps[1].Attr = verbs.QPAttr{}, verbs.QPAttr{}
		sessiontest.Execute(t, s, "connect_qps a b"+tt.args)
		for _, q := range f.Qps {
			if a := q.Attr.AH.GRH; a.SGIDIndex != tt.row || a.DGID != f.GID(1, int(tt.row)) {
				t.Errorf("connect_qps a b%s: %+v", tt.args, a)
			}
		}
		sessiontest.RunScript(t, s, "modify_qp a RESET\nmodify_qp b RESET")
	}
}
