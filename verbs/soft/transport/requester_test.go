package transport

import (
	"testing"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// TestGoBackToWhatIsNotDone goes back to the PSN of a BIND_MW. One that is not done must be executed again: it has no
// packet, so nothing else leads back to it. One that is done is skipped.
func TestGoBackToWhatIsNotDone(t *testing.T) {
	q := &QP{mtu: 1024}
	q.sq.init(verbs.QPCap{MaxSendWR: 2})
	q.sq.tail.Store(1)
	w := q.sq.at(0)
	w.op, w.first, w.last = verbs.WRBindMW, 10, 9
	for _, done := range []bool{false, true} {
		w.done = done
		q.req, q.comp.una = requester{q: q, started: 1, psn: 7, top: 10}, 10
		q.req.goBack(10)
		if passed := q.req.next == 1; passed != done {
			t.Errorf("done %t: the next request is %d", done, q.req.next)
		}
	}
}

// TestSmallWindowAsks: every window has packets that request an acknowledgement, so that it cannot fill up without one.
func TestSmallWindowAsks(t *testing.T) {
	r := requester{}
	for r.window = minWindow; r.window <= MaxWindow; r.window++ {
		r.unasked = 0
		asked := 0
		for range r.window {
			if r.asksACK(false) {
				asked++
			}
		}
		if asked < min(asksPerWindow, r.window) {
			t.Errorf("%d of %d packets request an ACK", asked, r.window)
		}
		if !r.asksACK(true) {
			t.Error("the last packet requests no ACK")
		}
	}
}

// TestNoMoreAsksThanNeeded: a window's packets request acknowledgements at equal distances.
func TestNoMoreAsksThanNeeded(t *testing.T) {
	for window, want := range map[int]int{minWindow: minWindow, 8: 8, 15: 15, 16: 8, 17: 8, 24: 8,
		MaxWindow: asksPerWindow} {
		r := requester{window: window}
		asked := 0
		for range window {
			if r.asksACK(false) {
				asked++
			}
		}
		if asked != want {
			t.Errorf("%d of %d packets request an ACK, want %d", asked, window, want)
		}
	}
}

// TestAskedUpTo: a READ is requested whole at first, and in parts of an eighth of the window while packets are being
// lost. A part keeps its end until the response has passed it.
func TestAskedUpTo(t *testing.T) {
	const first, last = 100, 163
	for _, tt := range []struct {
		psn, top  wire.PSN
		window    int
		split     bool
		part      wire.PSN // of the request before
		want      wire.PSN
		splitThen bool
	}{
		{first, first, 64, false, 0, last + 1, false},           // the first time
		{first, last + 1, MaxWindow, false, 0, last + 1, false}, // nothing was lost
		{first, last + 1, 128, false, 0, 116, true},
		{first, last + 1, minWindow, false, 0, first + minWindow, true},
		{147, last + 1, 128, false, 0, 163, true},
		{148, last + 1, 128, false, 0, last + 1, false}, // the rest is one part
		{110, last + 1, 128, true, 116, 116, true},      // the same part
		{115, last + 1, 16, true, 116, 116, true},
		{116, last + 1, 128, true, 116, 132, true}, // the next one
		{116, last + 1, MaxWindow, true, 116, last + 1, true},
	} {
		r := requester{psn: tt.psn, top: tt.top, window: tt.window}
		w := &sendWQE{first: first, last: last, split: tt.split, part: tt.part}
		if got := r.askedUpTo(w); got != tt.want || w.split != tt.splitThen || got <= last && w.part != got {
			t.Errorf("%+v: %d, split %t at %d", tt, got, w.split, w.part)
		}
	}
}

// TestWindowFollows: the window halves with a loss and grows with each arrival, between its limits.
func TestWindowFollows(t *testing.T) {
	r := requester{window: MaxWindow}
	for _, want := range []int{128, 64, 32, 16, 8, minWindow, minWindow} {
		if r.shrink(); r.window != want {
			t.Errorf("%d, want %d", r.window, want)
		}
	}
	for arrived, want := range []int{minWindow, 5, 7, 10} {
		if r.grow(arrived); r.window != want {
			t.Errorf("%d, want %d", r.window, want)
		}
	}
	if r.grow(MaxWindow); r.window != MaxWindow {
		t.Errorf("%d", r.window)
	}
}

// TestProgress: an acknowledgement of new packets resets the retries and grows the window; a repeated one changes
// nothing.
func TestProgress(t *testing.T) {
	for _, tt := range []struct {
		una     wire.PSN
		retries uint8
		window  int
	}{{9, 3, 16}, {10, 3, 16}, {11, 0, 17}, {14, 0, 20}} {
		q := &QP{}
		q.req = requester{q: q, psn: 20, top: 20, window: 16}
		q.comp.q, q.comp.una, q.comp.retries, q.comp.rnrTries, q.comp.asked = q, 10, 3, 2, true
		q.comp.tries.Timeouts, q.comp.clock.period, q.comp.clock.deadline = 5, 7, 100
		q.comp.progress(&Engine{now: 1000}, tt.una)
		advanced := tt.una > 10
		if c := &q.comp; c.retries != tt.retries || q.req.window != tt.window || (c.rnrTries == 0) != advanced ||
			c.asked == advanced ||
			(c.tries == tries{}) != advanced || (c.clock.deadline == 1007) != advanced ||
			(c.una == tt.una) != (tt.una >= 10) {
			t.Errorf("up to %d: %+v, window %d", tt.una, c, q.req.window)
		}
	}
}

// TestTriesOfARequest: events are counted with the time from the first to the last.
func TestTriesOfARequest(t *testing.T) {
	var tr tries
	for i, now := range []time.Duration{5, 8, 20} {
		tr.met(&Engine{now: now}, []*uint64{&tr.Timeouts, &tr.Resends, &tr.Timeouts}[i])
		if tr.Span != now-5 || tr.Timeouts+tr.Resends != uint64(i+1) {
			t.Errorf("at %d: %+v", now, tr)
		}
	}
	if tr.Timeouts != 2 || tr.Resends != 1 {
		t.Errorf("%+v", tr)
	}
}

// TestGoBackCountsREADs: after going back, the READs and atomics before the next request count as outstanding, no
// others.
func TestGoBackCountsREADs(t *testing.T) {
	q := &QP{mtu: 1024}
	q.sq.init(verbs.QPCap{MaxSendWR: 8})
	ops := []verbs.WROpcode{verbs.WRSend, verbs.WRRDMARead, verbs.WRRDMAWrite, verbs.WRAtomicFetchAndAdd, verbs.WRSend}
	for i, op := range ops {
		w := q.sq.at(uint32(i))
		w.op, w.first, w.last = op, wire.PSN(10+i), wire.PSN(10+i)
	}
	q.sq.tail.Store(uint32(len(ops)))
	for psn, want := range map[wire.PSN]int{10: 0, 11: 0, 12: 1, 13: 1, 14: 2, 15: 2} {
		q.req, q.comp.una = requester{q: q, started: uint32(len(ops)), psn: 15, top: 15, reads: 7}, psn
		if q.req.goBack(psn); q.req.reads != want || q.req.next != uint32(psn)-10 || q.req.psn != psn {
			t.Errorf("to %s: %d READs, next request %d, next PSN %s", psn, q.req.reads, q.req.next, q.req.psn)
		}
	}
}

// TestSentIsDone: nothing stays unacknowledged after the completion of a request, on transports with acknowledgements
// and without.
func TestSentIsDone(t *testing.T) {
	for _, typ := range []verbs.QPType{verbs.RC, verbs.UC} {
		a, b := connect(t, typ)
		for id := range uint64(3) {
			b.recv(id)
			a.send(id, verbs.WRSend)
			a.want(id, verbs.WCSuccess)
			if _, oldest := a.q.PSNs(); oldest != wire.PSN(id+1) {
				t.Errorf("%s: after request %d, PSN %d is the oldest one unacknowledged", typ, id, oldest)
			}
		}
	}
}
