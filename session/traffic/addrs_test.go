package traffic

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"testing"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/oob"
	"rdmatui/session/queue"
	"rdmatui/session/region"
	"rdmatui/verbs"
	"rdmatui/verbs/route"
)

// row is a row of RoCE v2 of a GID table.
func row(port uint8, index int, addr, netdev string) verbs.GIDEntry {
	return verbs.GIDEntry{PortNum: port, Index: index, GID: verbs.GIDFromAddr(netip.MustParseAddr(addr)),
		Type: verbs.GIDTypeRoCEv2, Netdev: netdev}
}

// onDevice returns a queue pair without a port of its own on a device with these rows. The routes map destinations to
// source addresses.
func onDevice(layer verbs.LinkLayer, routes map[string]string, rows ...verbs.GIDEntry) *queue.QP {
	port := verbs.PortAttr{LinkLayer: layer, State: verbs.PortActive, LID: 3}
	d := &device.Device{Node: &core.Node{Name: "d0"}, Ports: []verbs.PortAttr{port, port}, GIDs: device.GIDTable{
		Rows: rows, Network: route.Network{Source: func(dst netip.Addr) (netip.Addr, error) {
			if from := routes[dst.String()]; from != "" {
				return netip.MustParseAddr(from), nil
			}
			return netip.Addr{}, syscall.ENETUNREACH
		}},
	}}
	return &queue.QP{Node: &core.Node{Name: "qp"}, PD: &region.PD{Device: d}, SGID: -1, Num: 0x11}
}

// TestOnLink: a link-local address of a peer is on the link of its connection.
func TestOnLink(t *testing.T) {
	conn := netip.MustParseAddr("fe80::9%eth3")
	for addr, want := range map[string]string{"fe80::1": "fe80::1%eth3", "10.0.0.1": "10.0.0.1",
		"2001:db8::1": "2001:db8::1"} {
		if got := onLink(netip.MustParseAddr(addr), conn); got.String() != want {
			t.Errorf("%s: %s, want %s", addr, got, want)
		}
	}
}

// TestReaddress: the own GID becomes the one on the route to the peer. Without a route it becomes one of the type of
// the peer's GID, unless it is that already; the type of a TCP connection says nothing. What the user chose stays.
func TestReaddress(t *testing.T) {
	four, six := row(1, 1, "10.0.0.1", "eth0"), row(1, 2, "2001:db8::1", "eth1")
	other := row(1, 3, "10.8.0.1", "eth2")
	routes := map[string]string{"10.8.0.2": "10.8.0.1"}
	for _, tt := range []struct {
		name  string
		own   verbs.GIDEntry
		peer  string
		isGID bool
		named bool
		want  verbs.GIDEntry
	}{
		{"a route", four, "10.8.0.2", true, false, other},
		{"a route to a connection", four, "10.8.0.2", false, false, other},
		{"no route, the same type", other, "10.9.0.2", true, false, other},
		{"no route, another type", four, "2001:db8::9", true, false, six},
		{"no route to a connection", four, "2001:db8::9", false, false, four},
		{"chosen by the user", four, "10.8.0.2", true, true, four},
		{"InfiniBand", verbs.GIDEntry{}, "10.8.0.2", true, false, verbs.GIDEntry{}},
	} {
		q := onDevice(verbs.LinkEthernet, routes, four, six, other)
		if tt.named {
			q.SGID = 1
		}
		cmd, err := command.Parse("exchange qp=qp")
		if err != nil {
			t.Fatal(err)
		}
		c, own := &core.Call{S: &core.Session{}, Cmd: cmd}, oob.Record{GID: tt.own.GID}
		Readdress(c, q, &own, netip.MustParseAddr(tt.peer), tt.isGID)
		changed := tt.want.GID != tt.own.GID
		if own.GID != tt.want.GID || (q.Told.Own.GID == tt.want.GID) != changed && changed ||
			c.Cmd.Has("sgid_index") != changed || changed && c.Cmd.String("sgid_index") != fmt.Sprint(tt.want.Index) {
			t.Errorf("%s: %s, index %q, want row %d", tt.name, own.GID, c.Cmd.String("sgid_index"), tt.want.Index)
		}
	}
}

// TestDialogueError: the error of an exchange has a hint, or says who did not answer for how long, at the end that it
// happened at. What the user has stopped is no timeout.
func TestDialogueError(t *testing.T) {
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		err    error
		server bool
		ctx    context.Context
		want   string
		hint   string
	}{
		{syscall.ECONNREFUSED, false, t.Context(), "connection refused", "no program listens there"},
		{syscall.EADDRINUSE, true, t.Context(), "address already in use", "another program listens on that port"},
		{syscall.EADDRNOTAVAIL, true, t.Context(), "cannot assign requested address", "listen= must be an address of"},
		{syscall.EADDRNOTAVAIL, false, t.Context(), "cannot assign requested address", ""},
		{context.DeadlineExceeded, true, t.Context(), "no peer completed the exchange within 7 s", ""},
		{context.DeadlineExceeded, false, t.Context(), "the peer did not answer within 7 s", ""},
		{context.DeadlineExceeded, false, stopped, "context deadline exceeded", ""},
		{syscall.EPIPE, false, t.Context(), "broken pipe", "read the last line of the peer's program"},
		{syscall.EPIPE, false, stopped, "broken pipe", ""},
	} {
		cmd, err := command.Parse("exchange qp=qp timeout=7s")
		if err != nil {
			t.Fatal(err)
		}
		c := &core.Call{S: &core.Session{}, Ctx: tt.ctx, Cmd: cmd}
		err = dialogueError(c, fmt.Errorf("x: %w", tt.err), tt.server)
		if !strings.HasSuffix(err.Error(), tt.want) || !strings.HasPrefix(c.Done.Hint, tt.hint) ||
			(c.Done.Hint == "") != (tt.hint == "") {
			t.Errorf("%v, server %v: %v, hint %q", tt.err, tt.server, err, c.Done.Hint)
		}
		var late *core.TimeUpError // its hint is found later, or else its step
		if waited := errors.As(err, &late) && late.Step != ""; waited == (tt.hint != "" || tt.ctx == stopped) {
			t.Errorf("%v, server %v: a next step beside the hint: %v", tt.err, tt.server, waited)
		}
	}
}

// TestOwnRecord: the peer is sent the LID alone on InfiniBand, and the GID where the ends address each other by it or
// the user has named one.
func TestOwnRecord(t *testing.T) {
	first, second := row(1, 0, "10.0.0.1", "eth0"), row(1, 1, "10.0.0.2", "eth0")
	for _, tt := range []struct {
		name  string
		layer verbs.LinkLayer
		line  string
		want  string // of the line
		gid   verbs.GID
	}{
		{"InfiniBand", verbs.LinkInfiniBand, "exchange qp=qp psn=7", "", verbs.GID{}},
		{"RoCE", verbs.LinkEthernet, "exchange qp=qp psn=7", "0", first.GID},
		{"a row", verbs.LinkEthernet, "exchange qp=qp psn=7 sgid_index=1", "1", second.GID},
		{"a row on InfiniBand", verbs.LinkInfiniBand, "exchange qp=qp psn=7 sgid_index=1", "1", second.GID},
	} {
		cmd, err := command.Parse(tt.line)
		if err != nil {
			t.Fatal(err)
		}
		q := onDevice(tt.layer, nil, first, second)
		c := &core.Call{S: &core.Session{Opts: core.Options{Rand: func() uint32 { return 99 }}}, Cmd: cmd}
		rec, err := OwnRecord(c, q)
		want := oob.Record{LID: 3, QPN: 0x11, PSN: 7, GID: tt.gid}
		if err != nil || rec != want || c.Cmd.String("sgid_index") != tt.want || q.PSN != 7 {
			t.Errorf("%s: %+v, %v, index %q", tt.name, rec, err, c.Cmd.String("sgid_index"))
		}
	}
}

// TestPeerParts: an exchange without a connection ends at once; the regions of a peer are listed with their sizes.
func TestPeerParts(t *testing.T) {
	p := &peer{}
	if err := p.Close(); err != nil || p.describeRegions() != "" {
		t.Errorf("%v, %q", err, p.describeRegions())
	}
	p.regions = []oob.Region{{Name: "a", Length: 4096, RKey: 0x1f}, {Name: "b", Length: 1 << 20, RKey: 2}}
	if got, want := p.describeRegions(), "; regions: a (4 KiB, rkey 0x1f), b (1 MiB, rkey 0x2)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	var names []string
	for _, f := range p.Fields() {
		if text, err := f.Text(); err == nil && f.Name != "record" && text != "" {
			names = append(names, f.Name)
		}
	}
	want := []string{"qp_num", "psn", "lid", "gid", "addr", "rkey", "length", "a.addr", "a.rkey", "a.length", "b.addr",
		"b.rkey", "b.length"}
	if !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

// TestQueuePairsOn: the queue pairs of a shared receive queue are those that use it, in the order of their making.
func TestQueuePairsOn(t *testing.T) {
	srq, other, s := &queue.SRQ{}, &queue.SRQ{}, &core.Session{}
	for i, of := range []*queue.SRQ{srq, nil, other, srq} {
		s.Graph.Add(&core.Node{Name: fmt.Sprint("q", i), Body: &queue.QP{Num: verbs.QPN(i), SRQ: of}})
	}
	s.Graph.Add(&core.Node{Name: "p", Body: &peer{}})
	if got := queuePairsOn(s, srq); len(got) != 2 || got[0].Num != 0 || got[1].Num != 3 {
		t.Errorf("%d queue pairs", len(got))
	}
	if got := queuePairsOn(s, &queue.SRQ{}); got != nil {
		t.Errorf("%d queue pairs of an unused one", len(got))
	}
}

// TestPeerNames: the peers of several queue pairs have numbered names, none of which may be taken.
func TestPeerNames(t *testing.T) {
	s := &core.Session{}
	s.Graph.Add(&core.Node{Name: "taken-2", Body: &peer{}})
	for _, tt := range []struct {
		name   string
		shared bool
		want   []string
		err    string
	}{
		{"x", false, []string{"x"}, ""}, {"x", true, []string{"x-1", "x-2", "x-3"}, ""},
		{"taken", true, nil, "the name taken-2 is taken"}, {"taken-2", false, nil, "the name taken-2 is taken"},
	} {
		cmd, err := command.Parse("exchange qp=qp name=" + tt.name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := peerNames(&core.Call{S: s, Cmd: cmd}, tt.shared, 3)
		if (err == nil) != (tt.err == "") || err != nil && !strings.HasPrefix(err.Error(), tt.err) ||
			err == nil && !slices.Equal(got, tt.want) {
			t.Errorf("%s, shared %v: %q, %v", tt.name, tt.shared, got, err)
		}
	}
}
