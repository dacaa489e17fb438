package native_test

import (
	"errors"
	"syscall"
	"testing"

	"rdmatui/verbs"
	vmtest "rdmatui/verbs/verbstest/vm"
)

func (r *rig) srq(spec verbs.SRQSpec) verbs.SRQ {
	r.Helper()
	srq, err := r.pd.CreateSRQ(spec)
	r.must(err)
	r.closeAtEnd(srq)
	return srq
}

func (r *rig) qpOn(srq verbs.SRQ, typ verbs.QPType) verbs.QP {
	r.Helper()
	qp, err := r.pd.CreateQP(verbs.QPSpec{
		QPType: typ, SendCQ: r.cq, RecvCQ: r.cq, SRQ: srq, Cap: verbs.QPCap{MaxSendWR: 16, MaxSendSGE: 1},
	})
	r.must(err)
	r.closeAtEnd(qp)
	return qp
}

// TestSharedReceiveQueue has two connections consume RECVs from one queue, the oldest
// first, until the limit event fires.
func TestSharedReceiveQueue(t *testing.T) {
	vmtest.Need(t)
	r := openRig(t)
	mr := r.mr(4096, verbs.LocalWrite)
	srq := r.srq(verbs.SRQSpec{MaxWR: 8, MaxSGE: 1})
	var senders, receivers []verbs.QP
	for range 2 {
		from, to := r.qp(verbs.RC, r.cq), r.qpOn(srq, verbs.RC)
		r.connect(from, to)
		r.connect(to, from)
		senders, receivers = append(senders, from), append(receivers, to)
	}
	for id := range uint64(4) {
		_, err := srq.PostRecv(verbs.RecvWR{WRID: 100 + id, SGList: sge(mr, 1024+id*64, 64)})
		r.must(err)
	}
	r.must(srq.Modify(verbs.SRQAttr{Mask: verbs.SRQLimit, Limit: 3}))
	if attr, err := srq.Query(); err != nil || attr.Limit != 3 || attr.MaxWR < 8 {
		t.Errorf("%+v, %v", attr, err)
	}
	if n, err := receivers[0].PostRecv(verbs.RecvWR{}); n != 0 || !errors.Is(err, syscall.EINVAL) {
		t.Errorf("a queue pair on an SRQ took a RECV of its own: %v", err)
	}
	if err := srq.Close(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("closing an SRQ in use: %v", err)
	}
	for i := range uint64(4) {
		_, err := mr.WriteAt([]byte{byte('a' + i)}, 0)
		r.must(err)
		_, err = senders[i%2].PostSend(verbs.SendWR{
			WRID: i, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled, SGList: sge(mr, 0, 1),
		})
		r.must(err)
		for _, wc := range r.wantSuccess(r.cq, 2) {
			if wc.Opcode.IsRecv() && (wc.WRID != 100+i || wc.QPNum != receivers[i%2].Num()) {
				t.Errorf("message %d: wr_id %d at QP %s", i, wc.WRID, wc.QPNum)
			}
		}
	}
	got := make([]byte, 1)
	for i := range int64(4) {
		_, err := mr.ReadAt(got, 1024+i*64)
		r.must(err)
		if got[0] != byte('a'+i) {
			t.Errorf("request %d got %q", i, got)
		}
	}
	if e := r.nextSRQEvent(); e.Type != verbs.EventSRQLimitReached || e.SRQ != srq {
		t.Errorf("%s of %v, want SRQ_LIMIT_REACHED of %v", e.Type, e.SRQ, srq)
	}
	if attr, err := srq.Query(); err != nil || attr.Limit != 0 {
		t.Errorf("after the event: %+v, %v", attr, err)
	}
}

func (r *rig) nextSRQEvent() verbs.AsyncEvent {
	r.Helper()
	e := r.nextEvent()
	for e.Type.Element() != verbs.ElementSRQ { // COMM_EST, on kernels that raise it
		e = r.nextEvent()
	}
	return e
}

func TestResizeSRQ(t *testing.T) {
	vmtest.Need(t)
	r := openRig(t)
	srq := r.srq(verbs.SRQSpec{MaxWR: 4, MaxSGE: 2})
	before, err := srq.Query()
	r.must(err)
	r.must(srq.Modify(verbs.SRQAttr{Mask: verbs.SRQMaxWR, MaxWR: 200}))
	after, err := srq.Query()
	r.must(err)
	if after.MaxWR < 200 || before.MaxWR >= 200 {
		t.Errorf("max_wr %d, was %d", after.MaxWR, before.MaxWR)
	}
	if n, err := srq.PostRecv(make([]verbs.RecvWR, 150)...); n != 150 || err != nil {
		t.Errorf("took %d: %v", n, err)
	}
	if n, err := srq.PostRecv(verbs.RecvWR{SGList: make([]verbs.SGE, 3)}); n != 0 || err == nil {
		t.Errorf("took %d requests of 3 elements, max_sge is 2: %v", n, err)
	}
	if n, err := srq.PostRecv(make([]verbs.RecvWR, 1000)...); n >= 1000 || !errors.Is(err, syscall.ENOMEM) {
		t.Errorf("a full queue took %d: %v", n, err)
	}
}
