package traffic

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/verbs"
)

// polled is a completion queue with completions, of which each poll returns at most some.
type polled struct {
	verbs.CQ
	wcs   []verbs.WC
	armed int
	err   error
}

func (q *polled) Poll(wcs []verbs.WC) (int, error) {
	if q.err != nil {
		return 0, q.err
	}
	n := copy(wcs, q.wcs)
	q.wcs = q.wcs[n:]
	return n, nil
}

func (q *polled) ReqNotify(bool) error { q.armed++; return nil }

// partner is a queue pair and its peer, which answers each message at once.
type partner struct {
	verbs.QP
	t          *testing.T
	num        verbs.QPN
	send, recv *polled
	first      bool // the peer sends first
	left       int  // messages that the peer still sends
	recvs      int  // posted
	most       int  // of these at a time
	calls      int  // of PostRecv
	sent       int
	short      bool // the peer's messages are a byte short
	lag        bool // a SEND completes after the answer to it
}

func (p *partner) PostRecv(wrs ...verbs.RecvWR) (int, error) {
	p.recvs, p.calls = p.recvs+len(wrs), p.calls+1
	p.most = max(p.most, p.recvs)
	if p.first {
		p.first = false
		p.speak()
	}
	return len(wrs), nil
}

func (p *partner) PostSend(wrs ...verbs.SendWR) (int, error) {
	if p.sent++; len(wrs) != 1 {
		p.t.Errorf("%d SENDs in a call", len(wrs))
	}
	done := verbs.WC{WRID: pingSendID, Opcode: verbs.WCSend, QPNum: p.num}
	if p.lag {
		p.speak()
	}
	if p.send.wcs = append(p.send.wcs, done); !p.lag {
		p.speak()
	}
	return 1, nil
}

// speak lets the next message of the peer arrive.
func (p *partner) speak() {
	if p.left == 0 {
		return
	}
	if p.left--; p.recvs == 0 {
		p.t.Error("a message without a RECV")
	}
	p.recvs--
	size := uint32(8)
	if p.short {
		size--
	}
	p.recv.wcs = append(p.recv.wcs, verbs.WC{WRID: pingRecvID, Opcode: verbs.WCRecv, QPNum: p.num, ByteLen: size})
}

// newPinger makes an end of a ping-pong of n messages in each direction, over queue pairs whose peer answers.
func newPinger(t *testing.T, client bool, n, depth, lanes int, oneQueue bool) (*pinger, []*partner) {
	p := &pinger{s: &core.Session{}, n: n, size: 8, client: client, recvs: make([]verbs.RecvWR, depth),
		lanes: make([]lane, lanes)}
	send, recv := &polled{}, &polled{}
	sendCQ := &queue.CQ{Node: &core.Node{Name: "send"}, CQ: send}
	recvCQ := &queue.CQ{Node: &core.Node{Name: "recv"}, CQ: recv}
	if oneQueue {
		send, sendCQ = recv, recvCQ
	}
	var partners []*partner
	for i := range p.lanes {
		q := &partner{t: t, num: verbs.QPN(i + 1), send: send, recv: recv, first: !client, left: n / lanes}
		partners = append(partners, q)
		p.lanes[i] = lane{q: &queue.QP{Node: &core.Node{Name: "qp"}, QP: q, Num: q.num, SendCQ: sendCQ, RecvCQ: recvCQ},
			send: []verbs.SendWR{{WRID: pingSendID}}}
	}
	p.Queues = p.queues()
	p.Begin(t.Context())
	t.Cleanup(func() { p.End() })
	return p, partners
}

// TestPingpongLoop: both ends send and receive all messages in turns, also if a SEND completes after the answer to it.
// RECVs are posted again once one is left.
func TestPingpongLoop(t *testing.T) {
	for _, tt := range []struct {
		name     string
		client   bool
		n, depth int
		oneQueue bool
		lag      bool
		calls    int // of PostRecv
	}{
		{"client", true, 100, 10, false, false, 12}, {"server", false, 100, 10, false, false, 12},
		{"client, one queue", true, 100, 10, true, false, 12}, {"server, one queue", false, 100, 10, true, true, 12},
		{"late completions", true, 100, 10, false, true, 12}, {"a deep queue", true, 20, 50, false, false, 1},
		{"two RECVs", false, 10, 2, false, false, 11}, {"one message", true, 1, 5, false, false, 1},
	} {
		p, partners := newPinger(t, tt.client, tt.n, tt.depth, 1, tt.oneQueue)
		q := partners[0]
		q.lag = tt.lag
		err := p.loop(nil)
		if err != nil || p.sent != tt.n || p.received != tt.n || p.started != tt.n || q.sent != tt.n || q.left != 0 ||
			!p.complete.Load() || p.progress.Load() != uint64(2*tt.n) {
			t.Errorf("%s: %v, sent %d (%d), received %d, %d of the peer left", tt.name, err, p.sent, q.sent, p.received,
				q.left)
		}
		if q.most != tt.depth || q.calls != tt.calls || p.posted != q.recvs {
			t.Errorf("%s: at most %d RECVs, posted in %d calls, %d left (%d)", tt.name, q.most, q.calls, q.recvs,
				p.posted)
		}
		if done := p.recvCQ().Completed.Load() + p.sendCQ().Completed.Load(); !tt.oneQueue && done != uint64(2*tt.n) ||
			tt.oneQueue && p.recvCQ().Completed.Load() != uint64(2*tt.n) {
			t.Errorf("%s: %d completions counted", tt.name, done)
		}
	}
}

// TestPingpongArms: with events each queue is armed once at the beginning; without, none is.
func TestPingpongArms(t *testing.T) {
	for _, events := range []bool{false, true} {
		for _, oneQueue := range []bool{false, true} {
			p, partners := newPinger(t, true, 3, 4, 1, oneQueue)
			p.Events = events
			if err := p.loop(nil); err != nil {
				t.Fatal(err)
			}
			want := map[bool]int{true: 1}[events]
			if q := partners[0]; q.send.armed != want || q.recv.armed != want {
				t.Errorf("events %v, one queue %v: armed %d and %d times", events, oneQueue, q.send.armed, q.recv.armed)
			}
		}
	}
}

// TestPingpongErrors: a message of another size and a completion of another queue pair are errors that say what to do;
// so are a queue that cannot be polled and a stop.
func TestPingpongErrors(t *testing.T) {
	good := verbs.WC{Opcode: verbs.WCRecv, QPNum: 1, ByteLen: 8}
	with := func(change func(*verbs.WC)) verbs.WC {
		wc := good
		change(&wc)
		return wc
	}
	for _, tt := range []struct {
		wc     verbs.WC
		header int
		want   string // "": it is taken
	}{
		{good, 0, ""}, {with(func(wc *verbs.WC) { wc.ByteLen = 48 }), 40, ""},
		{with(func(wc *verbs.WC) { wc.ByteLen = 7 }), 0,
			"message 2 has 7 bytes instead of 8: both ends must use the same size"},
		{with(func(wc *verbs.WC) { wc.ByteLen = 41 }), 40, "message 2 has 1 byte instead of 8"},
		{with(func(wc *verbs.WC) { wc.QPNum = 9 }), 0,
			"got a completion of another queue pair, 0x000009: give qp its own completion queue"},
	} {
		p, partners := newPinger(t, false, 5, 9, 1, false)
		p.header, p.received, p.sent, p.posted, partners[0].recvs = tt.header, 2, 2, 7, 7
		err := p.take(&tt.wc)
		if (err == nil) != (tt.want == "") || err != nil && !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %q", tt.wc, err, tt.want)
		}
		if took := map[bool]int{true: 1}[tt.want == ""]; p.received != 2+took || p.posted != 7-took ||
			partners[0].sent != took || p.complete.Load() {
			t.Errorf("%+v: %d received, %d answered", tt.wc, p.received, partners[0].sent)
		}
	}
	p, partners := newPinger(t, true, 3, 4, 1, false)
	partners[0].send.err = syscall.EIO
	if err := p.loop(nil); !errors.Is(err, syscall.EIO) {
		t.Errorf("a queue that cannot be polled: %v", err)
	}
	p, partners = newPinger(t, true, 3, 4, 1, false)
	partners[0].left = 1
	errStop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errStop)
	p.Within(ctx)
	if err := p.loop(nil); err != errStop || p.received != 1 || p.sent != 2 {
		t.Errorf("stopped: %v, %d received, %d sent", err, p.received, p.sent)
	}
}

// TestMaySpeak: a lane sends when its last SEND has completed and it is its turn.
func TestMaySpeak(t *testing.T) {
	for _, tt := range []struct {
		sending        bool
		sent, received int
		client, server bool
	}{
		{false, 0, 0, true, false}, {false, 0, 1, true, true}, {false, 1, 0, false, false}, {false, 1, 1, true, false},
		{true, 1, 1, false, false}, {true, 0, 1, false, false},
	} {
		l := &lane{sending: tt.sending, sent: tt.sent, received: tt.received}
		if l.mayspeak(true) != tt.client || l.mayspeak(false) != tt.server {
			t.Errorf("%+v: %v, %v", tt, l.mayspeak(true), l.mayspeak(false))
		}
	}
}

// TestPingpongWatch: a loop is stopped when its command ends, and when no message has completed for a while; progress
// keeps it going.
func TestPingpongWatch(t *testing.T) {
	errStop := errors.New("stop")
	for _, tt := range []struct {
		name     string
		patience time.Duration
		moving   time.Duration
		stop     time.Duration
		after    time.Duration
		want     error
	}{
		{"stalled", 4 * time.Second, 0, time.Hour, 4 * time.Second, errStalled},
		{"moving until 59 s", 4 * time.Second, time.Minute, time.Hour, 63 * time.Second, errStalled},
		{"stopped", time.Minute, 0, 3 * time.Second, 3 * time.Second, errStop},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer time.AfterFunc(tt.stop, func() { cancel(errStop) }).Stop()
			p, _ := newPinger(t, true, 3, 4, 1, false)
			start := time.Now()
			end := p.watch(ctx, tt.patience)
			for time.Since(start) < tt.moving {
				p.progress.Add(1)
				time.Sleep(time.Second)
			}
			for p.Idle(0) == nil {
				time.Sleep(time.Millisecond)
			}
			synctest.Wait()
			took := time.Since(start)
			if cause := end(); cause != tt.want || took < tt.after ||
				took > tt.after+tt.patience/2 {
				t.Errorf("%s: %v after %s, want %v after %s", tt.name, cause, took, tt.want, tt.after)
			}
		})
	}
	p, _ := newPinger(t, true, 3, 4, 1, false)
	if cause := p.watch(t.Context(), time.Hour)(); cause != nil || p.Idle(0) == nil {
		t.Errorf("a watch that nothing stopped: %v", cause)
	}
}

// TestPostRecvsAgain: RECVs are posted, in one call, when at most one for each queue pair is left.
func TestPostRecvsAgain(t *testing.T) {
	for _, tt := range []struct{ posted, lanes, depth, calls, after int }{
		{0, 1, 5, 1, 5}, {1, 1, 5, 1, 5}, {2, 1, 5, 0, 2}, {2, 2, 5, 1, 5}, {3, 2, 5, 0, 3}, {5, 5, 5, 0, 5},
		{1, 1, 1, 0, 1},
	} {
		p, partners := newPinger(t, true, 3, tt.depth, tt.lanes, false)
		p.posted = tt.posted
		if err := p.postRecvs(); err != nil || p.posted != tt.after || partners[0].calls != tt.calls {
			t.Errorf("%+v: %v, %d posted in %d calls", tt, err, p.posted, partners[0].calls)
		}
	}
}
