package native_test

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"rdmatui/verbs"
	vmtest "rdmatui/verbs/verbstest/vm"
)

func (r *rig) nextEvent() verbs.AsyncEvent {
	r.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	e, err := r.dev.GetAsyncEvent(ctx)
	r.must(err)
	return e
}

func run(tb testing.TB, name string, args ...string) string {
	tb.Helper()
	out, err := exec.Command(vmtest.Program(tb, name), args...).CombinedOutput()
	if err != nil {
		tb.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

func TestSQDrained(t *testing.T) {
	vmtest.Need(t)
	r := openRig(t)
	a, _ := r.pair(verbs.RC)
	r.must(a.Modify(verbs.QPAttr{Mask: verbs.AttrState | verbs.AttrEnSQDAsyncNotify, QPState: verbs.QPSQD,
		EnSQDAsyncNotify: true}))
	if e := r.nextEvent(); e.Type != verbs.EventSQDrained || e.QP != a {
		t.Errorf("%s of %v, want SQ_DRAINED of %v", e.Type, e.QP, a)
	}
}

func TestCQOverflow(t *testing.T) {
	vmtest.Need(t)
	r := openRig(t)
	cq, err := r.dev.CreateCQ(verbs.CQSpec{CQE: 1})
	r.must(err)
	r.closeAtEnd(cq)
	qp := r.qp(verbs.RC, cq)
	r.connect(qp, qp)
	mr := r.mr(64, verbs.LocalWrite|verbs.RemoteWrite)
	for range cq.CQE() + 8 {
		_, err := qp.PostSend(verbs.SendWR{
			Opcode: verbs.WRRDMAWrite, SendFlags: verbs.SendSignaled, RemoteAddr: mr.Addr(), RKey: mr.RKey(),
			SGList: []verbs.SGE{{Addr: mr.Addr(), Length: 8, LKey: mr.LKey()}},
		})
		r.must(err)
	}
	if e := r.nextEvent(); e.Type != verbs.EventCQErr || e.CQ != cq {
		t.Errorf("%s of %v, want CQ_ERR of %v", e.Type, e.CQ, cq)
	}
}

func TestPortEvents(t *testing.T) {
	vmtest.Need(t)
	r := openRig(t)
	table, err := r.dev.QueryGIDTable()
	r.must(err)
	for _, step := range []struct {
		link  string
		event verbs.EventType
		state verbs.PortState
	}{{"down", verbs.EventPortErr, 1}, {"up", verbs.EventPortActive, verbs.PortActive}} {
		run(t, "ip", "link", "set", "d0", step.link)
		e := r.nextEvent()
		for e.Type == verbs.EventGIDChange { // arrives together with the port's event
			e = r.nextEvent()
		}
		if e.Type != step.event || e.PortNum != 1 {
			t.Errorf("link %s: %s of port %d, want %s of port 1", step.link, e.Type, e.PortNum, step.event)
		}
		if attr, err := r.dev.QueryPort(1); err != nil || attr.State != step.state {
			t.Errorf("link %s: port is %s, %v", step.link, attr.State, err)
		}
	}
	waitForGIDs(t, r, slices.DeleteFunc(table, goesWithLink))
}

// goesWithLink reports whether the GID belongs to a configured IPv6 address: the kernel
// removes those addresses when the link goes down, and restores only the link-local
// one.
func goesWithLink(g verbs.GIDEntry) bool {
	ip := g.GID.Addr()
	return ip.Is6() && !ip.IsLinkLocalUnicast()
}

// waitForGIDs restores the GID table for the next test: the link-local address takes a
// while to reappear.
func waitForGIDs(t *testing.T, r *rig, want []verbs.GIDEntry) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		table, err := r.dev.QueryGIDTable()
		r.must(err)
		if slices.Equal(table, want) {
			return
		}
	}
	t.Fatalf("the GID table never became %v", want)
}

// TestEventsOfClosedObjects closes queue pairs while their events are delivered:
// each event names a queue pair of this device or none, and no Close hangs.
func TestEventsOfClosedObjects(t *testing.T) {
	vmtest.Need(t)
	r := openRig(t)
	ctx, cancel := context.WithCancel(context.Background())
	var reader sync.WaitGroup
	events := 0
	reader.Go(func() {
		for {
			e, err := r.dev.GetAsyncEvent(ctx)
			if errors.Is(err, context.Canceled) {
				return
			}
			if err != nil {
				t.Error(err)
				return
			}
			if e.QP != nil {
				_ = e.QP.Num()
			}
			events++
		}
	})
	for i := range 50 {
		qp := r.qp(verbs.RC, r.cq)
		r.connect(qp, qp)
		r.must(qp.Modify(verbs.QPAttr{Mask: verbs.AttrState | verbs.AttrEnSQDAsyncNotify, QPState: verbs.QPSQD,
			EnSQDAsyncNotify: true}))
		time.Sleep(time.Duration(i%5) * 100 * time.Microsecond) // so that events arrive before and after the Close
		r.must(qp.Close())
	}
	cancel()
	reader.Wait()
	t.Logf("%d of 50 events were delivered before their queue pair was closed", events)
}

func TestCloseEndsWaits(t *testing.T) {
	vmtest.Need(t)
	r := openRig(t)
	other := openRig(t)
	ch, err := r.dev.CreateCompChannel()
	r.must(err)
	done := make(chan error, 2)
	go func() { _, err := ch.GetCQEvent(context.Background()); done <- err }()
	go func() { _, err := other.dev.GetAsyncEvent(context.Background()); done <- err }()
	time.Sleep(5 * time.Millisecond) // usually both goroutines wait by now; in either case both must return
	r.must(ch.Close())
	r.must(other.cq.Close())
	r.must(other.pd.Close())
	r.must(other.dev.Close())
	for range 2 {
		select {
		case err := <-done:
			if !errors.Is(err, verbs.ErrClosed) {
				t.Errorf("%v, want ErrClosed", err)
			}
		case <-time.After(patience):
			t.Fatal("a wait did not return")
		}
	}
}
