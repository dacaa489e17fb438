package softtest

import (
	"context"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/wire"
)

// CMSide is one end of a connection that the connection manager makes.
type CMSide struct {
	T       testing.TB
	Channel verbs.CMEventChannel
	ID      verbs.CMID
	PD      verbs.PD
	CQ      verbs.CQ
	QP      verbs.QP
}

// CMPort is the port of the connection manager that tests listen on.
const CMPort = 7471

// Soft0 and soft1 are addresses of the two devices in memory.
var Soft0, Soft1 = netip.MustParseAddrPort("127.0.0.1:7471"), netip.MustParseAddrPort("127.0.0.2:7471")

// NewCMSide makes an identifier with a channel of its own.
func NewCMSide(t testing.TB, p Provider, space verbs.CMPortSpace) *CMSide {
	t.Helper()
	s := &CMSide{T: t, Channel: Must(p.CreateEventChannel())(t)}
	CloseAtEnd(t, s.Channel)
	s.ID = Must(s.Channel.CreateID(space))(t)
	CloseAtEnd(t, s.ID)
	return s
}

// Event takes the next event, which must be of a type. In virtual time it waits without limit.
func (s *CMSide) Event(want verbs.CMEventType) verbs.CMEvent {
	s.T.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	ev, err := s.Channel.GetEvent(ctx)
	if err != nil {
		s.T.Fatalf("%v, want %s", err, want)
	}
	if ev.Type != want {
		s.T.Fatalf("event %s, status %d, want %s", ev.Type, ev.Status, want)
	}
	if ev.Status > 0 && want != verbs.CMRejected && want != verbs.CMUnreachable { // the peer's code
		s.T.Errorf("%s has status %d", ev.Type, ev.Status)
	}
	return ev
}

// Quiet fails if an event is pending.
func (s *CMSide) Quiet() {
	s.T.Helper()
	synctest.Wait()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if ev, err := s.Channel.GetEvent(ctx); err == nil {
		s.T.Fatalf("unexpected event %s, status %d", ev.Type, ev.Status)
	}
}

// Equip makes a queue pair on the identifier.
func (s *CMSide) Equip() {
	s.T.Helper()
	typ := verbs.RC
	if s.ID.PortSpace() == verbs.PortSpaceUDP {
		typ = verbs.UD
	}
	if s.PD == nil {
		s.PD = Must(s.ID.Device().AllocPD())(s.T)
		CloseAtEnd(s.T, s.PD)
		s.CQ = Must(s.ID.Device().CreateCQ(verbs.CQSpec{CQE: 64}))(s.T)
		CloseAtEnd(s.T, s.CQ)
	}
	s.QP = Must(s.ID.CreateQP(s.PD, verbs.QPSpec{
		QPType: typ, SendCQ: s.CQ, RecvCQ: s.CQ,
		Cap: verbs.QPCap{MaxSendWR: 16, MaxRecvWR: 16, MaxSendSGE: 1, MaxRecvSGE: 1, MaxInlineData: 64},
	}))(s.T)
	CloseAtEnd(s.T, s.QP)
}

// Resolve prepares the identifier for Connect.
func (s *CMSide) Resolve(to netip.AddrPort) {
	s.T.Helper()
	OK(s.T, s.ID.ResolveAddr(netip.AddrPort{}, to, time.Second))
	s.Event(verbs.CMAddrResolved)
	OK(s.T, s.ID.ResolveRoute(time.Second))
	s.Event(verbs.CMRouteResolved)
}

// Listen listens for requests.
func (s *CMSide) Listen(at netip.AddrPort) {
	s.T.Helper()
	OK(s.T, s.ID.BindAddr(at))
	OK(s.T, s.ID.Listen(0))
}

// Request takes a request and returns its identifier as a side on the same channel.
func (s *CMSide) Request() (*CMSide, verbs.CMEvent) {
	s.T.Helper()
	ev := s.Event(verbs.CMConnectRequest)
	if ev.ListenID != s.ID {
		s.T.Fatal("the request is not of this listener")
	}
	CloseAtEnd(s.T, ev.ID)
	return &CMSide{T: s.T, Channel: s.Channel, ID: ev.ID}, ev
}

// CMParam are the parameters that tests connect with.
var CMParam = verbs.CMConnParam{ResponderResources: 3, InitiatorDepth: 2, RetryCount: 6, RNRRetryCount: 5}

// CMConnect makes a connection from soft0 to soft1.
func CMConnect(t testing.TB, p Provider) (active, passive *CMSide) {
	t.Helper()
	listener := NewCMSide(t, p, verbs.PortSpaceTCP)
	listener.Listen(Soft1)
	return ConnectTo(listener, p)
}

// ConnectTo makes a connection from soft0 to a listener on soft1.
func ConnectTo(listener *CMSide, p Provider) (active, passive *CMSide) {
	t := listener.T
	t.Helper()
	active = NewCMSide(t, p, verbs.PortSpaceTCP)
	active.Resolve(listener.ID.LocalAddr())
	active.Equip()
	OK(t, active.ID.Connect(CMParam))
	passive, ev := listener.Request()
	passive.Equip()
	OK(t, passive.ID.Accept(verbs.CMConnParam{ResponderResources: ev.Conn.ResponderResources,
		InitiatorDepth: ev.Conn.InitiatorDepth, RNRRetryCount: 4}))
	active.Event(verbs.CMEstablished)
	passive.Event(verbs.CMEstablished)
	return active, passive
}

// Close closes all objects of a side, except a channel that belongs to another.
func (s *CMSide) Close() {
	s.T.Helper()
	if s.QP != nil {
		OK(s.T, s.QP.Close())
		OK(s.T, s.CQ.Close())
		OK(s.T, s.PD.Close())
	}
	OK(s.T, s.ID.Close())
}

// CMTalk sends one byte each way.
func CMTalk(t testing.TB, a, b *CMSide) {
	t.Helper()
	for _, s := range []*CMSide{a, b} {
		mr := Must(s.PD.RegMR(verbs.MRSpec{Length: 64, Access: Everything}))(t)
		defer mr.Close()
		half := &Side{T: t, CQ: s.CQ, QP: s.QP}
		half.Recv(verbs.RecvWR{WRID: 1, SGList: SGE(mr, 0, 8)})
	}
	for _, s := range []*CMSide{a, b} {
		mr := Must(s.PD.RegMR(verbs.MRSpec{Length: 64, Access: Everything}))(t)
		defer mr.Close()
		half := &Side{T: t, CQ: s.CQ, QP: s.QP}
		half.Send(verbs.SendWR{WRID: 2, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled, SGList: SGE(mr, 0, 8)})
	}
	for _, s := range []*CMSide{a, b} {
		half := &Side{T: t, CQ: s.CQ, QP: s.QP}
		for _, wc := range half.Wait(2) {
			if wc.Status != verbs.WCSuccess {
				t.Fatalf("wr_id %d: %s", wc.WRID, wc.Status)
			}
		}
	}
}

// Post posts n RECVs of a region's start.
func (s *CMSide) Post(n int, length uint32) *Side {
	s.T.Helper()
	mr := Must(s.PD.RegMR(verbs.MRSpec{Length: 4096, Access: Everything}))(s.T)
	CloseAtEnd(s.T, mr)
	half := &Side{T: s.T, CQ: s.CQ, QP: s.QP, PD: s.PD}
	for range n {
		half.Recv(verbs.RecvWR{WRID: 1, SGList: SGE(mr, 0, length)})
	}
	return half
}

// Messages sends n messages.
func (s *CMSide) Messages(n int, length uint32, change func(wr *verbs.SendWR)) {
	s.T.Helper()
	mr := Must(s.PD.RegMR(verbs.MRSpec{Length: 4096, Access: Everything}))(s.T)
	CloseAtEnd(s.T, mr)
	half := &Side{T: s.T, CQ: s.CQ, QP: s.QP}
	for range n {
		wr := verbs.SendWR{WRID: 2, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled, SGList: SGE(mr, 0, length)}
		if change != nil {
			change(&wr)
		}
		half.Send(wr)
	}
}

// Finish waits for completions, all of which must be good.
func (s *CMSide) Finish(n int) []verbs.WC {
	s.T.Helper()
	half := &Side{T: s.T, CQ: s.CQ, QP: s.QP}
	all := half.Wait(n)
	for _, wc := range all {
		if wc.Status != verbs.WCSuccess {
			s.T.Fatalf("wr_id %d: %s", wc.WRID, wc.Status)
		}
	}
	return all
}

// MadPacket makes the packet of a management datagram.
func MadPacket(data []byte) *wire.Packet {
	return &wire.Packet{
		BTH:  wire.BTH{Opcode: wire.UDSendOnly, PKey: object.FullPKey, DestQP: object.GSIQPN},
		DETH: wire.DETH{QKey: wire.QKeyGSI, SrcQP: object.GSIQPN}, Payload: data,
	}
}
