//go:build linux

package native

import (
	"errors"
	"slices"
	"syscall"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
)

func (f *fakeC) srq(pd verbs.PD) verbs.SRQ {
	f.Helper()
	srq, err := pd.CreateSRQ(verbs.SRQSpec{MaxWR: 100, MaxSGE: 3})
	if err != nil {
		f.Fatal(err)
	}
	return srq
}

func TestSRQReachesC(t *testing.T) {
	f := newFakeC(t)
	pd, cq := f.pd(), f.cq()
	srq := f.srq(pd)
	if want := []abi.SRQInitAttr{{Attr: abi.SRQAttr{MaxWR: 100, MaxSGE: 3}}}; !slices.Equal(f.srqs, want) {
		t.Errorf("%+v, want %+v", f.srqs, want)
	}
	spec := verbs.QPSpec{QPType: verbs.RC, SendCQ: cq, RecvCQ: cq, SRQ: srq}
	qp, err := pd.CreateQP(spec)
	if err != nil || f.qpInits[0].SRQ != srq.(*sharedReceiveQueue).ptr {
		t.Fatalf("%+v, %v", f.qpInits, err)
	}
	spec.SRQ = nil
	if _, err := pd.CreateQP(spec); err != nil || f.qpInits[1].SRQ != 0 {
		t.Errorf("%+v, %v", f.qpInits, err)
	}
	attr := verbs.SRQAttr{Mask: verbs.SRQLimit | verbs.SRQMaxWR, MaxWR: 7, MaxSGE: 2, Limit: 5}
	if err := srq.Modify(attr); err != nil || f.srqAttr != (abi.SRQAttr{MaxWR: 7, MaxSGE: 2, SRQLimit: 5}) ||
		f.srqMask != 3 {
		t.Errorf("%+v mask %d, %v", f.srqAttr, f.srqMask, err)
	}
	if err := srq.Modify(verbs.SRQAttr{Mask: verbs.SRQLimit, Limit: 1}); err != nil || f.srqMask != 2 {
		t.Errorf("mask %d, %v", f.srqMask, err)
	}
	f.srqAttr = abi.SRQAttr{MaxWR: 7, MaxSGE: 2, SRQLimit: 5}
	if got, err := srq.Query(); err != nil || got != attr {
		t.Errorf("%+v, %v", got, err)
	}
	list := []verbs.SGE{{Addr: 1, Length: 2, LKey: 3}}
	if n, err := srq.PostRecv(verbs.RecvWR{WRID: 8, SGList: list}, verbs.RecvWR{WRID: 9}); n != 2 || err != nil {
		t.Errorf("took %d, %v", n, err)
	}
	if got := slices.Concat(f.srqRecvs...); len(f.srqRecvs) != 1 || got[0].WRID != 8 ||
		got[0].NumSGE != 1 || got[1].WRID != 9 {
		t.Errorf("%+v", f.srqRecvs)
	}
	if n, err := qp.PostRecv(verbs.RecvWR{}); n != 0 || !errors.Is(err, syscall.EINVAL) || len(f.recvs) != 0 {
		t.Errorf("a queue pair on an SRQ took %d RECVs of its own, %v", n, err)
	}
}

func TestSRQRefusals(t *testing.T) {
	f, other := newFakeC(t), newFakeC(t)
	pd, cq := f.pd(), f.cq()
	srq, foreign, closed := f.srq(pd), other.srq(other.pd()), f.srq(pd)
	if err := errors.Join(closed.Close(), closed.Close()); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		srq  verbs.SRQ
		want error
	}{
		"foreign":             {foreign, verbs.ErrForeignObject},
		"of another provider": {struct{ verbs.SRQ }{srq}, verbs.ErrForeignObject},
		"closed":              {closed, verbs.ErrClosed},
	} {
		if _, err := pd.CreateQP(verbs.QPSpec{QPType: verbs.RC, SendCQ: cq, RecvCQ: cq, SRQ: tt.srq}); !errors.Is(err,
			tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
	if len(f.qpInits) != 0 {
		t.Error("C was asked for a queue pair on an SRQ that it does not have")
	}
	_, queryErr := closed.Query()
	_, postErr := closed.PostRecv(verbs.RecvWR{})
	for name, err := range map[string]error{"Modify": closed.Modify(verbs.SRQAttr{Mask: verbs.SRQMaxWR}),
		"Query": queryErr, "PostRecv": postErr} {
		if !errors.Is(err, verbs.ErrClosed) {
			t.Errorf("%s of a closed SRQ: %v", name, err)
		}
	}
	f.answer = int(syscall.ENOMEM)
	_, queryErr = srq.Query()
	n, postErr := srq.PostRecv(verbs.RecvWR{}) // the fake returns a negative errno, as rxe does
	for op, err := range map[string]error{
		"ibv_modify_srq": srq.Modify(verbs.SRQAttr{Mask: verbs.SRQLimit}), "ibv_query_srq": queryErr,
		"ibv_post_srq_recv": postErr, "ibv_destroy_srq": srq.Close(),
	} {
		var failed *verbs.OpError
		if !errors.As(err, &failed) || failed.Op != op || !errors.Is(err, syscall.ENOMEM) {
			t.Errorf("%s: %v, want ENOMEM", op, err)
		}
	}
	if n != 0 {
		t.Errorf("a refused post took %d", n)
	}
	f.answer = 0
	if err := srq.Modify(verbs.SRQAttr{}); err != nil {
		t.Errorf("the SRQ is of no use after a refused close: %v", err)
	}
}

func TestBusySRQNamesItsUsers(t *testing.T) {
	f := newFakeC(t)
	pd, cq := f.pd(), f.cq()
	srq := f.srq(pd)
	if _, err := pd.CreateQP(verbs.QPSpec{QPType: verbs.RC, SendCQ: cq, RecvCQ: cq, SRQ: srq}); err != nil {
		t.Fatal(err)
	}
	f.answer = int(syscall.EBUSY)
	var busy *verbs.BusyError
	if err := srq.Close(); !errors.As(err, &busy) || busy.Object != "SRQ 5" ||
		!slices.Equal(busy.UsedBy, []string{"QP 0x000011"}) {
		t.Errorf("%v", err)
	}
	if err := pd.Close(); !errors.As(err, &busy) || !slices.Equal(busy.UsedBy, []string{"QP 0x000011", "SRQ 5"}) {
		t.Errorf("%v", err)
	}
}

// TestAnOlderLibrary has none of the functions.
func TestAnOlderLibrary(t *testing.T) {
	f := newFakeC(t)
	pd, qp := f.pd(), f.qp(verbs.UD)
	srq := f.srq(pd)
	none := library{}
	lib := f.dev.lib
	lib.createSRQ, lib.modifySRQ, lib.querySRQ = none.createSRQ, none.modifySRQ, none.querySRQ
	lib.attachMcast, lib.detachMcast = none.attachMcast, none.detachMcast
	_, createErr := pd.CreateSRQ(verbs.SRQSpec{})
	_, queryErr := srq.Query()
	for name, err := range map[string]error{
		"CreateSRQ": createErr, "Modify": srq.Modify(verbs.SRQAttr{}), "Query": queryErr,
		"AttachMcast": qp.AttachMcast(verbs.GID{}, 0), "DetachMcast": qp.DetachMcast(verbs.GID{}, 0),
	} {
		if !errors.Is(err, verbs.ErrUnsupported) {
			t.Errorf("%s: %v, want ErrUnsupported", name, err)
		}
	}
}

func TestEventsFindTheirSRQ(t *testing.T) {
	f := newFakeC(t)
	pd := f.pd()
	srq := f.srq(pd)
	ptr := uint64(srq.(*sharedReceiveQueue).ptr)
	for _, typ := range []verbs.EventType{verbs.EventSRQLimitReached, verbs.EventSRQErr} {
		raw := &abi.AsyncEvent{Element: ptr, EventType: uint32(typ)}
		if e := f.dev.asyncEvent(raw); e.Type != typ || e.SRQ != srq || e.QP != nil || e.CQ != nil {
			t.Errorf("%+v, want %s of the SRQ", e, typ)
		}
		raw.Element = uint64(pd.(*protectionDomain).ptr)
		if e := f.dev.asyncEvent(raw); e.SRQ != nil {
			t.Errorf("%s: %v was mistaken for an SRQ", typ, e.SRQ)
		}
	}
	if err := srq.Close(); err != nil {
		t.Fatal(err)
	}
	if e := f.dev.asyncEvent(&abi.AsyncEvent{Element: ptr, EventType: uint32(verbs.EventSRQErr)}); e.SRQ != nil {
		t.Error("an event names a closed SRQ")
	}
	qp := f.qp(verbs.RC)
	last := &abi.AsyncEvent{Element: uint64(qp.(*queuePair).ptr), EventType: uint32(verbs.EventQPLastWQEReached)}
	if e := f.dev.asyncEvent(last); e.QP != qp || e.SRQ != nil {
		t.Errorf("%+v, want LAST_WQE_REACHED of the queue pair", e)
	}
}

func TestMulticastReachesC(t *testing.T) {
	f := newFakeC(t)
	qp := f.qp(verbs.UD)
	gid := verbs.GID{0xff, 0x0e, 15: 0x77}
	if err := errors.Join(qp.AttachMcast(gid, 0xc123), qp.DetachMcast(gid, 0xc123)); err != nil {
		t.Fatal(err)
	}
	raw := abi.GID{Raw: gid}
	if want := []fakeMcast{{false, raw, 0xc123}, {true, raw, 0xc123}}; !slices.Equal(f.mcasts, want) {
		t.Errorf("%+v, want %+v", f.mcasts, want)
	}
	f.answer = int(syscall.EINVAL)
	for op, err := range map[string]error{"ibv_attach_mcast": qp.AttachMcast(gid, 0),
		"ibv_detach_mcast": qp.DetachMcast(gid, 0)} {
		var failed *verbs.OpError
		if !errors.As(err, &failed) || failed.Op != op || !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%s: %v", op, err)
		}
	}
	f.answer = 0
	if err := qp.Close(); err != nil {
		t.Fatal(err)
	}
	if err := qp.AttachMcast(gid, 0); !errors.Is(err, verbs.ErrClosed) || len(f.mcasts) != 4 {
		t.Errorf("a closed queue pair: %v", err)
	}
}
