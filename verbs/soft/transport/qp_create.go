package transport

import (
	"syscall"

	"rdmatui/verbs"
)

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
		return nil, &verbs.UnsupportedError{
			Feature: "queue pair type " + spec.QPType.String() + " on a software device",
		}
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
	q := &QP{
		dev: p.dev, pd: p, eng: p.dev.eng, typ: spec.QPType, sendCQ: scq, recvCQ: rcq, cap: spec.Cap,
		sigAll: spec.SQSigAll, sendOps: spec.SendOps,
	}
	q.mem.Init(&p.Domain)
	q.req.q, q.comp.q, q.resp.q = q, q, q
	q.sq.init(spec.Cap)
	q.rq.init(spec.Cap.MaxRecvWR, spec.Cap.MaxRecvSGE)
	q.rq.mem = &q.mem
	if shared != nil {
		q.rq.mem, q.rq.shared, q.rq.held = &shared.mem, shared, shared.newHeld()
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
	if c.MaxSendWR > MaxQPWR || c.MaxRecvWR > MaxQPWR || c.MaxSendSGE > MaxSGE || c.MaxRecvSGE > MaxSGE ||
		c.MaxInlineData > MaxInline {
		return syscall.EINVAL
	}
	return nil
}

// checkSendOps rejects operations that queue pairs of the type do not support; ibv_create_qp_ex(3).
func checkSendOps(spec verbs.QPSpec) error {
	rest := spec.SendOps
	for _, op := range verbs.WROpcodes.Values() {
		if t := op.Traits(); t.Posted() && t.On(spec.QPType) {
			rest &^= op.SendOp()
		}
	}
	if rest != 0 {
		return syscall.EOPNOTSUPP
	}
	return nil
}

// Close destroys the queue pair, which must not be attached to a multicast group. Posted requests vanish without a
// completion.
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

// queuePairBytes returns the size of a queue pair's queues in bytes.
func queuePairBytes(c verbs.QPCap) uint64 {
	return sendQueueBytes(c) + recvQueueBytes(c.MaxRecvWR, c.MaxRecvSGE)
}
