package bench

import (
	"context"
	"errors"
	"slices"
	"syscall"
	"testing"

	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/session/region"
	"rdmatui/verbs"
)

// completions is a completion queue.
type completions struct {
	verbs.CQ
	wcs          []verbs.WC
	done         func(*verbs.WC) // called for each one that is polled
	vain         int             // polls without a completion
	idle         func(vain int)  // called after each of those
	armed, acked int
}

func (c *completions) Poll(wcs []verbs.WC) (int, error) {
	n := copy(wcs, c.wcs)
	c.wcs = slices.Delete(c.wcs, 0, n)
	for i := range wcs[:n] {
		if c.done != nil {
			c.done(&wcs[i])
		}
	}
	if c.vain++; n > 0 {
		c.vain = 0
	} else {
		c.idle(c.vain)
	}
	return n, nil
}

func (c *completions) ReqNotify(bool) error { c.armed++; return nil }
func (c *completions) AckEvents(n int)      { c.acked += n }

// pair is a queue pair whose requests complete at once.
type pair struct {
	verbs.QP
	depth      int // send requests outstanding at most
	send, recv *completions
	sent       []verbs.SendWR
	open       int            // send requests outstanding
	ends       []int          // for each completion of a send request, how many requests are then no longer outstanding
	recvs      []verbs.RecvWR // posted and not used
	posted     []uint64       // addresses of all RECVs
	after      func(sent int) // called after each send request
	mute       bool           // no request completes
	refused    int            // the number of the RECV that is refused; 0: none is
}

func (p *pair) PostSend(wrs ...verbs.SendWR) (int, error) {
	for i, wr := range wrs {
		if p.open++; p.open > p.depth {
			return i, syscall.ENOMEM
		}
		wr.SGList = slices.Clone(wr.SGList)
		if p.sent = append(p.sent, wr); wr.SendFlags&verbs.SendSignaled != 0 && !p.mute {
			p.ends = append(p.ends, p.open-sum(p.ends))
			p.send.wcs = append(p.send.wcs, verbs.WC{WRID: wr.WRID, Opcode: verbs.WCSend})
		}
		if p.after != nil {
			p.after(len(p.sent))
		}
	}
	return len(wrs), nil
}

// Query implements [verbs.QP]: the device does not tell which packet it expects.
func (p *pair) Query(verbs.AttrMask) (verbs.QPAttr, verbs.QPInitAttr, error) {
	return verbs.QPAttr{}, verbs.QPInitAttr{}, syscall.EINVAL
}

func sum(list []int) (n int) {
	for _, v := range list {
		n += v
	}
	return n
}

func (p *pair) PostRecv(wrs ...verbs.RecvWR) (int, error) {
	for i, wr := range wrs {
		if p.refused > 0 && len(p.posted)+1 >= p.refused {
			return i, syscall.ENOMEM
		}
		p.recvs = append(p.recvs, wr)
		p.posted = append(p.posted, wr.SGList[0].Addr)
	}
	return len(wrs), nil
}

// arrive lets a message of the peer arrive.
func (p *pair) arrive() {
	if len(p.recvs) == 0 {
		return // the loop then waits in vain
	}
	p.recv.wcs = append(p.recv.wcs, verbs.WC{WRID: p.recvs[0].WRID, Opcode: verbs.WCRecv})
	p.recvs = p.recvs[1:]
}

// byteRegion is a memory region.
type byteRegion struct {
	verbs.MR
	b []byte
}

const memoryAt = 0x10000

func (*byteRegion) Addr() uint64 { return memoryAt }
func (*byteRegion) LKey() uint32 { return 7 }

func (m *byteRegion) ReadAt(p []byte, off int64) (int, error)  { return copy(p, m.b[off:]), nil }
func (m *byteRegion) WriteAt(p []byte, off int64) (int, error) { return copy(m.b[off:], p), nil }

// quiet is an exchange with a peer that stays.
type quiet struct {
	link
	gone  bool
	early bool // the peer has ended its test
}

func (q *quiet) left() bool  { return q.gone }
func (q *quiet) ahead() bool { return q.early }

var errVain = errors.New("the loop polls in vain")

// newTestLoop makes a loop whose queue pairs have a peer that does nothing.
func newTestLoop(t *testing.T, p Params) (l *loop, pairs []*pair) {
	t.Helper()
	r, pairs := newTestRun(t, p)
	l = r.newLoop(r.p.Size)
	ctx, end := context.WithCancelCause(t.Context())
	l.Begin(ctx)
	t.Cleanup(func() { l.End(); end(nil) })
	send, recv := pairs[0].send, pairs[0].recv
	send.idle = func(vain int) {
		if vain > 1000 {
			end(errVain)
		}
	}
	recv.idle = send.idle
	return l, pairs
}

// newTestRun makes a run whose queue pairs have a peer that does nothing.
func newTestRun(t *testing.T, p Params) (r *Run, pairs []*pair) {
	t.Helper()
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	r = &Run{s: &core.Session{}, p: p.Settle(), link: &quiet{}, silence: silence}
	if r.p.All {
		r.p.Size = 4 // two sizes
	}
	r.info.Common = Common{CycleBuffer: 4096, CacheLine: cacheLine}
	r.area = max(4096, roundUp(r.p.Size+r.header(), cacheLine))
	r.mr = &region.MR{MR: &byteRegion{b: make([]byte, 2*r.area*uint64(r.p.QPs))}}
	send, recv := &completions{}, &completions{}
	sendCQ, recvCQ := &queue.CQ{CQ: send}, &queue.CQ{CQ: recv}
	for i := range r.p.QPs {
		q := &pair{depth: r.p.TXDepth, send: send, recv: recv}
		pairs = append(pairs, q)
		r.lanes = append(r.lanes, lane{
			q:    &queue.QP{Node: &core.Node{Name: qpName(i)}, QP: q, SendCQ: sendCQ, RecvCQ: recvCQ},
			peer: Dest{QPN: 0x12, VAddr: 0x90000, RKey: 9},
			ah:   &queue.AH{AH: &address{}},
			qkey: 0x22222222,
		})
	}
	send.done = func(wc *verbs.WC) {
		q := pairs[wc.WRID]
		q.open -= q.ends[0]
		q.ends = q.ends[1:]
	}
	return r, pairs
}

// eventChannel gives the events of queues.
type eventChannel struct {
	verbs.CompChannel
	of []verbs.CQ
}

func (e *eventChannel) GetCQEvent(ctx context.Context) (verbs.CQ, error) {
	if len(e.of) == 0 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	cq := e.of[0]
	e.of = e.of[1:]
	return cq, nil
}

// address is an address handle.
type address struct{ verbs.AH }

// broken is a completion queue that cannot be polled.
type broken struct{ verbs.CQ }

func (broken) Poll([]verbs.WC) (int, error) { return 0, syscall.EIO }
