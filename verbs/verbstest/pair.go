package verbstest

import (
	"testing"
	"time"

	"rdmatui/verbs"
)

// patience bounds every wait for what must happen; no test measures time against it.
const patience = 20 * time.Second

const (
	initMask = verbs.AttrState | verbs.AttrPKeyIndex | verbs.AttrPort | verbs.AttrAccessFlags
	rtrMask  = verbs.AttrState | verbs.AttrAV | verbs.AttrPathMTU | verbs.AttrDestQPN | verbs.AttrRQPSN |
		verbs.AttrMaxDestRDAtomic | verbs.AttrMinRNRTimer
	rtsMask = verbs.AttrState | verbs.AttrTimeout | verbs.AttrRetryCnt | verbs.AttrRNRRetry | verbs.AttrSQPSN |
		verbs.AttrMaxQPRDAtomic
)

const (
	allRemote    = verbs.RemoteWrite | verbs.RemoteRead
	everyRemote  = allRemote | verbs.RemoteAtomic
	localAndAll  = verbs.LocalWrite | everyRemote
	reliableRTR  = verbs.AttrMaxDestRDAtomic | verbs.AttrMinRNRTimer
	reliableRTS  = verbs.AttrTimeout | verbs.AttrRetryCnt | verbs.AttrRNRRetry | verbs.AttrMaxQPRDAtomic
	noRDAtomic   = -1
	noRNRRetries = -1
)

// pairOptions are the attributes of a connected pair that tests vary; zero values mean the
// defaults of connect.
type pairOptions struct {
	typ          verbs.QPType // RC or UC
	access       verbs.Access
	mtu          verbs.MTU
	psnA         verbs.PSN // a's first PSN
	psnB         verbs.PSN
	timeout      uint8
	retryCnt     uint8
	rnrRetry     int // or noRNRRetries
	rnrTimer     uint8
	rdAtomic     int // or noRDAtomic
	destRDAtomic int
	specA, specB verbs.QPSpec
}

func (o pairOptions) withDefaults() pairOptions {
	if o.mtu == 0 {
		o.mtu = verbs.MTU1024
	}
	if o.timeout == 0 {
		o.timeout, o.retryCnt = 14, 7
	}
	if o.rnrRetry == 0 {
		o.rnrRetry = verbs.InfiniteRNRRetry
	}
	if o.rnrTimer == 0 {
		o.rnrTimer = 12
	}
	if o.psnA == 0 {
		o.psnA, o.psnB = 0x111, 0x222
	}
	if o.rdAtomic == 0 {
		o.rdAtomic = 1
	}
	if o.destRDAtomic == 0 {
		o.destRDAtomic = 1
	}
	if o.typ == 0 {
		o.typ = verbs.RC
	}
	o.specA.QPType, o.specB.QPType = o.typ, o.typ
	return o
}

// pair is two queue pairs of one device, connected to each other.
type pair struct {
	*bench
	a, b verbs.QP
}

func (b *bench) newPair(o pairOptions) *pair {
	b.t.Helper()
	o = o.withDefaults()
	p := b.newHalfPair(o)
	b.must(p.b.Modify(rtsAttr(o, o.psnB)))
	return p
}

// newHalfPair leaves b in RTR: b responds, but cannot send.
func (b *bench) newHalfPair(o pairOptions) *pair {
	b.t.Helper()
	p := &pair{bench: b, a: b.newQPOf(o.specA), b: b.newQPOf(o.specB)}
	b.must(p.a.Modify(b.initAttr(o)))
	b.must(p.b.Modify(b.initAttr(o)))
	b.must(p.a.Modify(b.rtrAttr(o, p.b.Num(), o.psnB)))
	b.must(p.b.Modify(b.rtrAttr(o, p.a.Num(), o.psnA)))
	b.must(p.a.Modify(rtsAttr(o, o.psnA)))
	return p
}

func (b *bench) initAttr(o pairOptions) verbs.QPAttr {
	return verbs.QPAttr{Mask: initMask, QPState: verbs.QPInit, PortNum: 1, QPAccessFlags: o.access}
}

func (b *bench) rtrAttr(o pairOptions, dest verbs.QPN, rqPSN verbs.PSN) verbs.QPAttr {
	attr := verbs.QPAttr{
		Mask: rtrMask, QPState: verbs.QPRTR, PathMTU: o.mtu, DestQPNum: dest, RQPSN: rqPSN,
		MaxDestRDAtomic: uint8(max(o.destRDAtomic, 0)), MinRNRTimer: o.rnrTimer, AH: b.ownAH(),
	}
	if o.typ == verbs.UC {
		attr.Mask &^= reliableRTR
	}
	return attr
}

// ownAH is the address vector of the device itself.
func (b *bench) ownAH() verbs.AHAttr {
	return verbs.AHAttr{
		IsGlobal: true, PortNum: 1,
		GRH: verbs.GlobalRoute{DGID: b.gid.GID, SGIDIndex: uint8(b.gid.Index), HopLimit: 64},
	}
}

func rtsAttr(o pairOptions, sqPSN verbs.PSN) verbs.QPAttr {
	attr := verbs.QPAttr{
		Mask: rtsMask, QPState: verbs.QPRTS, SQPSN: sqPSN, Timeout: o.timeout, RetryCnt: o.retryCnt,
		RNRRetry: uint8(max(o.rnrRetry, 0)), MaxRDAtomic: uint8(max(o.rdAtomic, 0)),
	}
	if o.typ == verbs.UC {
		attr.Mask &^= reliableRTS
	}
	return attr
}

// toState returns attributes with only the state set.
func toState(s verbs.QPState) verbs.QPAttr {
	return verbs.QPAttr{Mask: verbs.AttrState, QPState: s}
}

func (b *bench) postSend(qp verbs.QP, wrs ...verbs.SendWR) {
	b.t.Helper()
	if n, err := qp.PostSend(wrs...); err != nil || n != len(wrs) {
		b.t.Fatalf("PostSend accepted %d of %d: %v", n, len(wrs), err)
	}
}

func (b *bench) postRecv(qp verbs.QP, wrs ...verbs.RecvWR) {
	b.t.Helper()
	if n, err := qp.PostRecv(wrs...); err != nil || n != len(wrs) {
		b.t.Fatalf("PostRecv accepted %d of %d: %v", n, len(wrs), err)
	}
}

// completions polls until n have arrived and returns them by wr_id.
func (b *bench) completions(n int) map[uint64]verbs.WC {
	b.t.Helper()
	got := make(map[uint64]verbs.WC, n)
	var wcs [8]verbs.WC
	for deadline := time.Now().Add(patience); len(got) < n; {
		k, err := b.cq.Poll(wcs[:])
		b.must(err)
		for _, wc := range wcs[:k] {
			if _, twice := got[wc.WRID]; twice {
				b.t.Fatalf("a second completion: %s", describe(wc))
			}
			got[wc.WRID] = wc
		}
		if k == 0 {
			if time.Now().After(deadline) {
				b.t.Fatalf("%d of %d completions arrived: %v", len(got), n, got)
			}
			time.Sleep(100 * time.Microsecond)
		}
	}
	return got
}

// complete posts one signalled request and returns its completion, which must be the only
// one.
func (b *bench) complete(qp verbs.QP, wr verbs.SendWR) verbs.WC {
	b.t.Helper()
	wr.SendFlags |= verbs.SendSignaled
	b.postSend(qp, wr)
	return b.completions(1)[wr.WRID]
}

// wantComplete is complete with a check of the status.
func (b *bench) wantComplete(qp verbs.QP, wr verbs.SendWR, status verbs.WCStatus) verbs.WC {
	b.t.Helper()
	wc := b.complete(qp, wr)
	if wc.Status != status {
		b.t.Errorf("%s; want %s", describe(wc), status)
	}
	return wc
}

// noCompletion fails if a completion is in the queue.
func (b *bench) noCompletion() {
	b.t.Helper()
	var wcs [1]verbs.WC
	n, err := b.cq.Poll(wcs[:])
	b.must(err)
	if n != 0 {
		b.t.Errorf("unexpected completion: %s", describe(wcs[0]))
	}
}

func wantStatus(t *testing.T, got map[uint64]verbs.WC, wrID uint64, status verbs.WCStatus) verbs.WC {
	t.Helper()
	wc, ok := got[wrID]
	if !ok {
		t.Fatalf("no completion of wr_id %d", wrID)
	}
	if wc.Status != status {
		t.Errorf("%s; want %s", describe(wc), status)
	}
	return wc
}

// wantState waits until the queue pair is in the state: a responder may move
// to ERR slightly later than the requester.
func wantState(t *testing.T, qp verbs.QP, want verbs.QPState) {
	t.Helper()
	var attr verbs.QPAttr
	var err error
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		attr, _, err = qp.Query(verbs.AttrState)
		if err != nil {
			t.Fatal(err)
		}
		if attr.QPState == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("QP %s is in %s, want %s", qp.Num(), attr.QPState, want)
		}
	}
}
