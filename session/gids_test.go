package session

import (
	"fmt"
	"net/netip"
	"testing"

	"rdmatui/session/oob"
	"rdmatui/verbs"
)

// TestExchangeGoesByTheRoute: both ends tell the GID of the row by which the way to the
// other leaves, and send from it, whatever most connections want. A row that is named
// stays.
func TestExchangeGoesByTheRoute(t *testing.T) {
	way := netip.Addr{}
	var asked []netip.Addr
	network := &verbs.Network{Source: func(dst netip.Addr) (netip.Addr, error) {
		asked = append(asked, dst)
		return way, nil
	}}
	open := func(t *testing.T) (s *Session, chosen, other verbs.GIDEntry) {
		s = newSoft(t, Options{Network: network})
		runScript(t, s, "open_device soft0\nalloc_pd pd\ncreate_cq cq\ncreate_qp a")
		rows := s.Snapshot().Devices[0].GIDs
		chosen, err := verbs.ChooseGID(rows, 1, verbs.GID{})
		if err != nil || len(rows) < 2 {
			t.Fatalf("%+v: two rows are needed; %v", rows, err)
		}
		return s, chosen, rows[1-chosen.Index]
	}
	for _, tt := range []struct {
		name      string
		elsewhere bool // the way leaves by another device
		named     bool
		other     bool // the row that is wanted is not the one that most connections want
	}{
		{name: "another row's way", other: true},
		{name: "a way by another device", elsewhere: true},
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
			port, ended := serving(t, s, "exchange p qp=a hold=1"+args)
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
				t.Errorf("the way to %s was asked for", asked[0])
			}
			finished := make(chan error, 1)
			go func() {
				_, err := s.Exec(t.Context(), "exchange_finish p")
				finished <- err
			}()
			told, err := c.Receive(t.Context())
			if err != nil || told.GID != want.GID {
				t.Errorf("the peer was told %s, %v; want %s", told.GID, err, want.GID)
			}
			if err := c.SendDone(t.Context()); err != nil {
				t.Error(err)
			}
			if err := <-finished; err != nil {
				t.Error(err)
			}
			way = netip.MustParseAddr("192.0.2.1") // the way changes; what the peer was told counts
			s.mu.RLock()
			q := s.graph.byName["a"].res.(*queuePair)
			from, err := q.sourceGID(1, theirs.GID)
			s.mu.RUnlock()
			if err != nil || from.Index != want.Index {
				t.Errorf("it sends from row %d, %v; want %d", from.Index, err, want.Index)
			}
		})
	}
}

// TestNeedsGRH: every path needs a GRH where ports have no LIDs.
func TestNeedsGRH(t *testing.T) {
	for _, tt := range []struct {
		port verbs.PortAttr
		want bool
	}{
		{verbs.PortAttr{LinkLayer: verbs.LinkEthernet}, true},
		{verbs.PortAttr{LinkLayer: verbs.LinkInfiniBand, LID: 3}, false},
		{verbs.PortAttr{LinkLayer: verbs.LinkInfiniBand, LID: 3, Flags: verbs.PortGRHRequired}, true},
		{verbs.PortAttr{LinkLayer: verbs.LinkUnspecified}, true}, // EFA
		{verbs.PortAttr{LinkLayer: verbs.LinkUnspecified, LID: 3}, false},
	} {
		d := &device{ports: []verbs.PortAttr{tt.port}}
		if got := d.needsGRH(1); got != tt.want {
			t.Errorf("%s, LID %d, flags %d: %v", tt.port.LinkLayer, tt.port.LID, tt.port.Flags, got)
		}
	}
}
