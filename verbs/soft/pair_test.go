package soft

import (
	"bytes"
	"testing"
	"time"

	"rdmatui/verbs"
)

// side is one end of a connection with its objects.
type side struct {
	t   testing.TB
	dev verbs.Device
	pd  verbs.PD
	ch  verbs.CompChannel // nil without pairOptions.events
	cq  verbs.CQ
	srq verbs.SRQ
	qp  verbs.QP
	gid verbs.GIDEntry
}

// pairOptions vary a connection; the zero value is an ordinary RC one.
type pairOptions struct {
	typ                verbs.QPType
	mtu                verbs.MTU
	psnA, psnB         verbs.PSN
	access             verbs.Access
	noAccess           bool
	depth, sge         uint32
	timeout, retry     uint8
	rnrRetry, rnrTimer uint8
	rdAtomic           uint8
	gidIndex           int
	stayInRTR          bool // b does not go to RTS
	cqe                int
	qkey               uint32 // of UD
	shared             uint32 // requests of a shared receive queue; 0: each queue pair has its own
	keepZero           bool   // of timeout, retry, rnrRetry and rnrTimer
	events             bool   // the queues have completion channels
}

// patient is a queue pair's timeout of 69 s, for tests in real time without loss: a busy machine must not cause
// retransmissions.
const patient = 24

func (o pairOptions) withDefaults() pairOptions {
	def := func(p *uint8, v uint8) {
		if *p == 0 && !o.keepZero {
			*p = v
		}
	}
	def(&o.timeout, 14)
	def(&o.retry, 7)
	def(&o.rnrRetry, 7)
	def(&o.rnrTimer, 12)
	def(&o.rdAtomic, 4)
	if o.typ == 0 {
		o.typ = verbs.RC
	}
	if o.mtu == 0 {
		o.mtu = verbs.MTU1024
	}
	if o.access == 0 && !o.noAccess {
		o.access = verbs.RemoteRead | verbs.RemoteWrite | verbs.RemoteAtomic
	}
	if o.depth == 0 {
		o.depth = 64
	}
	if o.sge == 0 {
		o.sge = 4
	}
	if o.cqe == 0 {
		o.cqe = int(4 * o.depth)
	}
	if o.gidIndex == 0 {
		o.gidIndex = 1
	} else if o.gidIndex < 0 {
		o.gidIndex = 0
	}
	return o
}

func must[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newSide(t testing.TB, p *Provider, device string, o pairOptions) *side {
	t.Helper()
	s := &side{t: t}
	s.dev = must(p.Open(device))(t)
	closeAtEnd(t, s.dev)
	s.pd = must(s.dev.AllocPD())(t)
	closeAtEnd(t, s.pd)
	if o.events {
		s.ch = must(s.dev.CreateCompChannel())(t)
		closeAtEnd(t, s.ch)
	}
	s.cq = must(s.dev.CreateCQ(verbs.CQSpec{CQE: o.cqe, Channel: s.ch}))(t)
	closeAtEnd(t, s.cq)
	if o.shared > 0 {
		s.srq = must(s.pd.CreateSRQ(verbs.SRQSpec{MaxWR: o.shared, MaxSGE: o.sge}))(t)
		closeAtEnd(t, s.srq)
	}
	s.qp = s.newQP(o)
	s.gid = must(s.dev.QueryGID(1, o.gidIndex))(t)
	return s
}

// placements are the operations that only ibv_wr_* can post.
var placements = map[verbs.QPType]verbs.SendOps{verbs.RC: verbs.WRFlush.SendOp() | verbs.WRAtomicWrite.SendOp()}

func (s *side) newQP(o pairOptions) verbs.QP {
	s.t.Helper()
	qp := must(s.pd.CreateQP(verbs.QPSpec{
		QPType: o.typ, SendCQ: s.cq, RecvCQ: s.cq, SRQ: s.srq,
		Cap: verbs.QPCap{MaxSendWR: o.depth, MaxRecvWR: o.depth, MaxSendSGE: o.sge, MaxRecvSGE: o.sge,
			MaxInlineData: 64}, SendOps: placements[o.typ],
	}))(s.t)
	closeAtEnd(s.t, qp)
	return qp
}

func closeAtEnd(t testing.TB, c interface{ Close() error }) {
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("closing %T: %v", c, err)
		}
	})
}

func (s *side) newMR(n int, access verbs.Access) verbs.MR {
	s.t.Helper()
	mr := must(s.pd.RegMR(verbs.MRSpec{Length: uint64(n), Access: access}))(s.t)
	closeAtEnd(s.t, mr)
	return mr
}

const everything = verbs.LocalWrite | verbs.RemoteWrite | verbs.RemoteRead | verbs.RemoteAtomic

func (s *side) toInit(o pairOptions) error {
	a := verbs.QPAttr{
		Mask:    verbs.AttrState | verbs.AttrPKeyIndex | verbs.AttrPort | verbs.AttrAccessFlags,
		QPState: verbs.QPInit, PortNum: 1, QPAccessFlags: o.access,
	}
	if o.typ == verbs.UD {
		a.Mask = verbs.AttrState | verbs.AttrPKeyIndex | verbs.AttrPort | verbs.AttrQKey
		a.QKey = o.qkey
	}
	return s.qp.Modify(a)
}

func (s *side) rtrAttr(o pairOptions, dgid verbs.GID, dest verbs.QPN, rqPSN verbs.PSN) verbs.QPAttr {
	a := verbs.QPAttr{
		Mask:    verbs.AttrState | verbs.AttrAV | verbs.AttrPathMTU | verbs.AttrDestQPN | verbs.AttrRQPSN,
		QPState: verbs.QPRTR, PathMTU: o.mtu, DestQPNum: dest, RQPSN: rqPSN,
		MaxDestRDAtomic: o.rdAtomic, MinRNRTimer: o.rnrTimer,
		AH: verbs.AHAttr{IsGlobal: true, PortNum: 1,
			GRH: verbs.GlobalRoute{DGID: dgid, SGIDIndex: uint8(o.gidIndex), HopLimit: 64}},
	}
	switch o.typ {
	case verbs.RC:
		a.Mask |= verbs.AttrMaxDestRDAtomic | verbs.AttrMinRNRTimer
	case verbs.UD:
		a = verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPRTR}
	}
	return a
}

func rtsAttr(o pairOptions, sqPSN verbs.PSN) verbs.QPAttr {
	a := verbs.QPAttr{
		Mask: verbs.AttrState | verbs.AttrSQPSN, QPState: verbs.QPRTS, SQPSN: sqPSN,
		Timeout: o.timeout, RetryCnt: o.retry, RNRRetry: o.rnrRetry, MaxRDAtomic: o.rdAtomic,
	}
	if o.typ == verbs.RC {
		a.Mask |= verbs.AttrTimeout | verbs.AttrRetryCnt | verbs.AttrRNRRetry | verbs.AttrMaxQPRDAtomic
	}
	return a
}

// connect opens the two devices and brings a queue pair of each up.
func connect(t testing.TB, p *Provider, from, to string, o pairOptions) (a, b *side) {
	t.Helper()
	o = o.withDefaults()
	a, b = newSide(t, p, from, o), newSide(t, p, to, o)
	bringUp(t, a, b, o)
	return a, b
}

func bringUp(t testing.TB, a, b *side, o pairOptions) {
	t.Helper()
	ok(t, a.toInit(o))
	ok(t, b.toInit(o))
	ok(t, a.qp.Modify(a.rtrAttr(o, b.gid.GID, b.qp.Num(), o.psnB)))
	ok(t, b.qp.Modify(b.rtrAttr(o, a.gid.GID, a.qp.Num(), o.psnA)))
	ok(t, a.qp.Modify(rtsAttr(o, o.psnA)))
	if !o.stayInRTR {
		ok(t, b.qp.Modify(rtsAttr(o, o.psnB)))
	}
}

func sge(mr verbs.MR, off uint64, n uint32) []verbs.SGE {
	return []verbs.SGE{{Addr: mr.Addr() + off, Length: n, LKey: mr.LKey()}}
}

func (s *side) send(wrs ...verbs.SendWR) {
	s.t.Helper()
	if n, err := s.qp.PostSend(wrs...); err != nil || n != len(wrs) {
		s.t.Fatalf("PostSend took %d of %d: %v", n, len(wrs), err)
	}
}

func (s *side) recv(wrs ...verbs.RecvWR) {
	s.t.Helper()
	if n, err := s.qp.PostRecv(wrs...); err != nil || n != len(wrs) {
		s.t.Fatalf("PostRecv took %d of %d: %v", n, len(wrs), err)
	}
}

// share posts to the shared receive queue.
func (s *side) share(wrs ...verbs.RecvWR) {
	s.t.Helper()
	if n, err := s.srq.PostRecv(wrs...); err != nil || n != len(wrs) {
		s.t.Fatalf("SRQ.PostRecv took %d of %d: %v", n, len(wrs), err)
	}
}

// wait polls until n completions have arrived. Its timeout only catches a broken engine.
func (s *side) wait(n int) []verbs.WC {
	s.t.Helper()
	var got []verbs.WC
	buf := make([]verbs.WC, 16)
	for end := time.Now().Add(time.Minute); len(got) < n; {
		k := must(s.cq.Poll(buf[:min(len(buf), n-len(got))]))(s.t)
		got = append(got, buf[:k]...)
		if k == 0 {
			if time.Now().After(end) {
				s.t.Fatalf("got %d of %d completions: %+v", len(got), n, got)
			}
			time.Sleep(20 * time.Microsecond)
		}
	}
	return got
}

// want waits for one completion and checks its status.
func (s *side) want(wrID uint64, status verbs.WCStatus) verbs.WC {
	s.t.Helper()
	wc := s.wait(1)[0]
	if wc.WRID != wrID || wc.Status != status || wc.QPNum != s.qp.Num() {
		s.t.Fatalf("completion wr_id %d %s of %s; want wr_id %d %s of %s", wc.WRID, wc.Status, wc.QPNum, wrID,
			status, s.qp.Num())
	}
	return wc
}

// nothing fails if there is a completion.
func (s *side) nothing() {
	s.t.Helper()
	var buf [1]verbs.WC
	if n := must(s.cq.Poll(buf[:]))(s.t); n != 0 {
		s.t.Fatalf("unexpected completion: %+v", buf[0])
	}
}

func (s *side) state() verbs.QPState {
	s.t.Helper()
	attr, _, err := s.qp.Query(verbs.AttrState)
	ok(s.t, err)
	return attr.QPState
}

// pattern returns bytes that differ from their neighbours and between seeds.
func pattern(n int, seed byte) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(i*7+i>>8) ^ seed
	}
	return p
}

func fill(t testing.TB, mr verbs.MR, p []byte, off int64) {
	t.Helper()
	if _, err := mr.WriteAt(p, off); err != nil {
		t.Fatal(err)
	}
}

func wantBytes(t testing.TB, mr verbs.MR, want []byte, off int64) {
	t.Helper()
	got := make([]byte, len(want))
	if _, err := mr.ReadAt(got, off); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("byte %d of %d is 0x%02x, want 0x%02x", i, len(got), got[i], want[i])
			}
		}
	}
}
