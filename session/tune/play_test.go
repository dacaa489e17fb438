package tune

import (
	"context"
	"errors"
	"slices"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session/queue"
	"rdmatui/session/region"
	"rdmatui/verbs"
)

// wire carries messages between the two ends of fake queue pairs.
type wire struct {
	mu      sync.Mutex
	delay   time.Duration // until a message arrives; 0: at once
	calls   int           // of PostSend
	refuses int           // the call that is refused, from 1; 0: none
	most    int           // send requests outstanding on a queue pair, at most
	fails   int           // the call whose completions have failed; 0: none
}

// line is a completion queue and its channel.
type line struct {
	verbs.CQ
	verbs.CompChannel
	wire      *wire
	wcs       []verbs.WC
	polled    []func() // called when a completion of a send request is polled
	armed     bool
	solicited bool // what it was armed for last
	came      chan struct{}
	acked     int
}

func (c *line) Poll(wcs []verbs.WC) (int, error) {
	c.wire.mu.Lock()
	defer c.wire.mu.Unlock()
	n := copy(wcs, c.wcs)
	c.wcs = c.wcs[n:]
	for _, polled := range c.polled[:min(n, len(c.polled))] {
		polled()
	}
	c.polled = c.polled[min(n, len(c.polled)):]
	return n, nil
}

func (c *line) ReqNotify(solicited bool) error {
	c.wire.mu.Lock()
	defer c.wire.mu.Unlock()
	c.armed, c.solicited = true, solicited
	return nil
}

// add adds a completion, with the wire's lock held.
func (c *line) add(wc verbs.WC, solicited bool) {
	if c.wcs = append(c.wcs, wc); c.armed && (solicited || !c.solicited) {
		c.armed = false
		c.came <- struct{}{}
	}
}

func (c *line) GetCQEvent(ctx context.Context) (verbs.CQ, error) {
	select {
	case <-c.came:
		return c, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *line) AckEvents(n int) { c.acked += n }
func (c *line) Close() error    { return nil }

// made sets a pointer to a new value.
func made[T any](p **T) *T {
	*p = new(T)
	return *p
}

// end is one end of a connection. Its peer has the memory.
type end struct {
	verbs.QP
	wire       *wire
	num        verbs.QPN
	peer       *end
	send, recv *line
	shared     *pool // where RECVs are taken from
	open       int   // send requests whose completion was not polled
	silent     int   // of these, those after the last signalled one
	calls      []int // requests in each call
}

// pool is a receive queue.
type pool struct {
	verbs.SRQ
	wire *wire
	wrs  []verbs.RecvWR
	all  int // posted
}

func (p *pool) PostRecv(wrs ...verbs.RecvWR) (int, error) {
	p.wire.mu.Lock()
	defer p.wire.mu.Unlock()
	p.wrs, p.all = append(p.wrs, wrs...), p.all+len(wrs)
	return len(wrs), nil
}

func (e *end) PostRecv(wrs ...verbs.RecvWR) (int, error) { return e.shared.PostRecv(wrs...) }

func (e *end) PostSend(wrs ...verbs.SendWR) (int, error) {
	e.wire.mu.Lock()
	defer e.wire.mu.Unlock()
	e.calls = append(e.calls, len(wrs))
	if e.wire.calls++; e.wire.calls == e.wire.refuses {
		return 0, syscall.ENOMEM
	}
	status := verbs.WCSuccess
	if e.wire.calls == e.wire.fails {
		status = verbs.WCRetryExcErr
	}
	e.open += len(wrs)
	e.wire.most = max(e.wire.most, e.open)
	arrive := func() {
		for _, wr := range wrs {
			if wr.Opcode.Traits().NeedRecv {
				if len(e.peer.shared.wrs) == 0 {
					panic("a message without a RECV")
				}
				e.peer.recv.add(verbs.WC{WRID: e.peer.shared.wrs[0].WRID, QPNum: e.peer.num},
					wr.SendFlags&verbs.SendSolicited != 0)
				e.peer.shared.wrs = e.peer.shared.wrs[1:]
			}
			if e.silent++; wr.SendFlags&verbs.SendSignaled != 0 {
				n := e.silent
				e.send.polled, e.silent = append(e.send.polled, func() { e.open -= n }), 0
				e.send.add(verbs.WC{WRID: wr.WRID, Status: status}, false)
			}
		}
	}
	if e.wire.delay == 0 {
		arrive()
		return len(wrs), nil
	}
	time.AfterFunc(e.wire.delay, func() {
		e.wire.mu.Lock()
		defer e.wire.mu.Unlock()
		arrive()
	})
	return len(wrs), nil
}

// store is a region that counts the bytes that are written to it.
type store struct {
	placed
	written []int64 // offsets
	bytes   int
}

func (m *store) WriteAt(p []byte, off int64) (int, error) {
	m.written, m.bytes = append(m.written, off), m.bytes+len(p)
	return len(p), nil
}

// newPlay makes a loop of a setup over a wire, with both ends' queues.
func newPlay(t *testing.T, s setup, w *wire) (*loop, *store) {
	t.Helper()
	o, mem := &objects{setup: s.settled(&host{reads: 4})}, &store{}
	o.mr, o.lanes = &region.MR{MR: mem}, make([]lane, o.pairs)
	var lines [2][2]*line // by end: of send and receive requests
	var all *pool
	if s.shared {
		all = &pool{wire: w}
		o.srq = &queue.SRQ{SRQ: all}
	}
	for at := range 2 {
		for i := range lines[at] {
			lines[at][i] = &line{wire: w, came: make(chan struct{}, 100)}
		}
		o.sendCQ[at] = &queue.CQ{CQ: lines[at][0]}
		o.recvCQ[at] = &queue.CQ{CQ: lines[at][1]}
		made(&o.recvCQ[at].Channel).Ch = lines[at][1]
	}
	for i := range o.lanes {
		var both [2]*end
		for at := range both {
			both[at] = &end{wire: w, num: verbs.QPN(10*i + at + 1), send: lines[at][0], recv: lines[at][1],
				shared: &pool{wire: w}}
			if s.shared && at == 1 {
				both[at].shared = all
			}
			o.lanes[i].ends[at] = &queue.QP{QP: both[at], Num: both[at].num}
			o.requests(i, at)
		}
		both[0].peer, both[1].peer = both[1], both[0]
	}
	if err := o.fillReceiveQueues(); err != nil {
		t.Fatal(err)
	}
	return newLoop(t.Context(), o, 0, nil), mem
}

var (
	oneSend  = []verbs.WROpcode{verbs.WRSend}
	oneWrite = []verbs.WROpcode{verbs.WRRDMAWrite}
)

// TestPlayedStream: a stream posts lists of messages up to its depth on each pair, and has no message outstanding at
// its end. RECVs are posted again.
func TestPlayedStream(t *testing.T) {
	for _, tt := range []struct {
		name string
		setup
		least, messages uint64
		most            int // requests outstanding on a queue pair
	}{
		{"one by one", setup{message: oneWrite, size: 8}, 5, 5, 1},
		{"a depth", setup{message: oneWrite, size: 8, depth: 4, signal: 4}, 5, 8, 4},
		{"SENDs on two pairs", setup{message: oneSend, size: 8, depth: 3, pairs: 2}, 5, 6, 3},
		{"lists", setup{message: oneSend, size: 8, depth: 8, list: 4, signal: 2, span: 64}, 9, 16, 8},
		{"moderated", setup{message: oneWrite, size: 8, depth: 8, list: 2, signal: 4, span: 64}, 1, 8, 8},
		{"shared", setup{message: oneSend, size: 8, depth: 2, pairs: 3, shared: true}, 7, 12, 2},
		{"two requests", setup{message: []verbs.WROpcode{verbs.WRRDMAWrite, verbs.WRSend}, size: 8, depth: 2}, 3, 4, 4},
		{"copied", setup{message: oneSend, size: 12, pieces: 3, copied: true}, 2, 2, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := &wire{delay: 0}
			l, mem := newPlay(t, tt.setup, w)
			for again := range uint64(2) { // a round goes on where the one before ended
				got, err := l.round((*loop).stream, 0, tt.least)
				if err != nil || got.messages != tt.messages || got.size != tt.size || got.events != 0 {
					t.Errorf("%s: %+v, %v, want %d messages", tt.name, got, err, tt.messages)
				}
				sum := uint64(0)
				for i := range l.lanes {
					lane := &l.lanes[i]
					if sum += lane.posted[0]; lane.completed[0] != lane.posted[0] || l.receives() &&
						lane.received != lane.posted[0] || lane.posted[1] != 0 {
						t.Errorf("%s: %+v", tt.name, lane)
					}
					for _, n := range lane.ends[0].QP.(*end).calls {
						if n != l.list*len(l.message) {
							t.Errorf("%s: %d requests in a call", tt.name, n)
						}
					}
				}
				if sum != tt.messages*(again+1) {
					t.Errorf("%s: %d messages posted", tt.name, sum)
				}
			}
			for i := range l.lanes {
				if p := l.lanes[i].ends[1].QP.(*end).shared; !tt.shared && l.receives() && len(p.wrs) != l.recvs() ||
					tt.shared && len(p.wrs) != l.pairs*l.recvs() {
					t.Errorf("%s: %d RECVs are left", tt.name, len(p.wrs))
				}
			}
			if want := map[bool]int{true: 4 * 12}[tt.copied]; mem.bytes != want || tt.copied &&
				!slices.Equal(mem.written[:3], []int64{0, 4, 8}) {
				t.Errorf("%s: %d bytes copied, to %v", tt.name, mem.bytes, mem.written)
			}
			if w.most != tt.most {
				t.Errorf("%s: %d requests outstanding at most, want %d", tt.name, w.most, tt.most)
			}
		})
	}
}

// TestRoundLasts: a round has its least number of messages and lasts at least its time, measured to the last message.
func TestRoundLasts(t *testing.T) {
	for _, tt := range []struct {
		span     time.Duration
		least    uint64
		messages uint64
	}{{100 * time.Millisecond, 8, 100}, {100 * time.Millisecond, 200, 200}, {0, 3, 3}, {0, 0, 0}} {
		synctest.Test(t, func(t *testing.T) {
			l, _ := newPlay(t, setup{message: oneWrite, size: 8}, &wire{})
			time.Sleep(time.Second)
			l.events = 7 // of the round before
			got, err := l.round(func(l *loop) error {
				for !l.enough() {
					time.Sleep(time.Millisecond)
					l.posted++
				}
				l.ended = time.Now()
				time.Sleep(time.Hour) // does not count
				return nil
			}, tt.span, tt.least)
			if err != nil || got.messages != tt.messages || got.events != 0 ||
				got.took != time.Duration(tt.messages)*time.Millisecond || got.cpu < 0 || got.cpu > time.Minute {
				t.Errorf("%+v: %+v, %v", tt, got, err)
			}
		})
	}
	errWork := errors.New("work")
	l, _ := newPlay(t, setup{message: oneWrite, size: 8}, &wire{})
	if got, err := l.round(func(*loop) error { return errWork }, 0, 1); got != nil || err != errWork {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestPlayedTurns: both ends of a ping-pong send in turns. One that polls has no event, one that sleeps has one for
// each message, and a hybrid one has none while messages come before it has polled for long.
func TestPlayedTurns(t *testing.T) {
	for _, tt := range []struct {
		name   string
		wait   waiting
		delay  time.Duration
		spin   time.Duration
		events uint64
	}{
		{"polling", polling, 0, 0, 0}, {"sleeping", events, time.Millisecond, 0, 20},
		{"hybrid, in time", hybrid, 0, time.Hour, 0}, {"hybrid, late", hybrid, time.Millisecond, -1, 20},
	} {
		synctest.Test(t, func(t *testing.T) {
			l, _ := newPlay(t, setup{message: oneSend, size: 8, depth: 2, waiting: tt.wait}, &wire{delay: tt.delay})
			l.spin = tt.spin
			ctx := l.ctx
			got, err := l.round((*loop).pingPong, 0, 10)
			if err != nil || got.messages != 10 || got.events != tt.events || l.ctx != ctx {
				t.Errorf("%s: %+v, %v", tt.name, got, err)
			}
			lane := &l.lanes[0]
			if lane.posted[0] != 10 || lane.posted[1] < 10 || tt.delay > 0 && got.took != 20*tt.delay {
				t.Errorf("%s: posted %v, took %s", tt.name, lane.posted, got.took)
			}
			acked := l.recvCQ[0].CQ.(*line).acked + l.recvCQ[1].CQ.(*line).acked
			if uint64(acked) != tt.events {
				t.Errorf("%s: %d events acknowledged", tt.name, acked)
			}
		})
	}
}

// TestPlayedBursts: a receiver of bursts that sleeps until a solicited event has one for each burst; one that asks for
// every event has one for each message that comes while it sleeps.
func TestPlayedBursts(t *testing.T) {
	for _, solicited := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := setup{message: oneSend, size: 8, depth: 4, list: 4, signal: 4, waiting: events, solicited: solicited}
			l, _ := newPlay(t, s, &wire{delay: time.Millisecond})
			got, err := l.round((*loop).bursts, 0, 9)
			if err != nil || got.messages != 12 || l.recvCQ[1].CQ.(*line).solicited != solicited ||
				got.events < 3 || solicited && got.events != 3 || got.took != 3*time.Millisecond {
				t.Errorf("solicited %v: %+v, %v", solicited, got, err)
			}
		})
	}
}

// TestPlayFails: a request that is refused, a message that fails and a context that ends each end any work, at either
// end.
func TestPlayFails(t *testing.T) {
	errStop := errors.New("stop")
	works := map[string]struct {
		setup
		work func(*loop) error
	}{
		"stream":    {setup{message: oneSend, size: 8, depth: 2}, (*loop).stream},
		"ping-pong": {setup{message: oneSend, size: 8, depth: 1}, (*loop).pingPong},
		"bursts":    {setup{message: oneSend, size: 8, depth: 2, list: 2, waiting: events}, (*loop).bursts},
	}
	for name, tt := range works {
		for call := 1; call <= 3; call++ {
			l, _ := newPlay(t, tt.setup, &wire{refuses: call})
			if _, err := l.round(tt.work, time.Hour, 1); !errors.Is(err, syscall.ENOMEM) {
				t.Errorf("%s, call %d is refused: %v", name, call, err)
			}
			l, _ = newPlay(t, tt.setup, &wire{fails: call})
			if _, err := l.round(tt.work, time.Hour, 1); err == nil || errors.Is(err, context.Canceled) {
				t.Errorf("%s, call %d fails: %v", name, call, err)
			}
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		l, _ := newPlay(t, tt.setup, &wire{})
		for at := range 2 { // nothing arrives
			for i := range l.lanes {
				l.lanes[i].ends[at].QP = &mute{}
			}
		}
		l.ctx = ctx
		time.AfterFunc(time.Millisecond, func() { cancel(errStop) })
		if _, err := l.round(tt.work, time.Hour, 1); !errors.Is(err, errStop) {
			t.Errorf("%s is stopped: %v", name, err)
		}
	}
}

// mute is a queue pair whose requests never complete.
type mute struct{ verbs.QP }

func (*mute) PostSend(wrs ...verbs.SendWR) (int, error) { return len(wrs), nil }
