//go:build linux

package native

import (
	"errors"
	"slices"
	"sync"
	"syscall"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/dl"
)

func TestBusyCloseNamesTheUsers(t *testing.T) {
	f := newFakeC(t)
	qp := f.qp(verbs.RC)
	pd := f.dev.live.find(uint64(qp.(*queuePair).from[0])).(verbs.PD)
	f.answer = int(syscall.EBUSY)
	err := pd.Close()
	var busy *verbs.BusyError
	if !errors.As(err, &busy) || !errors.Is(err, syscall.EBUSY) || !slices.Equal(busy.UsedBy, []string{"QP 0x000011"}) {
		t.Fatalf("%v", err)
	}
	if _, err := pd.CreateAH(verbs.AHAttr{}); err != nil {
		t.Errorf("the PD is of no use after a refused close: %v", err)
	}
	f.answer = int(syscall.EIO)
	if err := pd.Close(); !errors.Is(err, syscall.EIO) {
		t.Errorf("%v, want EIO", err)
	}
	f.answer = 0
	for range 2 {
		if err := pd.Close(); err != nil {
			t.Error(err)
		}
	}
	if len(f.freed) != 1 {
		t.Errorf("C freed %d objects, want 1", len(f.freed))
	}
}

func TestDeviceWithObjectsStaysOpen(t *testing.T) {
	f := newFakeC(t)
	pd, cq := f.pd(), f.cq()
	var busy *verbs.BusyError
	if err := f.dev.closeContext(); !errors.As(err, &busy) || len(busy.UsedBy) != 2 {
		t.Fatalf("%v", err)
	}
	for _, c := range []interface{ Close() error }{pd, cq} {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	for range 2 {
		if err := f.dev.closeContext(); err != nil {
			t.Error(err)
		}
	}
	if _, err := f.dev.AllocPD(); !errors.Is(err, verbs.ErrClosed) {
		t.Errorf("a closed device: %v", err)
	}
}

func TestForeignAndClosedObjects(t *testing.T) {
	f, other := newFakeC(t), newFakeC(t)
	pd, own, foreign, closed := f.pd(), f.cq(), other.cq(), f.cq()
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		send, recv verbs.CQ
		want       error
	}{
		"foreign send_cq":     {foreign, own, verbs.ErrForeignObject},
		"foreign recv_cq":     {own, foreign, verbs.ErrForeignObject},
		"closed recv_cq":      {own, closed, verbs.ErrClosed},
		"no send_cq":          {nil, own, syscall.EINVAL},
		"of another provider": {own, struct{ verbs.CQ }{own}, verbs.ErrForeignObject},
	} {
		if _, err := pd.CreateQP(verbs.QPSpec{QPType: verbs.RC, SendCQ: tt.send, RecvCQ: tt.recv}); !errors.Is(err,
			tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
	if _, err := f.dev.CreateCQ(verbs.CQSpec{CQE: 1 << 40}); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("a CQE count beyond C's int: %v", err)
	}
}

func TestClosedObjectsAnswer(t *testing.T) {
	f := newFakeC(t)
	qp, cq := f.qp(verbs.RC), f.cq()
	if err := errors.Join(qp.Close(), cq.Close(), qp.Close(), cq.Close()); err != nil {
		t.Fatal(err)
	}
	_, sendErr := qp.PostSend(verbs.SendWR{Opcode: verbs.WRSend, SendFlags: verbs.SendInline})
	_, recvErr := qp.PostRecv(verbs.RecvWR{})
	_, pollErr := cq.Poll(make([]verbs.WC, 1))
	_, _, queryErr := qp.Query(verbs.AttrState)
	for name, err := range map[string]error{
		"PostSend": sendErr, "PostRecv": recvErr, "Poll": pollErr, "Query": queryErr,
		"Modify": qp.Modify(verbs.QPAttr{}), "ReqNotify": cq.ReqNotify(false),
	} {
		if !errors.Is(err, verbs.ErrClosed) {
			t.Errorf("%s: %v, want ErrClosed", name, err)
		}
	}
	if len(f.sends)+len(f.recvs)+len(f.polls) != 0 {
		t.Error("C was called with a closed object")
	}
}

func TestEventsAreAcknowledgedOnce(t *testing.T) {
	f := newFakeC(t)
	cq := f.cq().(*completionQueue)
	cq.unacked.Add(5)
	for _, step := range []struct{ ack, total int }{{2, 2}, {0, 2}, {-3, 2}, {10, 5}, {1, 5}} {
		if cq.AckEvents(step.ack); f.acked != step.total {
			t.Errorf("after AckEvents(%d) C has %d, want %d", step.ack, f.acked, step.total)
		}
	}
	cq.unacked.Add(3)
	if err := cq.Close(); err != nil || f.acked != 8 {
		t.Errorf("Close left %d of 3 unacknowledged, %v", 8-f.acked, err)
	}
	cq.AckEvents(1)
	if f.acked != 8 {
		t.Error("a closed queue was acknowledged")
	}
}

// TestPostAgainstClose is for the race detector.
func TestPostAgainstClose(t *testing.T) {
	f := newFakeC(t)
	abs := mustBindAbs(t, f.dev.lib.dl) // the fake counts without a lock
	f.dev.ops.postSend, f.dev.ops.postRecv = newPostFunc(abs.errno, dl.NewPace(nil)), newPostFunc(abs.errno, nil)
	f.dev.ops.postSRQRecv = newPostFunc(abs.errno, dl.NewPace(nil))
	f.dev.lib.modifySRQ = abs.errno
	for range 20 {
		qp := f.qp(verbs.RC)
		srq := f.srq(f.pd())
		var users sync.WaitGroup
		post := func(call func() (int, error)) {
			users.Go(func() {
				for {
					if _, err := call(); errors.Is(err, verbs.ErrClosed) {
						return
					}
				}
			})
		}
		post(func() (int, error) { return qp.PostSend(verbs.SendWR{Opcode: verbs.WRSend}) })
		post(func() (int, error) { return qp.PostRecv(verbs.RecvWR{}) })
		post(func() (int, error) { return 0, qp.Modify(verbs.QPAttr{}) })
		post(func() (int, error) { return srq.PostRecv(verbs.RecvWR{}) })
		post(func() (int, error) { return 0, srq.Modify(verbs.SRQAttr{Mask: verbs.SRQMaxWR}) })
		if err := errors.Join(qp.Close(), srq.Close()); err != nil {
			t.Error(err)
		}
		users.Wait()
	}
}
