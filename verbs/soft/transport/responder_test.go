package transport

import (
	"runtime"
	"testing"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/memory"
	"rdmatui/verbs/wire"
)

// TestLastWords: a program receives a message and ends its queue pair at once; the acknowledgement is still sent.
func TestLastWords(t *testing.T) {
	ends := map[string]func(b *end) error{
		"ERR":   func(b *end) error { return b.q.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPErr}) },
		"RESET": func(b *end) error { return b.q.Modify(verbs.QPAttr{Mask: verbs.AttrState, QPState: verbs.QPReset}) },
		"close": func(b *end) error { return b.q.Close() },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			a, b := connect(t, verbs.RC)
			b.recv(7)
			e := b.e
			for !e.asleep.Load() || !e.turn.TryLock() {
				runtime.Gosched()
			}
			a.send(1, verbs.WRSend)
			for len(e.rx) == 0 {
				e.rx = e.link.Receive(e.rx[:0], rxBatch)
				runtime.Gosched()
			}
			e.now = time.Since(e.begun)
			e.receive()
			b.want(7, verbs.WCSuccess)
			ok(t, end(b))
			e.serve()
			e.flush()
			e.turn.Unlock()
			a.want(1, verbs.WCSuccess)
		})
	}
}

// TestLongestMessage: requests of exactly the maximum are executed; one byte more is an invalid request, not one beyond
// its region.
func TestLongestMessage(t *testing.T) {
	a, _ := connect(t, verbs.RC)
	a.a.Quota.Memory = memory.New(2*MaxMsg, "test") // which is not touched
	mr, err := a.pd.RegMR(verbs.MRSpec{Length: MaxMsg, Access: verbs.LocalWrite | verbs.RemoteWrite | verbs.RemoteRead})
	ok(t, err)
	e := a.e
	e.turn.Lock()
	defer e.turn.Unlock()
	a.q.mu.Lock()
	defer a.q.mu.Unlock()
	a.q.attr.QPAccessFlags, a.q.attr.MaxDestRDAtomic = verbs.RemoteWrite|verbs.RemoteRead, 1
	for _, op := range []wire.Opcode{wire.RCReadRequest, wire.RCWriteFirst} {
		for n, want := range map[uint32]wire.Syndrome{MaxMsg: 0,
			MaxMsg + 1: wire.NAK(wire.NAKInvalidRequest), MaxMsg - 4: 0} {
			r := &a.q.resp
			r.reset(7)
			e.in = wire.Packet{
				BTH: wire.BTH{Opcode: op, PSN: 7}, RETH: wire.RETH{VA: mr.Addr(), RKey: mr.RKey(), DMALen: n},
			}
			info, _ := op.Info()
			if info.Payload {
				e.in.Payload = make([]byte, a.q.mtu)
			}
			r.expected(e, info)
			if r.nak != nil && r.nak.syndrome != want || (r.nak == nil) != (want == 0) {
				t.Errorf("%s of %d bytes: %+v", op, n, r.nak)
			}
		}
	}
	a.q.resp.reset(0)
	ok(t, mr.Close())
}

// TestFlushesAtOnce: the peer may have maxFlushes FLUSHes outstanding, whatever else is, if it may have any request
// that is answered.
func TestFlushesAtOnce(t *testing.T) {
	for _, tt := range []struct {
		atomics       uint8
		flushes, rest int
		want          bool
	}{{1, 0, 0, true}, {1, maxFlushes - 1, 0, true}, {1, maxFlushes - 1, 1, true},
		{1, maxFlushes, 0, false}, {0, 0, 0, false}} {
		q := &QP{attr: verbs.QPAttr{MaxDestRDAtomic: tt.atomics}}
		r := &responder{q: q}
		for i := range tt.flushes + tt.rest {
			r.fetches = append(r.fetches, fetchJob{flush: i < tt.flushes})
		}
		if got := r.mayFlush(); got != tt.want || r.fetching() != tt.rest {
			t.Errorf("%+v: %t, %d others", tt, got, r.fetching())
		}
	}
}
