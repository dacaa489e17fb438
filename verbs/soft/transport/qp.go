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
	ops            map[verbs.WROpcode]bool // what it can send
	sendOps        verbs.SendOps           // what of it ibv_wr_* takes

	rung   atomic.Bool // the doorbell was rung and the engine has not looked yet
	active bool        // the engine's own

	sq sendQueue
	rq recvQueue

	// mu guards the transport. It is the engine's, and modify, query and close take it.
	mu     sync.Mutex
	state  verbs.QPState // written with sq.mu and rq.mu held as well, so that each of the three suffices to read it
	closed bool          // as state
	attr   verbs.QPAttr
	path   *link.Path // to the peer
	known  *link.Path // the last path of a packet that was found to come from the peer
	mtu    int        // bytes
	req    requester
	comp   completer
	resp   responder
	fatal  bool // a completion queue overran

	mem mem.View

	owner object.Owner // the identifier that moves it; nil: none
}

var _ verbs.QP = (*QP)(nil)

// CreateQP makes a queue pair in RESET.
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

// checkSendOps refuses operations that queue pairs of the type do not have; ibv_create_qp_ex(3).
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

// fail wraps an error. The name costs an allocation, so it is not made for none.
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

// Cap returns what was granted: what was asked for, but no receive queue where there is a shared one.
func (q *QP) Cap() verbs.QPCap { return q.cap }

// Query reads the attributes as they are now.
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

// Close destroys the queue pair, which must be in no multicast group. Requests that are posted vanish without a completion.
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

// receive takes the packet in e.in; q.mu is held.
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

// admits holds a packet's header against the queue pair; IBA 9.6.1.
func (q *QP) admits(h *wire.BTH, t wire.Transport, from *link.Path) bool {
	const membership = 1 << 15
	if t != q.req.transport || h.TVer != 0 || h.PKey|membership != object.FullPKey {
		return false
	}
	if t == wire.UD { // anybody's, but what goes to a group bears its number, and nothing else does
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

// serve answers and sends; it reports whether there is more to do at once. q.mu is held.
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

// String returns the queue pair's name, type and state.
func (q *QP) String() string { return fmt.Sprintf("%s %s %s", q.name(), q.typ, q.state) }

// complete puts a completion on a queue. One that finds no room is lost, and the queue pair with it: see [QP.checkOverrun].
func (q *QP) complete(to *CQ, wc *verbs.WC, solicited bool) {
	if !to.push(wc, solicited) {
		q.fatal = true
	}
}

// checkOverrun ends a queue pair whose completion queue is broken; IBA 11.6.3.
func (q *QP) checkOverrun() {
	if q.fatal && q.state != verbs.QPErr {
		q.enterError()
		q.raise(verbs.EventQPFatal)
	}
}

// enterError moves to ERR and flushes; q.mu is held. A queue pair on a shared receive queue says once that it will take nothing more from
// it: what is left there may be anybody's, so nothing else tells its owner that the last completion has come; IBA 11.6.3.
func (q *QP) enterError() {
	from := q.state
	q.setState(verbs.QPErr)
	q.comp.stopTimers()
	q.flush()
	if q.rq.shared != nil && from != verbs.QPErr {
		q.raise(verbs.EventQPLastWQEReached)
	}
}

// flush completes all that is posted with WR_FLUSH_ERR: of a shared receive queue only what this queue pair has taken.
func (q *QP) flush() {
	q.comp.flushSends()
	if q.rq.holding {
		q.rq.fail(&q.rq.held, verbs.WCWRFlushErr)
	}
	for w := q.rq.oldest(); w != nil; w = q.rq.oldest() {
		q.rq.fail(w, verbs.WCWRFlushErr)
	}
}
