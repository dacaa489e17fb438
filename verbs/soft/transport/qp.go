package transport

import (
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/soft/mem"
	"rdmatui/verbs/wire"
)

// QP is a queue pair.
type QP struct {
	dev            *Device
	pd             *PD
	eng            *Engine
	num            verbs.QPN
	typ            verbs.QPType
	sendCQ, recvCQ *CQ
	cap            verbs.QPCap
	sigAll         bool
	ops            map[verbs.WROpcode]bool // the operations that it can send
	sendOps        verbs.SendOps           // those of them that are posted by ibv_wr_*

	rung   atomic.Bool // the doorbell was rung and the engine has not served it yet
	active bool        // used only by the engine

	sq sendQueue
	rq recvQueue

	// mu guards the transport state. The engine holds it while it serves the queue pair; modify, query and close take it.
	mu     sync.Mutex
	state  verbs.QPState // written with sq.mu and rq.mu held as well, so that any of the three suffices to read it
	closed bool          // locked like state
	attr   verbs.QPAttr
	path   *link.Path // to the peer
	known  *link.Path // path of the last packet verified to be from the peer
	mtu    int        // bytes
	req    requester
	comp   completer
	resp   responder
	fatal  bool // a completion queue overran

	mem mem.View

	owner object.Owner // the identifier that controls it; nil: none
}

var _ verbs.QP = (*QP)(nil)

// CreateQP creates a queue pair in RESET.
func (p *PD) CreateQP(spec verbs.QPSpec) (verbs.QP, error) {
	q, err := p.NewQP(spec)
	if err != nil {
		return nil, verbs.NewOpError(spec.Call(), "", err)
	}
	return q, nil
}

// NewQP is CreateQP for callers that wrap its errors.
func (p *PD) NewQP(spec verbs.QPSpec) (*QP, error) {
	scq, ok1 := spec.SendCQ.(*CQ)
	rcq, ok2 := spec.RecvCQ.(*CQ)
	if spec.SendCQ == nil || spec.RecvCQ == nil {
		return nil, syscall.EINVAL
	}
	if !ok1 || !ok2 || scq.dev != p.dev || rcq.dev != p.dev {
		return nil, verbs.ErrForeignObject
	}
	if spec.QPType != verbs.RC && spec.QPType != verbs.UC && spec.QPType != verbs.UD {
		return nil, &verbs.UnsupportedError{Feature: "queue pair type " + spec.QPType.String() + " on a software device"}
	}
	shared, err := p.sharedQueue(&spec)
	if err != nil {
		return nil, err
	}
	if err := checkCap(spec.Cap); err != nil {
		return nil, err
	}
	if err := checkSendOps(spec); err != nil {
		return nil, err
	}
	p.dev.Mu.Lock()
	defer p.dev.Mu.Unlock()
	if p.Closed || scq.Closed || rcq.Closed || shared != nil && shared.Closed {
		return nil, verbs.ErrClosed
	}
	a := p.dev.adapter
	if err := a.Quota.Take(&a.Quota.QP, MaxQP, queuePairBytes(spec.Cap)); err != nil {
		return nil, err
	}
	q := &QP{dev: p.dev, pd: p, eng: p.dev.eng, typ: spec.QPType, sendCQ: scq, recvCQ: rcq, cap: spec.Cap, sigAll: spec.SQSigAll, ops: sendable[spec.QPType], sendOps: spec.SendOps}
	q.mem.Init(&p.Domain)
	q.req.q, q.comp.q, q.resp.q, q.sq.q, q.rq.q = q, q, q, q, q
	q.sq.init(spec.Cap)
	q.rq.init(spec.Cap.MaxRecvWR, spec.Cap.MaxRecvSGE)
	if shared != nil {
		q.rq.shared, q.rq.held = shared, shared.newHeld()
	}
	q.comp.initTimers()
	if q.typ == verbs.UD {
		a.UseHeaders(1)
	}
	a.qps.insert(q, a.Random)
	p.Add(q, q.name())
	scq.Add(q, q.name())
	rcq.Add(q, q.name())
	if shared != nil {
		shared.Add(q, q.name())
	}
	return q, nil
}

func checkCap(c verbs.QPCap) error {
	if c.MaxSendWR > MaxQPWR || c.MaxRecvWR > MaxQPWR || c.MaxSendSGE > MaxSGE || c.MaxRecvSGE > MaxSGE || c.MaxInlineData > MaxInline {
		return syscall.EINVAL
	}
	return nil
}

// checkSendOps rejects operations that queue pairs of the type do not support; ibv_create_qp_ex(3).
func checkSendOps(spec verbs.QPSpec) error {
	rest := spec.SendOps
	for op, can := range sendable[spec.QPType] {
		if can {
			rest &^= op.SendOp()
		}
	}
	if rest != 0 {
		return syscall.EOPNOTSUPP
	}
	return nil
}

func (q *QP) name() string { return "QP " + q.num.String() }

// fail wraps an error. The name costs an allocation, so it is built only for an error.
func (q *QP) fail(op string, err error) error {
	if err == nil {
		return nil
	}
	return verbs.NewOpError(op, q.name(), err)
}

// Num returns the queue pair number.
func (q *QP) Num() verbs.QPN { return q.num }

// Type returns the transport service.
func (q *QP) Type() verbs.QPType { return q.typ }

// Cap returns the granted capacities: those requested, but no receive queue if a shared one is used.
func (q *QP) Cap() verbs.QPCap { return q.cap }

// Query reads the current attributes.
func (q *QP) Query(mask verbs.AttrMask) (verbs.QPAttr, verbs.QPInitAttr, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return verbs.QPAttr{}, verbs.QPInitAttr{}, q.fail("ibv_query_qp", verbs.ErrClosed)
	}
	attr := q.attr
	attr.Mask = mask
	attr.QPState, attr.CurQPState = q.state, q.state
	attr.Cap = q.cap
	attr.SQPSN = verbs.PSN(q.req.psn)
	attr.RQPSN = verbs.PSN(q.resp.epsn)
	attr.SQDraining = q.state == verbs.QPSQD && !q.comp.drained()
	return attr, verbs.QPInitAttr{Cap: q.cap, QPType: q.typ, SQSigAll: q.sigAll}, nil
}

// Close destroys the queue pair, which must not be attached to a multicast group. Posted requests vanish without a completion.
func (q *QP) Close() error {
	err := q.close()
	q.mu.Lock()
	owner := q.owner
	q.mu.Unlock()
	if err == nil && owner != nil {
		owner.Disown(q)
	}
	return err
}

func (q *QP) close() error {
	d := q.dev
	d.Mu.Lock()
	defer d.Mu.Unlock()
	if err := q.groups().busy(q); err != nil {
		return q.fail("ibv_destroy_qp", err)
	}
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return nil
	}
	d.adapter.qps.remove(q)
	q.sq.mu.Lock()
	q.rq.mu.Lock()
	q.state, q.closed = verbs.QPReset, true
	q.rq.mu.Unlock()
	q.sq.mu.Unlock()
	q.comp.stopTimers()
	q.mem.FreeWindows()
	q.mu.Unlock()
	q.pd.Remove(q)
	q.sendCQ.Remove(q)
	q.recvCQ.Remove(q)
	if q.rq.shared != nil {
		q.rq.shared.Remove(q)
	}
	d.Events.Drop(func(ev verbs.AsyncEvent) bool { return ev.QP == verbs.QP(q) })
	d.adapter.Quota.Give(&d.adapter.Quota.QP, queuePairBytes(q.cap))
	if q.typ == verbs.UD {
		d.adapter.UseHeaders(-1)
	}
	return nil
}

// setState changes the state; q.mu is held.
func (q *QP) setState(s verbs.QPState) {
	q.sq.mu.Lock()
	q.rq.mu.Lock()
	q.state = s
	q.rq.mu.Unlock()
	q.sq.mu.Unlock()
}

// raise reports an asynchronous event of this queue pair.
func (q *QP) raise(t verbs.EventType) { q.dev.Events.Put(verbs.AsyncEvent{Type: t, QP: q}) }

// receive processes the packet in e.in; q.mu is held.
func (q *QP) receive(e *Engine, p *link.Packet) {
	h := &e.in
	info, known := h.BTH.Opcode.Info()
	if q.state < verbs.QPRTR || q.state >= verbs.QPErr {
		e.adapter.Counts.UnknownQP.Add(1)
		return
	}
	if !q.admits(&h.BTH, info.Transport, p.Path) {
		e.adapter.Counts.WrongPeer.Add(1)
		return
	}
	e.activate(q)
	switch {
	case !known:
		q.resp.unsupported(e)
	case info.Response:
		q.comp.answered(e, info)
	default:
		q.resp.requested(e, info, p.Path)
	}
}

// transports maps queue pair types to the transport of their packets.
var transports = map[verbs.QPType]wire.Transport{verbs.RC: wire.RC, verbs.UC: wire.UC, verbs.UD: wire.UD}

// admits checks a packet's header against the queue pair; IBA 9.6.1.
func (q *QP) admits(h *wire.BTH, t wire.Transport, from *link.Path) bool {
	const membership = 1 << 15
	if t != q.req.transport || h.TVer != 0 || h.PKey|membership != object.FullPKey {
		return false
	}
	if t == wire.UD { // accepts any sender; only packets to a group carry the multicast number
		return from.Dst.Addr().IsMulticast() == (h.DestQP == uint32(verbs.MaxQPN))
	}
	if from == q.known {
		return true
	}
	if from.Src.Addr() != q.path.Dst.Addr() || from.Dst.Addr() != q.path.Src.Addr() {
		return false
	}
	q.known = from
	return true
}

// serve responds and sends; it reports whether there is more to do at once. q.mu is held.
func (q *QP) serve(e *Engine) (more bool) {
	if q.closed {
		return false
	}
	q.comp.checkTimers(e)
	switch q.state {
	case verbs.QPErr:
		q.flush()
	case verbs.QPRTR:
		more = q.resp.answer(e)
	case verbs.QPSQE:
		q.comp.flushSends()
	case verbs.QPRTS, verbs.QPSQD:
		more = q.resp.answer(e)
		more = q.req.send(e) || more
		q.comp.runTimer(e)
		q.comp.checkDrained()
	}
	q.checkOverrun()
	return more
}

// String returns the queue pair's name, type and state, for messages.
func (q *QP) String() string { return fmt.Sprintf("%s %s %s", q.name(), q.typ, q.state) }

// complete adds a completion to a queue. If the queue is full, the completion is lost and the queue pair fails: see [QP.checkOverrun].
func (q *QP) complete(to *CQ, wc *verbs.WC, solicited bool) {
	if !to.push(wc, solicited) {
		q.fatal = true
	}
}

// checkOverrun moves a queue pair to ERR after its completion queue overran; IBA 11.6.3.
func (q *QP) checkOverrun() {
	if q.fatal && q.state != verbs.QPErr {
		q.enterError()
		q.raise(verbs.EventQPFatal)
	}
}

// enterError moves to ERR and flushes; q.mu is held. A queue pair on a shared receive queue raises one event to say that it takes no more
// requests from it: the remaining requests may belong to others, so nothing else marks its last completion; IBA 11.6.3.
func (q *QP) enterError() {
	from := q.state
	q.setState(verbs.QPErr)
	q.comp.stopTimers()
	q.flush()
	if q.rq.shared != nil && from != verbs.QPErr {
		q.raise(verbs.EventQPLastWQEReached)
	}
}

// flush completes all posted requests with WR_FLUSH_ERR; of a shared receive queue, only those that this queue pair has taken.
func (q *QP) flush() {
	q.comp.flushSends()
	if q.rq.holding {
		q.rq.fail(&q.rq.held, verbs.WCWRFlushErr)
	}
	for w := q.rq.oldest(); w != nil; w = q.rq.oldest() {
		q.rq.fail(w, verbs.WCWRFlushErr)
	}
}
