package transport

import (
	"net/netip"
	"testing"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/memory"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

// end is a queue pair with its objects, on an adapter of its own, without a device: package soft tests whole devices.
type end struct {
	t    testing.TB
	addr netip.Addr
	a    Adapter
	e    *Engine
	d    Device
	pd   *PD
	cq   *CQ
	q    *QP
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// newEnd makes a queue pair, in RESET, on a link that wakes its engine. If polled is set, the link is a socket.
func newEnd(t testing.TB, typ verbs.QPType, addr netip.Addr, polled bool,
	attach func(wake func()) (link.Link, error)) *end {
	t.Helper()
	n := uint64(addr.As4()[3]) << 40
	var source uint16
	if polled { // all packets have the RoCE source port
		source = wire.Port
	}
	s := &end{t: t, addr: addr}
	s.a.Init(Config{
		Name: "test", Addrs: []netip.Addr{addr}, MTU: MaxMTU, Source: source,
		Polled: polled, Memory: memory.OfProcess(),
		Random:  &object.Random{Next: func() uint64 { n += 1 << 32; return n }},
		TakeMAD: func(*wire.Packet, *link.Path) {}, UseHeaders: func(int) {},
	})
	s.e = NewEngine(&s.a)
	port, err := attach(s.e.Wake)
	ok(t, err)
	ok(t, s.e.Use(port))
	s.e.Start(port)
	t.Cleanup(func() {
		s.e.Halt()
		ok(t, port.Close())
	})
	s.d.Init(&s.a, s.e, false, func() {})
	pd, err := s.d.AllocPD()
	ok(t, err)
	cq, err := s.d.CreateCQ(verbs.CQSpec{CQE: 64})
	ok(t, err)
	s.pd, s.cq = pd.(*PD), cq.(*CQ)
	s.q, err = s.pd.NewQP(verbs.QPSpec{
		QPType: typ, SendCQ: cq, RecvCQ: cq, Cap: verbs.QPCap{MaxSendWR: 4, MaxRecvWR: 4, MaxSendSGE: 4, MaxRecvSGE: 4},
	})
	ok(t, err)
	return s
}

// bringUp takes the queue pair to RTS. Its timeout of 69 s is longer than any test takes in real time.
func (s *end) bringUp(peer *end) {
	s.t.Helper()
	var rtr, rts verbs.AttrMask
	if s.q.Type() == verbs.RC {
		rtr = verbs.AttrMaxDestRDAtomic | verbs.AttrMinRNRTimer
		rts = verbs.AttrTimeout | verbs.AttrRetryCnt | verbs.AttrRNRRetry | verbs.AttrMaxQPRDAtomic
	}
	ok(s.t, s.q.Modify(verbs.QPAttr{
		Mask:    verbs.AttrState | verbs.AttrPKeyIndex | verbs.AttrPort | verbs.AttrAccessFlags,
		QPState: verbs.QPInit, PortNum: 1,
	}))
	ok(s.t, s.q.Modify(verbs.QPAttr{
		Mask:    verbs.AttrState | verbs.AttrAV | verbs.AttrPathMTU | verbs.AttrDestQPN | verbs.AttrRQPSN | rtr,
		QPState: verbs.QPRTR, PathMTU: verbs.MTU1024, DestQPNum: peer.q.Num(), MaxDestRDAtomic: 1,
		AH: verbs.AHAttr{IsGlobal: true, PortNum: 1,
			GRH: verbs.GlobalRoute{DGID: verbs.GIDFromAddr(peer.addr), HopLimit: 64}},
	}))
	ok(s.t, s.q.Modify(verbs.QPAttr{
		Mask:    verbs.AttrState | verbs.AttrSQPSN | rts,
		QPState: verbs.QPRTS, Timeout: 24, RetryCnt: 7, RNRRetry: 7, MaxRDAtomic: 1,
	}))
}

// connect brings two ends up on a fabric of their own.
func connect(t testing.TB, typ verbs.QPType) (a, b *end) {
	t.Helper()
	fabric := new(link.Fabric)
	on := func(addr string) *end {
		ip := netip.MustParseAddr(addr)
		return newEnd(t, typ, ip, false, func(wake func()) (link.Link, error) { return fabric.Attach(wake, ip) })
	}
	a, b = on("127.0.0.1"), on("127.0.0.2")
	a.bringUp(b)
	b.bringUp(a)
	return a, b
}

// loopback brings two ends up on UDP, on free addresses.
func loopback(t testing.TB) (a, b *end) {
	t.Helper()
	var ends []*end
	for n := byte(1); len(ends) < 2; n++ {
		port, err := link.Bind(netip.AddrFrom4([4]byte{127, 77, 4, n}), link.Options{})
		if err != nil {
			if n == 200 {
				t.Skip("UDP port 4791 is not available here")
			}
			continue
		}
		ends = append(ends, newEnd(t, verbs.RC, port.Addr(), true, func(wake func()) (link.Link, error) {
			return port.Attach(wake)
		}))
	}
	a, b = ends[0], ends[1]
	a.bringUp(b)
	b.bringUp(a)
	return a, b
}

func (s *end) recv(id uint64) {
	s.t.Helper()
	_, err := s.q.PostRecv(verbs.RecvWR{WRID: id})
	ok(s.t, err)
}

func (s *end) send(id uint64, op verbs.WROpcode) {
	s.t.Helper()
	_, err := s.q.PostSend(verbs.SendWR{WRID: id, Opcode: op, SendFlags: verbs.SendSignaled})
	ok(s.t, err)
}

// want polls until a completion arrives, which must be the given one.
func (s *end) want(id uint64, status verbs.WCStatus) {
	s.t.Helper()
	var wc [1]verbs.WC
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Microsecond) {
		n, err := s.cq.Poll(wc[:])
		ok(s.t, err)
		if n == 1 {
			break
		}
		if time.Now().After(end) {
			s.t.Fatal("no completion arrived")
		}
	}
	if wc[0].WRID != id || wc[0].Status != status {
		s.t.Fatalf("completion wr_id %d %s, want wr_id %d %s", wc[0].WRID, wc[0].Status, id, status)
	}
}
