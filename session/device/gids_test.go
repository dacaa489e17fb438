package device_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/oob"
	"rdmatui/session/queue"
	"rdmatui/session/sessiontest"
	"rdmatui/session/traffic"
	"rdmatui/verbs"
	"rdmatui/verbs/route"
)

// TestExchangeGoesByTheRoute: both ends send, and use as source, the GID on the route to the other end, whatever the
// default is. A row that was named stays.
func TestExchangeGoesByTheRoute(t *testing.T) {
	way := netip.Addr{}
	var asked []netip.Addr
	network := &route.Network{Source: func(dst netip.Addr) (netip.Addr, error) {
		asked = append(asked, dst)
		return way, nil
	}}
	open := func(t *testing.T) (s *session.Session, chosen, other verbs.GIDEntry) {
		s = sessiontest.NewSoft(t, core.Options{Network: network})
		sessiontest.RunScript(t, s, "open_device soft0\nalloc_pd pd\ncreate_cq cq\ncreate_qp a")
		rows := s.Snapshot().Devices[0].GIDs
		chosen, err := route.GID(rows, 1, verbs.GID{})
		if err != nil || len(rows) < 2 {
			t.Fatalf("%+v: two rows needed; %v", rows, err)
		}
		return s, chosen, rows[1-chosen.Index]
	}
	for _, tt := range []struct {
		name      string
		elsewhere bool // the route uses another device
		named     bool
		other     bool // the expected row is not the default one
	}{
		{name: "the route uses another row", other: true},
		{name: "the route uses another device", elsewhere: true},
		{name: "named", named: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, want, other := open(t)
			way, asked = other.GID.Addr(), nil
			args := ""
			switch {
			case tt.elsewhere:
				way = netip.MustParseAddr("192.0.2.1")
			case tt.named:
				args = fmt.Sprint(" sgid_index=", want.Index)
			case tt.other:
				want = other
			}
			port, ended := sessiontest.Serving(t, s, "exchange p qp=a hold=1"+args)
			c, err := oob.Dial(t.Context(), "127.0.0.1", port)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			theirs := oob.Record{QPN: 7, PSN: 8, GID: verbs.GIDFromAddr(netip.MustParseAddr("10.100.0.2"))}
			if err := c.Send(t.Context(), theirs); err != nil {
				t.Fatal(err)
			}
			if err := <-ended; err != nil {
				t.Fatal(err)
			}
			if len(asked) > 0 && asked[0] != theirs.GID.Addr() {
				t.Errorf("the route to %s was looked up", asked[0])
			}
			finished := make(chan error, 1)
			go func() {
				_, err := s.Exec(t.Context(), "exchange_finish p")
				finished <- err
			}()
			told, err := c.Receive(t.Context())
			if err != nil || told.GID != want.GID {
				t.Errorf("the peer was sent %s, %v; want %s", told.GID, err, want.GID)
			}
			if err := c.SendDone(t.Context()); err != nil {
				t.Error(err)
			}
			if err := <-finished; err != nil {
				t.Error(err)
			}
			way = netip.MustParseAddr("192.0.2.1") // the route changes; the GID that the peer was sent stays
			s.Core().Mu.RLock()
			q := s.Core().Graph.ByName["a"].Body.(*queue.QP)
			from, err := q.SourceGID(1, theirs.GID)
			s.Core().Mu.RUnlock()
			if err != nil || from.Index != want.Index {
				t.Errorf("it sends from row %d, %v; want %d", from.Index, err, want.Index)
			}
		})
	}
}

// TestReaddress: a peer is sent a GID of the same type as its own, since only that can reach it. The address of its TCP
// connection counts only if the routing table has a route through the device.
func TestReaddress(t *testing.T) {
	s, f := sessiontest.Card(t, onEthernet(verbs.PortActive))
	f.Gids = nil
	for i, addr := range []string{"fe80::1", "10.9.0.1", "fd00:9::1"} {
		f.Gids = append(f.Gids, verbs.GIDEntry{
			PortNum: 1, Index: i, Type: verbs.GIDTypeRoCEv2,
			Netdev: "d0", GID: verbs.GIDFromAddr(netip.MustParseAddr(addr)),
		})
	}
	s.Core().Opts.Network = &route.Network{Source: func(dst netip.Addr) (netip.Addr, error) {
		if dst.Zone() == "d0" {
			return netip.MustParseAddr("fe80::1"), nil
		}
		return netip.MustParseAddr("192.0.2.1"), nil // through another device
	}}
	sessiontest.RunScript(t, s, "open_device\n"+onePair)
	q := s.Core().Graph.ByName["a"].Body.(*queue.QP)
	for _, tt := range []struct {
		peer  string
		isGID bool
		want  string
	}{
		{"10.8.0.2", true, "::ffff:10.9.0.1"},
		{"fe80::2", true, "fe80::1"},
		{"fe80::2%d0", false, "fe80::1"},
		{"fe80::2%e0", false, "::ffff:10.9.0.1"},
		{"fd00:8::2", true, "fd00:9::1"},
		{"fd00:8::2", false, "::ffff:10.9.0.1"},
		{"127.0.0.1", false, "::ffff:10.9.0.1"},
	} {
		cmd, err := command.Parse("exchange p qp=a")
		if err != nil {
			t.Fatal(err)
		}
		c := &core.Call{S: s.Core(), Cmd: cmd}
		own, err := traffic.OwnRecord(c, q)
		if err != nil {
			t.Fatal(err)
		}
		traffic.Readdress(c, q, &own, netip.MustParseAddr(tt.peer), tt.isGID)
		if own.GID.String() != tt.want {
			t.Errorf("%s is sent %s, want %s", tt.peer, own.GID, tt.want)
		}
	}
}

// TestPeerWithoutGID: a missing GID is warned of if this end has no LID, since a path then needs GIDs.
func TestPeerWithoutGID(t *testing.T) {
	for _, tt := range []struct {
		port verbs.PortAttr
		gid  verbs.GID
		want bool
	}{
		{sessiontest.InfiniBand(verbs.PortActive, 4), verbs.GID{}, false},
		{sessiontest.InfiniBand(verbs.PortActive, 4), verbs.GID{15: 9}, false},
		{sessiontest.InfiniBand(verbs.PortActive, 0), verbs.GID{}, true},
		{sessiontest.InfiniBand(verbs.PortActive, 0), verbs.GID{15: 9}, false},
	} {
		s, _ := sessiontest.Card(t, tt.port)
		sessiontest.RunScript(t, s, "open_device\nalloc_pd pd\ncreate_cq cq\ncreate_qp a")
		port, ended := sessiontest.Serving(t, s, "exchange p qp=a hold=1")
		c, err := oob.Dial(t.Context(), "127.0.0.1", port)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Send(t.Context(), oob.Record{LID: 9, QPN: 7, PSN: 8, GID: tt.gid}); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		all := sessiontest.Commands(s)
		if check := all[len(all)-1].Check; strings.Contains(check, "the peer sent no GID") != tt.want {
			t.Errorf("LID %d, GID %s: check %q", tt.port.LID, tt.gid, check)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}
