package traffic

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"syscall"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/oob"
	"rdmatui/session/queue"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// peer is what is known of a remote queue pair.
type peer struct {
	*core.Node
	rec oob.Record

	regions []oob.Region // regions that it exposes, as far as known; guarded by Session.mu

	// An unfinished exchange; accessed with the slot held.
	conn   *oob.Conn
	own    []oob.Record // one, or one per queue pair of a shared receive queue
	tell   []oob.Region // own regions; nil: the exchange carries none
	shared bool         // exchange as ibv_srq_pingpong does
	server bool
}

// Close closes the connection of an unfinished exchange.
func (p *peer) Close() error {
	if p.conn == nil {
		return nil
	}
	conn := p.conn
	p.conn = nil
	return conn.Close()
}

// Fields implements [core.Body].
func (p *peer) Fields() []core.Field {
	text := func(s string) func() (string, error) { return func() (string, error) { return s, nil } }
	all := []core.Field{
		{Name: "qp_num", Text: text(p.rec.QPN.String())},
		{Name: "psn", Text: text(p.rec.PSN.String())},
		{Name: "lid", Text: text(fmt.Sprint(p.rec.LID))},
		{Name: "gid", Text: text(p.rec.GID.String())},
		{Name: "record", Text: text(p.rec.String())},
	}
	for i := range p.regions {
		r := &p.regions[i]
		of := func(prefix string) []core.Field {
			return []core.Field{{Name: prefix + "addr", Text: text(fmt.Sprintf("0x%x", r.Addr))},
				{Name: prefix + "rkey", Text: text(fmt.Sprintf("0x%x", r.RKey))},
				{Name: prefix + "length", Text: text(fmt.Sprint(r.Length))}}
		}
		if i == 0 {
			all = append(all, of("")...)
		}
		all = append(all, of(r.Name+".")...)
	}
	return all
}

// PeerByHand carries out the peer command.
func PeerByHand(c *core.Call) error {
	name, err := c.NewName(command.KindPeer)
	if err != nil {
		return err
	}
	p := &peer{}
	if c.Cmd.Has("record") {
		if p.rec, err = oob.ParseRecord(c.Cmd.String("record")); err != nil {
			return err
		}
	}
	for _, f := range []struct {
		name string
		set  func()
	}{
		{"lid", func() { p.rec.LID = uint16(c.Cmd.Uint("lid")) }},
		{"qp_num", func() { p.rec.QPN = verbs.QPN(c.Cmd.Uint("qp_num")) }},
		{"psn", func() { p.rec.PSN = verbs.PSN(c.Cmd.Uint("psn")) }},
		{"gid", func() { p.rec.GID = c.Cmd.GID("gid") }},
	} {
		if c.Cmd.Has(f.name) {
			f.set()
		}
	}
	if c.Cmd.Has("rkey") {
		p.regions = []oob.Region{{Name: "mr", Addr: c.Cmd.Uint("addr"), Length: c.Cmd.Uint("length"),
			RKey: uint32(c.Cmd.Uint("rkey"))}}
	}
	enterPeer(c, p, name)
	c.Done.Result += p.describeRegions()
	return nil
}

func enterPeer(c *core.Call, p *peer, name string) {
	p.Node = &core.Node{Name: name, Kind: command.KindPeer, Body: p}
	c.Enter(p.Node)
	c.Done.Result = fmt.Sprintf("qp_num %s, psn %s, lid %d, gid %s", p.rec.QPN, p.rec.PSN, p.rec.LID, p.rec.GID)
}

// Exchange carries out the exchange command.
func Exchange(c *core.Call) error {
	p := &peer{server: !c.Cmd.Has("address"), shared: c.Cmd.Has("srq")}
	qps, err := exchanged(c)
	if err != nil {
		return err
	}
	for _, q := range qps {
		if err := q.PD.Device.Info.Lack(verbs.ByHand); err != nil {
			return err
		}
	}
	names, err := peerNames(c, p.shared, len(qps))
	if err != nil {
		return err
	}
	p.own = make([]oob.Record, len(qps))
	for i, q := range qps {
		if p.own[i], err = OwnRecord(c, q); err != nil {
			return err
		}
	}
	if c.Cmd.Bool("regions") {
		p.tell = openRegions(c, qps[0])
	}
	timeout := c.Cmd.Duration("timeout")
	ctx, cancel := context.WithTimeout(c.Ctx, timeout)
	defer cancel()
	theirs, err := dialogue(ctx, c, p, qps)
	if err != nil {
		return dialogueError(c, err, p.server, qps...)
	}
	if theirs[0].GID.IsZero() && p.own[0].LID == 0 {
		c.Warn("the peer sent no GID: on RoCE start the stock program with -g INDEX")
	}
	c.S.Mu.Lock()
	for i, q := range qps {
		q.Joins(names[i], nil)
		q.Told.To = theirs[i].GID
	}
	c.S.Mu.Unlock()
	p.rec = theirs[0]
	enterPeer(c, p, names[0])
	for i, name := range names[1:] {
		enterPeer(c, &peer{rec: theirs[i+1], regions: p.regions}, name)
	}
	if p.shared {
		c.Done.Result = fmt.Sprintf("%s, the first of them: %s", format.Counted(len(names), "peer"), p.rec)
	}
	c.Done.Result += p.describeRegions()
	return nil
}

// OwnRecord returns the record of the queue pair that the peer is sent.
func OwnRecord(c *core.Call, q *queue.QP) (oob.Record, error) {
	c.S.Mu.Lock()
	defer c.S.Mu.Unlock()
	if q.RenewPSN(c.S); c.Cmd.Has("psn") {
		q.PSN = verbs.PSN(c.Cmd.Uint("psn"))
	}
	if c.Cmd.Has("sgid_index") {
		q.SGID = c.Cmd.Int("sgid_index")
	}
	d := q.PD.Device
	rec := oob.Record{LID: d.Port(q.Port()).LID, QPN: q.Num, PSN: q.PSN}
	if !d.NeedsGRH(q.Port()) && !q.NamesGID() {
		return rec, nil // InfiniBand is addressed by LID
	}
	e, err := q.OwnGID()
	if err != nil {
		return rec, err
	}
	rec.GID, q.Told = e.GID, queue.ToldGID{Own: e}
	c.Choose("sgid_index", fmt.Sprint(e.Index))
	if !c.Cmd.Has("srq") {
		c.Choose("psn", q.PSN.String())
	}
	return rec, nil
}

// Readdress sets the own GID to the one on the route to the peer, now that the peer's
// GID or the address of its TCP connection, which may be on another network, is
// known. If the routing table has no route to the peer's GID, the own GID is at least
// of the same type. A GID row that the user chose stays.
func Readdress(c *core.Call, q *queue.QP, own *oob.Record, peer netip.Addr, isGID bool) {
	c.S.Mu.Lock()
	defer c.S.Mu.Unlock()
	if q.NamesGID() || own.GID.IsZero() {
		return
	}
	e, err := q.PD.Device.GIDs.Network.GIDTo(q.PD.Device.GIDs.Rows, q.Port(), peer)
	if err != nil || !e.Routed && (!isGID || !e.GID.SameKind(verbs.GIDFromAddr(peer)) || own.GID.SameKind(e.GID)) {
		return
	}
	own.GID, q.Told = e.GID, queue.ToldGID{Own: e}
	c.Choose("sgid_index", fmt.Sprint(e.Index))
}

// dialogue exchanges records with the peer, one for each of its own; with hold=0 it
// also finishes the exchange.
func dialogue(ctx context.Context, c *core.Call, p *peer, qps []*queue.QP) (theirs []oob.Record, err error) {
	if p.server {
		return servePeer(ctx, c, p, qps)
	}
	p.conn, err = oob.Dial(ctx, c.Cmd.String("address"), uint16(c.Cmd.Uint("port")))
	if err == nil {
		for i, q := range qps {
			Readdress(c, q, &p.own[i], p.conn.Peer(), false)
		}
		err = p.send(ctx)
	}
	if err == nil {
		theirs, err = p.receive(ctx, p.conn)
	}
	if err == nil && !c.Cmd.Bool("hold") {
		err = p.finish(ctx, c)
	}
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return theirs, nil
}

// finish sends or receives the last message of the exchange and closes the
// connection.
func (p *peer) finish(ctx context.Context, c *core.Call) error {
	var err error
	if p.server {
		err = p.send(ctx)
	}
	if err == nil {
		err = p.end(ctx, c)
	}
	return errors.Join(err, p.Close())
}

// dialogueError returns the error of an exchange. One that may be due to the port of the queue pairs waits for the
// peer.
func dialogueError(c *core.Call, err error, server bool, qps ...*queue.QP) error {
	late := &core.TimeUpError{Text: err.Error(), Err: err, Awaited: core.Awaited{Kind: core.AwaitedPeer},
		Step: oob.NextStep(err)}
	for _, q := range qps {
		late.Awaited.Objects = append(late.Awaited.Objects, q.Name)
	}
	within := format.Span(c.Cmd.Duration("timeout"))
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		c.Done.Hint = "another program listens on that port: end it or choose another port="
	case errors.Is(err, syscall.EADDRNOTAVAIL) && server:
		c.Done.Hint = "listen= must be an address of this host, or any"
	case errors.Is(err, context.DeadlineExceeded) && c.Ctx.Err() == nil && server:
		late.Text, late.Err = "no peer completed the exchange within "+within, nil
		late.Step = "start the client at the peer within that time, or give a longer timeout="
		return late
	case errors.Is(err, context.DeadlineExceeded) && c.Ctx.Err() == nil:
		late.Text, late.Err = "the peer did not answer within "+within, nil
		return late
	case slices.ContainsFunc(byRoute, func(no syscall.Errno) bool { return errors.Is(err, no) }):
		return late
	case c.Ctx.Err() == nil:
		c.Done.Hint = late.Step
	}
	return err
}

// byRoute are errors that a link which is down leads to.
var byRoute = []syscall.Errno{
	syscall.ENETUNREACH, syscall.EHOSTUNREACH, syscall.EADDRNOTAVAIL, syscall.ENETDOWN, syscall.ETIMEDOUT,
}

// ExchangeFinish carries out exchange_finish.
func ExchangeFinish(c *core.Call) error {
	p, err := core.ArgAs[*peer](c, "peer", func(n *core.Node) bool { return n.Body.(*peer).conn != nil })
	if err != nil {
		return err
	}
	if p.conn == nil {
		return fmt.Errorf("the exchange with %s is already finished", p.Name)
	}
	ctx, cancel := context.WithTimeout(c.Ctx, c.Cmd.Duration("timeout"))
	defer cancel()
	if err := p.finish(ctx, c); err != nil {
		return dialogueError(c, err, p.server)
	}
	c.S.Changed()
	c.Done.Result = "finished" + p.describeRegions()
	return nil
}

// View implements [core.Body].
func (p *peer) View(v *core.Snapshot) {
	view := core.PeerView{Name: p.Name, LID: p.rec.LID, QPN: p.rec.QPN, PSN: p.rec.PSN, GID: p.rec.GID}
	for _, r := range p.regions {
		view.Regions = append(view.Regions, core.RemoteRegion(r))
	}
	v.Peers = append(v.Peers, view)
}
