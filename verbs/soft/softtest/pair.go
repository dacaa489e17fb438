package softtest

import (
	"bytes"
	"testing"
	"time"

	"rdmatui/verbs"
)

// Side is one end of a connection with its objects.
type Side struct {
	T   testing.TB
	Dev verbs.Device
	PD  verbs.PD
	Ch  verbs.CompChannel // nil without pairOptions.events
	CQ  verbs.CQ
	SRQ verbs.SRQ
	QP  verbs.QP
	GID verbs.GIDEntry
}

// PairOptions vary a connection; the zero value is an ordinary RC one.
type PairOptions struct {
	Typ                verbs.QPType
	MTU                verbs.MTU
	PSNA, PSNB         verbs.PSN
	Access             verbs.Access
	NoAccess           bool
	Depth, SGE         uint32
	Timeout, Retry     uint8
	RNRRetry, RNRTimer uint8
	RDAtomic           uint8
	GIDIndex           int
	StayInRTR          bool // b does not go to RTS
	CQE                int
	QKey               uint32 // of UD
	Shared             uint32 // requests of a shared receive queue; 0: each queue pair has its own
	KeepZero           bool   // of timeout, retry, rnrRetry and rnrTimer
	Events             bool   // the queues have completion channels
}

// Patient is a queue pair's timeout of 69 s, for tests in real time without loss: a busy machine must not cause
// retransmissions.
const Patient = 24

// WithDefaults fills in what the test leaves open.
func (o PairOptions) WithDefaults() PairOptions {
	def := func(p *uint8, v uint8) {
		if *p == 0 && !o.KeepZero {
			*p = v
		}
	}
	def(&o.Timeout, 14)
	def(&o.Retry, 7)
	def(&o.RNRRetry, 7)
	def(&o.RNRTimer, 12)
	def(&o.RDAtomic, 4)
	if o.Typ == 0 {
		o.Typ = verbs.RC
	}
	if o.MTU == 0 {
		o.MTU = verbs.MTU1024
	}
	if o.Access == 0 && !o.NoAccess {
		o.Access = verbs.RemoteRead | verbs.RemoteWrite | verbs.RemoteAtomic
	}
	if o.Depth == 0 {
		o.Depth = 64
	}
	if o.SGE == 0 {
		o.SGE = 4
	}
	if o.CQE == 0 {
		o.CQE = int(4 * o.Depth)
	}
	if o.GIDIndex == 0 {
		o.GIDIndex = 1
	} else if o.GIDIndex < 0 {
		o.GIDIndex = 0
	}
	return o
}

// Must returns a function that returns the value, or fails the test with the error.
func Must[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// OK fails the test with an error.
func OK(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// NewSide opens a device and makes the objects of one end.
func NewSide(t testing.TB, p Provider, device string, o PairOptions) *Side {
	t.Helper()
	s := &Side{T: t}
	s.Dev = Must(p.Open(device))(t)
	CloseAtEnd(t, s.Dev)
	s.PD = Must(s.Dev.AllocPD())(t)
	CloseAtEnd(t, s.PD)
	if o.Events {
		s.Ch = Must(s.Dev.CreateCompChannel())(t)
		CloseAtEnd(t, s.Ch)
	}
	s.CQ = Must(s.Dev.CreateCQ(verbs.CQSpec{CQE: o.CQE, Channel: s.Ch}))(t)
	CloseAtEnd(t, s.CQ)
	if o.Shared > 0 {
		s.SRQ = Must(s.PD.CreateSRQ(verbs.SRQSpec{MaxWR: o.Shared, MaxSGE: o.SGE}))(t)
		CloseAtEnd(t, s.SRQ)
	}
	s.QP = s.NewQP(o)
	s.GID = Must(s.Dev.QueryGID(1, o.GIDIndex))(t)
	return s
}

// Placements are the operations that only ibv_wr_* can post.
var Placements = map[verbs.QPType]verbs.SendOps{verbs.RC: verbs.WRFlush.SendOp() | verbs.WRAtomicWrite.SendOp()}

// NewQP makes a queue pair with the side's queues.
func (s *Side) NewQP(o PairOptions) verbs.QP {
	s.T.Helper()
	qp := Must(s.PD.CreateQP(verbs.QPSpec{
		QPType: o.Typ, SendCQ: s.CQ, RecvCQ: s.CQ, SRQ: s.SRQ,
		Cap: verbs.QPCap{MaxSendWR: o.Depth, MaxRecvWR: o.Depth, MaxSendSGE: o.SGE, MaxRecvSGE: o.SGE,
			MaxInlineData: 64}, SendOps: Placements[o.Typ],
	}))(s.T)
	CloseAtEnd(s.T, qp)
	return qp
}

// CloseAtEnd closes an object when the test ends.
func CloseAtEnd(t testing.TB, c interface{ Close() error }) {
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("closing %T: %v", c, err)
		}
	})
}

// NewMR registers a region until the test ends.
func (s *Side) NewMR(n int, access verbs.Access) verbs.MR {
	s.T.Helper()
	mr := Must(s.PD.RegMR(verbs.MRSpec{Length: uint64(n), Access: access}))(s.T)
	CloseAtEnd(s.T, mr)
	return mr
}

// Everything are all rights of a region that RC needs.
const Everything = verbs.LocalWrite | verbs.RemoteWrite | verbs.RemoteRead | verbs.RemoteAtomic

// ToInit moves the queue pair to INIT.
func (s *Side) ToInit(o PairOptions) error {
	a := verbs.QPAttr{
		Mask:    verbs.AttrState | verbs.AttrPKeyIndex | verbs.AttrPort | verbs.AttrAccessFlags,
		QPState: verbs.QPInit, PortNum: 1, QPAccessFlags: o.Access,
	}
	if o.Typ == verbs.UD {
		a.Mask = verbs.AttrState | verbs.AttrPKeyIndex | verbs.AttrPort | verbs.AttrQKey
		a.QKey = o.QKey
	}
	return s.QP.Modify(a)
}

// RtrAttr returns the attributes of the move to RTR.
func (s *Side) RtrAttr(o PairOptions, dgid verbs.GID, dest verbs.QPN, rqPSN verbs.PSN) verbs.QPAttr {
	a := verbs.QPAttr{
		Mask:    verbs.AttrState | verbs.AttrAV | verbs.AttrPathMTU | verbs.AttrDestQPN | verbs.AttrRQPSN,
		QPState: verbs.QPRTR, PathMTU: o.MTU, DestQPNum: dest, RQPSN: rqPSN,
		MaxDestRDAtomic: o.RDAtomic, MinRNRTimer: o.RNRTimer,
		AH: verbs.AHAttr{IsGlobal: true, PortNum: 1,
			GRH: verbs.GlobalRoute{DGID: dgid, SGIDIndex: uint8(o.GIDIndex), HopLimit: 64}},
	}
	switch o.Typ {
	case verbs.RC:
		a.Mask |= verbs.AttrMaxDestRDAtomic | verbs.AttrMinRNRTimer
	case verbs.UD:
		a = verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPRTR}
	}
	return a
}

// RtsAttr returns the attributes of the move to RTS.
func RtsAttr(o PairOptions, sqPSN verbs.PSN) verbs.QPAttr {
	a := verbs.QPAttr{
		Mask: verbs.AttrState | verbs.AttrSQPSN, QPState: verbs.QPRTS, SQPSN: sqPSN,
		Timeout: o.Timeout, RetryCnt: o.Retry, RNRRetry: o.RNRRetry, MaxRDAtomic: o.RDAtomic,
	}
	if o.Typ == verbs.RC {
		a.Mask |= verbs.AttrTimeout | verbs.AttrRetryCnt | verbs.AttrRNRRetry | verbs.AttrMaxQPRDAtomic
	}
	return a
}

// Connect opens the two devices and brings a queue pair of each up.
func Connect(t testing.TB, p Provider, from, to string, o PairOptions) (a, b *Side) {
	t.Helper()
	o = o.WithDefaults()
	a, b = NewSide(t, p, from, o), NewSide(t, p, to, o)
	BringUp(t, a, b, o)
	return a, b
}

// BringUp moves both queue pairs to RTS.
func BringUp(t testing.TB, a, b *Side, o PairOptions) {
	t.Helper()
	OK(t, a.ToInit(o))
	OK(t, b.ToInit(o))
	OK(t, a.QP.Modify(a.RtrAttr(o, b.GID.GID, b.QP.Num(), o.PSNB)))
	OK(t, b.QP.Modify(b.RtrAttr(o, a.GID.GID, a.QP.Num(), o.PSNA)))
	OK(t, a.QP.Modify(RtsAttr(o, o.PSNA)))
	if !o.StayInRTR {
		OK(t, b.QP.Modify(RtsAttr(o, o.PSNB)))
	}
}

// SGE returns a list of one piece of a region.
func SGE(mr verbs.MR, off uint64, n uint32) []verbs.SGE {
	return []verbs.SGE{{Addr: mr.Addr() + off, Length: n, LKey: mr.LKey()}}
}

// Send posts send requests, all of which must be accepted.
func (s *Side) Send(wrs ...verbs.SendWR) {
	s.T.Helper()
	if n, err := s.QP.PostSend(wrs...); err != nil || n != len(wrs) {
		s.T.Fatalf("PostSend took %d of %d: %v", n, len(wrs), err)
	}
}

// Recv posts receive requests, all of which must be accepted.
func (s *Side) Recv(wrs ...verbs.RecvWR) {
	s.T.Helper()
	if n, err := s.QP.PostRecv(wrs...); err != nil || n != len(wrs) {
		s.T.Fatalf("PostRecv took %d of %d: %v", n, len(wrs), err)
	}
}

// Share posts to the shared receive queue.
func (s *Side) Share(wrs ...verbs.RecvWR) {
	s.T.Helper()
	if n, err := s.SRQ.PostRecv(wrs...); err != nil || n != len(wrs) {
		s.T.Fatalf("SRQ.PostRecv took %d of %d: %v", n, len(wrs), err)
	}
}

// Wait polls until n completions have arrived. Its timeout only catches a broken engine.
func (s *Side) Wait(n int) []verbs.WC {
	s.T.Helper()
	var got []verbs.WC
	buf := make([]verbs.WC, 16)
	for end := time.Now().Add(time.Minute); len(got) < n; {
		k := Must(s.CQ.Poll(buf[:min(len(buf), n-len(got))]))(s.T)
		got = append(got, buf[:k]...)
		if k == 0 {
			if time.Now().After(end) {
				s.T.Fatalf("got %d of %d completions: %+v", len(got), n, got)
			}
			time.Sleep(20 * time.Microsecond)
		}
	}
	return got
}

// Want waits for one completion and checks its status.
func (s *Side) Want(wrID uint64, status verbs.WCStatus) verbs.WC {
	s.T.Helper()
	wc := s.Wait(1)[0]
	if wc.WRID != wrID || wc.Status != status || wc.QPNum != s.QP.Num() {
		s.T.Fatalf("completion wr_id %d %s of %s; want wr_id %d %s of %s", wc.WRID, wc.Status, wc.QPNum, wrID,
			status, s.QP.Num())
	}
	return wc
}

// Nothing fails if there is a completion.
func (s *Side) Nothing() {
	s.T.Helper()
	var buf [1]verbs.WC
	if n := Must(s.CQ.Poll(buf[:]))(s.T); n != 0 {
		s.T.Fatalf("unexpected completion: %+v", buf[0])
	}
}

// State queries the queue pair's state.
func (s *Side) State() verbs.QPState {
	s.T.Helper()
	attr, _, err := s.QP.Query(verbs.AttrState)
	OK(s.T, err)
	return attr.QPState
}

// Pattern returns bytes that differ from their neighbours and between seeds.
func Pattern(n int, seed byte) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(i*7+i>>8) ^ seed
	}
	return p
}

// Fill writes bytes into a region.
func Fill(t testing.TB, mr verbs.MR, p []byte, off int64) {
	t.Helper()
	if _, err := mr.WriteAt(p, off); err != nil {
		t.Fatal(err)
	}
}

// WantBytes compares bytes of a region.
func WantBytes(t testing.TB, mr verbs.MR, want []byte, off int64) {
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
