package soft

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/transport"
	"rdmatui/verbs/wire"
)

// another brings up a second queue pair for the raw peer, with the attributes of the first.
func (r *rawPeer) another(o pairOptions) *rawPeer {
	r.T.Helper()
	o = o.WithDefaults()
	s := *r.side
	s.QP = r.NewQP(o)
	n := &rawPeer{side: &s, port: r.port, path: r.path}
	n.bringUp(o)
	return n
}

// TestSharedByTwo sends to two queue pairs in turns: a message takes its RECV when it begins, whichever ends first.
func TestSharedByTwo(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		o := pairOptions{Shared: 8}
		one := newRawPeer(t, p, o)
		two := one.another(o)
		mr := one.NewMR(8192, everything)
		one.Share(verbs.RecvWR{WRID: 1, SGList: sge(mr, 0, 2048)}, verbs.RecvWR{WRID: 2, SGList: sge(mr, 2048, 2048)},
			verbs.RecvWR{WRID: 3, SGList: sge(mr, 4096, 2048)})
		one.put(one.request(wire.RCSendFirst, 100, 1024), two.request(wire.RCSendOnly, 100, 9))
		if wc := two.Want(2, verbs.WCSuccess); wc.ByteLen != 9 {
			t.Errorf("byte_len %d", wc.ByteLen)
		}
		one.Nothing()
		one.put(two.request(wire.RCSendFirst, 101, 1024), one.request(wire.RCSendLast, 101, 8),
			two.request(wire.RCSendLast, 102, 7))
		one.Want(1, verbs.WCSuccess)
		two.Want(3, verbs.WCSuccess)
		wantBytes(t, mr, pattern(1024, 100), 0)
		wantBytes(t, mr, pattern(8, 101), 1024)
		wantBytes(t, mr, pattern(9, 100), 2048)
		wantBytes(t, mr, pattern(7, 102), 4096+1024)
	})
}

// TestSharedSlotIsFree posts into the slot of a request whose message is arriving: the message keeps its own list.
func TestSharedSlotIsFree(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		r := newRawPeer(t, p, pairOptions{Shared: 1})
		mr := r.NewMR(4096, everything)
		for i := range uint64(3) {
			if i == 0 {
				r.Share(verbs.RecvWR{WRID: 0, SGList: sge(mr, 0, 1032)})
			}
			psn := wire.PSN(100 + 2*i)
			r.put(r.request(wire.RCSendFirst, psn, 1024))
			r.Share(verbs.RecvWR{WRID: i + 1, SGList: sge(mr, 1032*((i+1)%3), 1032)})
			r.put(r.request(wire.RCSendLast, psn+1, 8))
			r.Want(i, verbs.WCSuccess)
			wantBytes(t, mr, pattern(1024, byte(psn)), int64(1032*i))
			wantBytes(t, mr, pattern(8, byte(psn+1)), int64(1032*i+1024))
		}
	})
}

// TestSharedByManyStreams lets several queue pairs of two devices stream into one shared queue; no message is lost or
// mixed.
func TestSharedByManyStreams(t *testing.T) {
	const qps, each, size = 4, 50, 2500
	p := New(Options{})
	o := pairOptions{Shared: 16, CQE: 1024, Depth: each, RNRTimer: 1}.WithDefaults()
	b := newSide(t, p, "soft1", o)
	dst := b.NewMR(16*size, verbs.LocalWrite)
	post := func(slot uint64) { b.Share(verbs.RecvWR{WRID: slot, SGList: sge(dst, slot*size, size)}) }
	for slot := range uint64(16) {
		post(slot)
	}
	seeds := map[verbs.QPN]byte{}
	for i := range byte(qps) {
		a := newSide(t, p, "soft0", o)
		b.QP = b.NewQP(o)
		bringUp(t, a, b, o)
		seeds[b.QP.Num()] = i
		src := a.NewMR(size, 0)
		fill(t, src, pattern(size, i), 0)
		for range each {
			a.Send(verbs.SendWR{Opcode: verbs.WRSend, SGList: sge(src, 0, size)})
		}
	}
	got := map[verbs.QPN]int{}
	for range qps * each {
		wc := b.Wait(1)[0]
		if wc.Status != verbs.WCSuccess || wc.ByteLen != size {
			t.Fatalf("%+v", wc)
		}
		wantBytes(t, dst, pattern(size, seeds[wc.QPNum]), int64(wc.WRID)*size)
		got[wc.QPNum]++
		post(wc.WRID)
	}
	for num := range seeds {
		if got[num] != each {
			t.Errorf("%s received %d messages, want %d", num, got[num], each)
		}
	}
}

func TestSharedQueueLimit(t *testing.T) {
	a, b := connect(t, New(Options{}), "soft0", "soft1", pairOptions{Shared: 8})
	limit := func() uint32 { return must(b.SRQ.Query())(t).Limit }
	message := func(id uint64) {
		t.Helper()
		a.Send(verbs.SendWR{WRID: id, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled})
		b.Want(id, verbs.WCSuccess)
		a.Want(id, verbs.WCSuccess)
	}
	for id := range uint64(5) {
		b.Share(verbs.RecvWR{WRID: id})
	}
	ok(t, b.SRQ.Modify(verbs.SRQAttr{Mask: verbs.SRQLimit, Limit: 3}))
	message(0)
	message(1) // 3 are left, which is not fewer than 3
	b.NoEvent()
	if limit() != 3 {
		t.Errorf("limit %d before the event, want 3", limit())
	}
	message(2)
	if ev := b.NextEvent(verbs.EventSRQLimitReached); ev.SRQ != b.SRQ {
		t.Errorf("of %v", ev.SRQ)
	}
	if limit() != 0 {
		t.Errorf("limit %d after the event, want 0", limit())
	}
	message(3) // reported only once
	b.NoEvent()
	ok(t, b.SRQ.Modify(verbs.SRQAttr{Mask: verbs.SRQLimit, Limit: 8})) // 1 is posted already
	b.NoEvent()
	message(4)
	b.NextEvent(verbs.EventSRQLimitReached)
	b.NoEvent()
}

// TestSharedQueueResize makes a queue longer and shorter with requests in it, also where they wrap around the end of
// the ring.
func TestSharedQueueResize(t *testing.T) {
	a, b := connect(t, New(Options{}), "soft0", "soft1", pairOptions{Shared: 4})
	src, mr := a.NewMR(8, 0), b.NewMR(1<<12, verbs.LocalWrite)
	fill(t, src, pattern(8, 0), 0)
	fill(t, mr, pattern(1<<12, 0xff), 0)
	next, done := uint64(0), uint64(0)
	post := func(n int) {
		for range n {
			b.Share(verbs.RecvWR{WRID: next, SGList: sge(mr, 8*next, 8)})
			next++
		}
	}
	take := func(n int) {
		t.Helper()
		for range n {
			fill(t, src, pattern(8, byte(done)), 0)
			a.Send(verbs.SendWR{Opcode: verbs.WRSend, SGList: sge(src, 0, 8)})
			b.Want(done, verbs.WCSuccess)
			wantBytes(t, mr, pattern(8, byte(done)), int64(8*done))
			done++
		}
	}
	size := func(n uint32) {
		t.Helper()
		ok(t, b.SRQ.Modify(verbs.SRQAttr{Mask: verbs.SRQMaxWR, MaxWR: n}))
		if got := must(b.SRQ.Query())(t); got.MaxWR != n || got.MaxSGE != 4 {
			t.Fatalf("%+v, want max_wr %d", got, n)
		}
	}
	full := func() {
		t.Helper()
		if n, err := b.SRQ.PostRecv(verbs.RecvWR{}); n != 0 || !errors.Is(err, syscall.ENOMEM) {
			t.Fatalf("one too many: %d, %v; want ENOMEM", n, err)
		}
	}
	post(4)
	full()
	take(3)
	post(2) // 2 of 3, across the end
	size(9)
	post(6)
	full()
	take(7)
	size(2)
	full()
	take(2)
	post(2)
	full()
	take(2)
}

func TestSharedQueueModifyRefuses(t *testing.T) {
	s := newSide(t, New(Options{}), "soft0", pairOptions{Shared: 4}.WithDefaults())
	s.Share(verbs.RecvWR{}, verbs.RecvWR{}, verbs.RecvWR{})
	ok(t, s.SRQ.Modify(verbs.SRQAttr{Mask: verbs.SRQLimit, Limit: 2}))
	both := verbs.SRQMaxWR | verbs.SRQLimit
	for name, attr := range map[string]verbs.SRQAttr{
		"longer than max_srq_wr":          {Mask: verbs.SRQMaxWR, MaxWR: transport.MaxSRQWR + 1},
		"of length 0":                     {Mask: verbs.SRQMaxWR},
		"shorter than its contents":       {Mask: verbs.SRQMaxWR, MaxWR: 2},
		"a limit beyond its length":       {Mask: verbs.SRQLimit, Limit: 5},
		"shorter than the limit":          {Mask: both, MaxWR: 3, Limit: 4},
		"a good limit with a bad length":  {Mask: both, Limit: 1},
		"a field that cannot be modified": {Mask: 1 << 2, MaxSGE: 1},
	} {
		if err := s.SRQ.Modify(attr); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%s: %v, want EINVAL", name, err)
		}
		if got, want := must(s.SRQ.Query())(t),
			(verbs.SRQAttr{Mask: both, MaxWR: 4, MaxSGE: 4, Limit: 2}); got != want {
			t.Fatalf("%s: the queue changed to %+v", name, got)
		}
	}
}

// TestSharedQueueKeepsTheRest changes one attribute: the other stays.
func TestSharedQueueKeepsTheRest(t *testing.T) {
	s := newSide(t, New(Options{}), "soft0", pairOptions{Shared: 4}.WithDefaults())
	for _, tt := range []struct{ change, want verbs.SRQAttr }{
		{verbs.SRQAttr{Mask: verbs.SRQLimit, MaxWR: 9, Limit: 2}, verbs.SRQAttr{MaxWR: 4, Limit: 2}},
		{verbs.SRQAttr{Mask: verbs.SRQMaxWR, MaxWR: 8, Limit: 1}, verbs.SRQAttr{MaxWR: 8, Limit: 2}},
		{verbs.SRQAttr{MaxWR: 3, Limit: 1}, verbs.SRQAttr{MaxWR: 8, Limit: 2}},
	} {
		ok(t, s.SRQ.Modify(tt.change))
		if got := must(s.SRQ.Query())(t); got.MaxWR != tt.want.MaxWR || got.Limit != tt.want.Limit {
			t.Errorf("%+v: %+v", tt.change, got)
		}
	}
}

// TestSharedQueueOfOne makes the shortest queue possible.
func TestSharedQueueOfOne(t *testing.T) {
	s := newSide(t, New(Options{}), "soft0", pairOptions{Shared: 4}.WithDefaults())
	ok(t, s.SRQ.Modify(verbs.SRQAttr{Mask: verbs.SRQMaxWR, MaxWR: 1}))
	s.Share(verbs.RecvWR{})
	if _, err := s.SRQ.PostRecv(verbs.RecvWR{}); !errors.Is(err, syscall.ENOMEM) {
		t.Errorf("a second request: %v", err)
	}
}

// TestSharedQueueEmpty sends without a RECV: the peer gets an RNR NAK.
func TestSharedQueueEmpty(t *testing.T) {
	virtual(t, func(t *testing.T, p *Provider) {
		a, b := connect(t, p, "soft0", "soft1", pairOptions{Shared: 4})
		a.Send(verbs.SendWR{WRID: 1, Opcode: verbs.WRSend, SendFlags: verbs.SendSignaled})
		synctest.Wait()
		a.Nothing()
		b.Share(verbs.RecvWR{WRID: 2})
		time.Sleep(time.Second)
		a.Want(1, verbs.WCSuccess)
		b.Want(2, verbs.WCSuccess)
		if counterOf(t, p, "soft1", "send_rnr_err") == 0 {
			t.Error("no RNR NAK was sent")
		}
	})
}

// TestSharedQueueOfAFailedQP ends one of two queue pairs, inside a message and outside one. The RECV that it has taken
// is flushed, the event reports that it takes no more, and the other queue pair gets the rest.
func TestSharedQueueOfAFailedQP(t *testing.T) {
	toState := func(s verbs.QPState) func(*rawPeer) {
		return func(r *rawPeer) { ok(r.T, r.QP.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: s})) }
	}
	refused := func(r *rawPeer) { r.put(r.request(wire.RCSendOnly, 101, 8)) } // where MIDDLE or LAST is expected
	for _, tt := range []struct {
		name   string
		inside bool
		end    func(*rawPeer)
		flush  bool
		events []verbs.EventType
	}{
		{"ERR inside a message", true, toState(verbs.QPErr), true, []verbs.EventType{verbs.EventQPLastWQEReached}},
		{"ERR outside", false, toState(verbs.QPErr), false, []verbs.EventType{verbs.EventQPLastWQEReached}},
		{"a bad request inside", true, refused, true,
			[]verbs.EventType{verbs.EventQPLastWQEReached, verbs.EventQPReqErr}},
		{"RESET inside", true, toState(verbs.QPReset), false, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			virtual(t, func(t *testing.T, p *Provider) {
				o := pairOptions{Shared: 8}
				one := newRawPeer(t, p, o)
				two := one.another(o)
				mr := one.NewMR(4096, everything)
				left := uint64(1)
				one.Share(verbs.RecvWR{WRID: 1, SGList: sge(mr, 0, 2048)},
					verbs.RecvWR{WRID: 2, SGList: sge(mr, 0, 2048)})
				if tt.inside {
					one.put(one.request(wire.RCSendFirst, 100, 1024))
					left++
				}
				tt.end(one)
				synctest.Wait()
				if tt.flush {
					one.Want(1, verbs.WCWRFlushErr)
				}
				for _, want := range tt.events {
					if ev := one.NextEvent(want); ev.QP != one.QP {
						t.Errorf("of %v", ev.QP)
					}
				}
				if one.State() == verbs.QPErr {
					toState(verbs.QPErr)(one) // no second event
					synctest.Wait()
				}
				one.NoEvent()
				one.Nothing()
				two.put(two.request(wire.RCSendOnly, 100, 4))
				two.Want(left, verbs.WCSuccess)
				if !tt.inside {
					return
				}
				toState(verbs.QPReset)(one)
				one.bringUp(o)
				one.Share(verbs.RecvWR{WRID: 9, SGList: sge(mr, 0, 2048)})
				one.put(one.request(wire.RCSendOnly, 100, 4)) // it has not kept a RECV
				one.Want(9, verbs.WCSuccess)
			})
		})
	}
}

// TestSharedQueueUnreliable cuts messages short: a RECV that was taken cannot be put back, and completes; the queue
// pair still works.
func TestSharedQueueUnreliable(t *testing.T) {
	const qkey = 5
	for _, tt := range []struct {
		name   string
		typ    verbs.QPType
		first  wire.Opcode
		n      int
		next   wire.Opcode
		status verbs.WCStatus
	}{
		{"UC, no LAST", verbs.UC, wire.UCSendFirst, 1024, wire.UCSendOnly, verbs.WCRemInvReqErr},
		{"UC, longer than the RECV", verbs.UC, wire.UCSendOnly, 65, wire.UCSendOnly, verbs.WCLocLenErr},
		{"UD, longer than the RECV", verbs.UD, wire.UDSendOnly, 25, wire.UDSendOnly, verbs.WCLocLenErr},
	} {
		t.Run(tt.name, func(t *testing.T) {
			virtual(t, func(t *testing.T, p *Provider) {
				r := newRawPeer(t, p, pairOptions{Typ: tt.typ, Shared: 4, QKey: qkey})
				mr := r.NewMR(4096, everything)
				length := uint32(64)
				if tt.n > 1000 {
					length = 2048
				}
				r.Share(verbs.RecvWR{WRID: 1, SGList: sge(mr, 0, length)},
					verbs.RecvWR{WRID: 2, SGList: sge(mr, 2048, 64)})
				r.put(r.request(tt.first, 100, tt.n), r.request(tt.next, 102, 5))
				r.Want(1, tt.status)
				r.Want(2, verbs.WCSuccess)
				if r.State() != verbs.QPRTS {
					t.Errorf("it is in %s", r.State())
				}
				r.NoEvent()
			})
		})
	}
}

func TestSharedQueueRules(t *testing.T) {
	p := New(Options{})
	o := pairOptions{Shared: 4}.WithDefaults()
	s, other := newSide(t, p, "soft0", o), newSide(t, New(Options{}), "soft0", o)
	ok(t, s.ToInit(o))
	if n, err := s.QP.PostRecv(verbs.RecvWR{}); n != 0 || !errors.Is(err, syscall.EINVAL) {
		t.Errorf("posting to the queue pair: %d, %v; want EINVAL", n, err)
	}
	if c := s.QP.Cap(); c.MaxRecvWR != 0 || c.MaxRecvSGE != 0 {
		t.Errorf("a queue pair on a shared queue has %+v", c)
	}
	if n, err := s.SRQ.PostRecv(verbs.RecvWR{}, verbs.RecvWR{SGList: make([]verbs.SGE, 5)}); n != 1 ||
		!errors.Is(err, syscall.EINVAL) {
		t.Errorf("five elements where four are allowed: %d, %v; want 1, EINVAL", n, err)
	}
	spec := verbs.QPSpec{QPType: verbs.RC, SendCQ: s.CQ, RecvCQ: s.CQ, SRQ: s.SRQ}
	spec.SRQ = other.SRQ
	if _, err := s.PD.CreateQP(spec); !errors.Is(err, verbs.ErrForeignObject) {
		t.Errorf("a queue of another provider: %v", err)
	}
	var b *verbs.BusyError
	if err := s.SRQ.Close(); !errors.As(err, &b) || !strings.Contains(err.Error(), s.QP.Num().String()) {
		t.Errorf("closing in use: %v", err)
	}
	ok(t, s.QP.Close())
	if err := s.PD.Close(); !errors.As(err, &b) || !strings.Contains(err.Error(), "SRQ") {
		t.Errorf("closing its domain: %v", err)
	}
	ok(t, s.SRQ.Close())
	ok(t, s.SRQ.Close())
	spec.SRQ = s.SRQ
	for name, err := range map[string]error{
		"PostRecv": second(s.SRQ.PostRecv(verbs.RecvWR{})), "Modify": s.SRQ.Modify(verbs.SRQAttr{}),
		"Query": second(s.SRQ.Query()), "CreateQP": second(s.PD.CreateQP(spec)),
	} {
		if !errors.Is(err, verbs.ErrClosed) {
			t.Errorf("%s after Close: %v", name, err)
		}
	}
}

func TestSharedQueueLimits(t *testing.T) {
	s := newSide(t, New(Options{}), "soft0", pairOptions{}.WithDefaults())
	attr := must(s.Dev.QueryDevice())(t)
	for name, spec := range map[string]verbs.SRQSpec{
		"max_srq_wr":  {MaxWR: uint32(attr.MaxSRQWR) + 1},
		"max_srq_sge": {MaxWR: 1, MaxSGE: uint32(attr.MaxSRQSGE) + 1},
		"no requests": {MaxSGE: 1},
	} {
		if _, err := s.PD.CreateSRQ(spec); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%s: %v, want EINVAL", name, err)
		}
	}
	closeAtEnd(t, must(s.PD.CreateSRQ(verbs.SRQSpec{MaxWR: uint32(attr.MaxSRQWR), MaxSGE: uint32(attr.MaxSRQSGE)}))(t))
	for range attr.MaxSRQ - 1 {
		closeAtEnd(t, must(s.PD.CreateSRQ(verbs.SRQSpec{MaxWR: 1}))(t))
	}
	if _, err := s.PD.CreateSRQ(verbs.SRQSpec{MaxWR: 1}); !errors.Is(err, syscall.ENOMEM) {
		t.Errorf("one queue too many: %v, want ENOMEM", err)
	}
}
