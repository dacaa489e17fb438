package soft

import (
	"context"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
)

// cmSide is one end of a connection that the connection manager makes.
type cmSide struct {
	t       testing.TB
	channel verbs.CMEventChannel
	id      verbs.CMID
	pd      verbs.PD
	cq      verbs.CQ
	qp      verbs.QP
}

const cmPort = 7471

var soft0, soft1 = netip.AddrPortFrom(loopback(0), cmPort), netip.AddrPortFrom(loopback(1), cmPort)

func newCMSide(t testing.TB, p *Provider, space verbs.CMPortSpace) *cmSide {
	t.Helper()
	s := &cmSide{t: t, channel: must(p.CreateEventChannel())(t)}
	closeAtEnd(t, s.channel)
	s.id = must(s.channel.CreateID(space))(t)
	closeAtEnd(t, s.id)
	return s
}

// event takes the next event, which must be of a type. In virtual time it waits without limit.
func (s *cmSide) event(want verbs.CMEventType) verbs.CMEvent {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	ev, err := s.channel.GetEvent(ctx)
	if err != nil {
		s.t.Fatalf("%v, want %s", err, want)
	}
	if ev.Type != want {
		s.t.Fatalf("event %s, status %d, want %s", ev.Type, ev.Status, want)
	}
	if ev.Status > 0 && want != verbs.CMRejected && want != verbs.CMUnreachable { // the peer's code
		s.t.Errorf("%s has status %d", ev.Type, ev.Status)
	}
	return ev
}

// quiet fails if an event is pending.
func (s *cmSide) quiet() {
	s.t.Helper()
	synctest.Wait()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if ev, err := s.channel.GetEvent(ctx); err == nil {
		s.t.Fatalf("unexpected event %s, status %d", ev.Type, ev.Status)
	}
}

// equip makes a queue pair on the identifier.
func (s *cmSide) equip() {
	s.t.Helper()
	typ := verbs.RC
	if s.id.PortSpace() == verbs.PortSpaceUDP {
		typ = verbs.UD
	}
	if s.pd == nil {
		s.pd = must(s.id.Device().AllocPD())(s.t)
		closeAtEnd(s.t, s.pd)
		s.cq = must(s.id.Device().CreateCQ(verbs.CQSpec{CQE: 64}))(s.t)
		closeAtEnd(s.t, s.cq)
	}
	s.qp = must(s.id.CreateQP(s.pd, verbs.QPSpec{
		QPType: typ, SendCQ: s.cq, RecvCQ: s.cq,
		Cap: verbs.QPCap{MaxSendWR: 16, MaxRecvWR: 16, MaxSendSGE: 1, MaxRecvSGE: 1, MaxInlineData: 64},
	}))(s.t)
	closeAtEnd(s.t, s.qp)
}

// resolve prepares the identifier for Connect.
func (s *cmSide) resolve(to netip.AddrPort) {
	s.t.Helper()
	ok(s.t, s.id.ResolveAddr(netip.AddrPort{}, to, time.Second))
	s.event(verbs.CMAddrResolved)
	ok(s.t, s.id.ResolveRoute(time.Second))
	s.event(verbs.CMRouteResolved)
}

// listen listens for requests.
func (s *cmSide) listen(at netip.AddrPort) {
	s.t.Helper()
	ok(s.t, s.id.BindAddr(at))
	ok(s.t, s.id.Listen(0))
}

// request takes a request and returns its identifier as a side on the same channel.
func (s *cmSide) request() (*cmSide, verbs.CMEvent) {
	s.t.Helper()
	ev := s.event(verbs.CMConnectRequest)
	if ev.ListenID != s.id {
		s.t.Fatal("the request is not of this listener")
	}
	closeAtEnd(s.t, ev.ID)
	return &cmSide{t: s.t, channel: s.channel, id: ev.ID}, ev
}

var cmParam = verbs.CMConnParam{ResponderResources: 3, InitiatorDepth: 2, RetryCount: 6, RNRRetryCount: 5}

// cmConnect makes a connection from soft0 to soft1.
func cmConnect(t testing.TB, p *Provider) (active, passive *cmSide) {
	t.Helper()
	listener := newCMSide(t, p, verbs.PortSpaceTCP)
	listener.listen(soft1)
	return connectTo(listener, p)
}

// connectTo makes a connection from soft0 to a listener on soft1.
func connectTo(listener *cmSide, p *Provider) (active, passive *cmSide) {
	t := listener.t
	t.Helper()
	active = newCMSide(t, p, verbs.PortSpaceTCP)
	active.resolve(listener.id.LocalAddr())
	active.equip()
	ok(t, active.id.Connect(cmParam))
	passive, ev := listener.request()
	passive.equip()
	ok(t, passive.id.Accept(verbs.CMConnParam{ResponderResources: ev.Conn.ResponderResources,
		InitiatorDepth: ev.Conn.InitiatorDepth, RNRRetryCount: 4}))
	active.event(verbs.CMEstablished)
	passive.event(verbs.CMEstablished)
	return active, passive
}

// close closes all objects of a side, except a channel that belongs to another.
func (s *cmSide) close() {
	s.t.Helper()
	if s.qp != nil {
		ok(s.t, s.qp.Close())
		ok(s.t, s.cq.Close())
		ok(s.t, s.pd.Close())
	}
	ok(s.t, s.id.Close())
}

// cmTalk sends one byte each way.
func cmTalk(t testing.TB, a, b *cmSide) {
	t.Helper()
	for _, s := range []*cmSide{a, b} {
		mr := must(s.pd.RegMR(verbs.MRSpec{Length: 64, Access: everything}))(t)
		defer mr.Close()
		half := &side{t: t, cq: s.cq, qp: s.qp}
		half.recv(verbs.RecvWR{WRID: 1, SGList: sge(mr, 0, 8)})
	}
	for _, s := range []*cmSide{a, b} {
		mr := must(s.pd.RegMR(verbs.MRSpec{Length: 64, Access: everything}))(t)
		defer mr.Close()
		half := &side{t: t, cq: s.cq, qp: s.qp}
		half.send(verbs.SendWR{WRID: 2, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled, SGList: sge(mr, 0, 8)})
	}
	for _, s := range []*cmSide{a, b} {
		half := &side{t: t, cq: s.cq, qp: s.qp}
		for _, wc := range half.wait(2) {
			if wc.Status != verbs.WCSuccess {
				t.Fatalf("wr_id %d: %s", wc.WRID, wc.Status)
			}
		}
	}
}

// post posts n RECVs of a region's start.
func (s *cmSide) post(n int, length uint32) *side {
	s.t.Helper()
	mr := must(s.pd.RegMR(verbs.MRSpec{Length: 4096, Access: everything}))(s.t)
	closeAtEnd(s.t, mr)
	half := &side{t: s.t, cq: s.cq, qp: s.qp, pd: s.pd}
	for range n {
		half.recv(verbs.RecvWR{WRID: 1, SGList: sge(mr, 0, length)})
	}
	return half
}

// messages sends n messages.
func (s *cmSide) messages(n int, length uint32, change func(wr *verbs.SendWR)) {
	s.t.Helper()
	mr := must(s.pd.RegMR(verbs.MRSpec{Length: 4096, Access: everything}))(s.t)
	closeAtEnd(s.t, mr)
	half := &side{t: s.t, cq: s.cq, qp: s.qp}
	for range n {
		wr := verbs.SendWR{WRID: 2, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled, SGList: sge(mr, 0, length)}
		if change != nil {
			change(&wr)
		}
		half.send(wr)
	}
}

// finish waits for completions, all of which must be good.
func (s *cmSide) finish(n int) []verbs.WC {
	s.t.Helper()
	half := &side{t: s.t, cq: s.cq, qp: s.qp}
	all := half.wait(n)
	for _, wc := range all {
		if wc.Status != verbs.WCSuccess {
			s.t.Fatalf("wr_id %d: %s", wc.WRID, wc.Status)
		}
	}
	return all
}

func TestCMConnect(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		a, b := cmConnect(t, p)
		cmTalk(t, a, b)
		ok(t, a.id.Disconnect())
		b.event(verbs.CMDisconnected)
		ok(t, b.id.Disconnect())
		a.event(verbs.CMDisconnected)
		a.event(verbs.CMTimewaitExit)
		b.event(verbs.CMTimewaitExit)
		a.quiet()
		b.quiet()
		for _, device := range []string{"soft0", "soft1"} {
			for _, name := range []string{"dropped_mads", "cm_expired", "cm_evicted", "cm_no_room", "cm_unanswered",
				"cm_timewait_cut", "cm_sidr_forgotten"} {
				if n := counterOf(t, p, device, name); n != 0 {
					t.Errorf("%s of %s is %d", name, device, n)
				}
			}
		}
		for from, to := range map[string]string{"soft0": "soft1", "soft1": "soft0"} {
			if sent, got := counterOf(t, p, from, "sent_mads"),
				counterOf(t, p, to, "rcvd_mads"); sent != got || sent < 2 {
				t.Errorf("%s sent %d messages, %s received %d", from, sent, to, got)
			}
		}
	})
}
