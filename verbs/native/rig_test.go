package native_test

import (
	"testing"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/native"
	"rdmatui/verbs/route"
	"rdmatui/verbs/transition"
)

// rig is an open device with helpers for tests on a real kernel. At the end it closes
// all that was made through it, in the right order.
type rig struct {
	testing.TB
	dev verbs.Device
	pd  verbs.PD
	cq  verbs.CQ
	gid verbs.GIDEntry
}

// patience bounds waits for expected events; no test measures time against it.
const patience = 20 * time.Second

func openRig(tb testing.TB) *rig {
	tb.Helper()
	r := &rig{TB: tb}
	var err error
	r.dev, err = native.New().Open(vmDevice)
	r.must(err)
	r.closeAtEnd(r.dev)
	table, err := r.dev.QueryGIDTable()
	r.must(err)
	r.gid, err = route.GID(table, 1, verbs.GID{})
	r.must(err)
	r.pd, err = r.dev.AllocPD()
	r.must(err)
	r.closeAtEnd(r.pd)
	r.cq, err = r.dev.CreateCQ(verbs.CQSpec{CQE: 256})
	r.must(err)
	r.closeAtEnd(r.cq)
	return r
}

func (r *rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

func (r *rig) closeAtEnd(c interface{ Close() error }) {
	r.Cleanup(func() {
		if err := c.Close(); err != nil {
			r.Errorf("closing %T: %v", c, err)
		}
	})
}

func (r *rig) mr(length uint64, access verbs.Access) verbs.MR {
	r.Helper()
	mr, err := r.pd.RegMR(verbs.MRSpec{Length: length, Access: access})
	r.must(err)
	r.closeAtEnd(mr)
	return mr
}

func (r *rig) qp(typ verbs.QPType, cq verbs.CQ) verbs.QP {
	r.Helper()
	qp, err := r.pd.CreateQP(verbs.QPSpec{
		QPType: typ, SendCQ: cq, RecvCQ: cq,
		Cap: verbs.QPCap{MaxSendWR: 200, MaxRecvWR: 200, MaxSendSGE: 4, MaxRecvSGE: 4, MaxInlineData: 64},
	})
	r.must(err)
	r.closeAtEnd(qp)
	return qp
}

// pair connects two queue pairs to each other, with all access rights.
func (r *rig) pair(typ verbs.QPType) (a, b verbs.QP) {
	r.Helper()
	a, b = r.qp(typ, r.cq), r.qp(typ, r.cq)
	r.connect(a, b)
	r.connect(b, a)
	return a, b
}

func (r *rig) connect(qp, peer verbs.QP) {
	r.Helper()
	init := verbs.QPAttr{
		QPState: verbs.QPInit, PortNum: 1, QPAccessFlags: verbs.RemoteWrite | verbs.RemoteRead | verbs.RemoteAtomic,
	}
	rtr := verbs.QPAttr{
		QPState: verbs.QPRTR, PathMTU: verbs.MTU1024, DestQPNum: peer.Num(), RQPSN: 1,
		MaxDestRDAtomic: 1, MinRNRTimer: 12,
		AH: verbs.AHAttr{IsGlobal: true, PortNum: 1,
			GRH: verbs.GlobalRoute{DGID: r.gid.GID, SGIDIndex: uint8(r.gid.Index), HopLimit: 64}},
	}
	rts := verbs.QPAttr{QPState: verbs.QPRTS, Timeout: 14, RetryCnt: 7, RNRRetry: 7, SQPSN: 1, MaxRDAtomic: 1}
	from := verbs.QPReset
	for _, attr := range []verbs.QPAttr{init, rtr, rts} {
		tr, ok := transition.Find(qp.Type(), from, attr.QPState)
		if !ok {
			r.Fatalf("no transition %s to %s", from, attr.QPState)
		}
		attr.Mask = tr.Required | verbs.AttrState
		r.must(qp.Modify(attr))
		from = attr.QPState
	}
}

func (r *rig) reset(qp verbs.QP) {
	r.Helper()
	r.must(qp.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPReset}))
	r.connect(qp, qp)
}

// completions polls until n completions have arrived. It takes no more: the rest is for
// the next call.
func (r *rig) completions(cq verbs.CQ, n int) []verbs.WC {
	r.Helper()
	var got []verbs.WC
	wcs := make([]verbs.WC, 16)
	for deadline := time.Now().Add(patience); len(got) < n; {
		k, err := cq.Poll(wcs[:min(len(wcs), n-len(got))])
		r.must(err)
		got = append(got, wcs[:k]...)
		if k == 0 {
			if time.Now().After(deadline) {
				r.Fatalf("got %d of %d completions: %v", len(got), n, got)
			}
			time.Sleep(100 * time.Microsecond)
		}
	}
	return got
}

func (r *rig) wantSuccess(cq verbs.CQ, n int) []verbs.WC {
	r.Helper()
	got := r.completions(cq, n)
	for i := range got {
		if got[i].Failed() {
			r.Errorf("wr_id %d: %s", got[i].WRID, got[i].Status)
		}
	}
	return got
}
