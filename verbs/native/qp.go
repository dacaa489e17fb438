package native

import (
	"errors"
	"syscall"
	"unsafe"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
	"rdmatui/verbs/native/internal/failure"
)

// queuePair is a struct ibv_qp.
type queuePair struct {
	object
	num verbs.QPN
	typ verbs.QPType
	cap verbs.QPCap
	sq  workQueue[abi.SendWR]
	rq  workQueue[abi.RecvWR]
	srq *sharedReceiveQueue // replaces rq; nil if there is none
	ex  uintptr             // struct ibv_qp_ex, if ops is not 0
	ops verbs.SendOps       // the operations posted by ibv_wr_*
	// closeBy is the Close of a queue pair of the connection manager; nil for others.
	closeBy func() error

	inlined [][]byte // copies that the driver reads in place of fragile memory; guarded like sq
}

// CreateQP implements verbs.PD.
func (p *protectionDomain) CreateQP(spec verbs.QPSpec) (verbs.QP, error) {
	op := spec.Call()
	if err := p.use(); err != nil {
		return nil, failure.Of(op, p.name, err)
	}
	defer p.done()
	q, raw, err := p.dev.prepareQP(op, spec)
	if err != nil {
		return nil, err
	}
	ptr, err := p.createQP(q, raw, spec.SendOps)
	if err != nil {
		return nil, failure.Of(op, p.name, err)
	}
	q.open(p.dev, ptr, raw, p.ptr)
	return q, nil
}

func (p *protectionDomain) createQP(q *queuePair, raw *abi.QPInitAttr, ops verbs.SendOps) (uintptr, error) {
	if ops == 0 {
		return p.dev.lib.createQP.Call(p.ptr, uintptr(unsafe.Pointer(raw)))
	}
	ptr, err := p.createExtended(raw, ops)
	if err != nil {
		return 0, err
	}
	if err := q.openExtended(p.dev.lib, ptr, ops); err != nil {
		return 0, errors.Join(err, p.dev.lib.destroyQP.Call(ptr))
	}
	return ptr, nil
}

// prepareQP converts the spec.
func (d *device) prepareQP(op string, spec verbs.QPSpec) (*queuePair, *abi.QPInitAttr, error) {
	raw := &abi.QPInitAttr{
		Cap: abi.QPCap(spec.Cap), QPType: uint32(spec.QPType), SQSigAll: int32(abi.Flag(spec.SQSigAll)),
	}
	var err error
	if raw.SendCQ, err = d.cqPointer(spec.SendCQ); err != nil {
		return nil, nil, failure.Of(op, "send_cq", err)
	}
	if raw.RecvCQ, err = d.cqPointer(spec.RecvCQ); err != nil {
		return nil, nil, failure.Of(op, "recv_cq", err)
	}
	q := &queuePair{typ: spec.QPType}
	if q.srq, raw.SRQ, err = d.srqPointer(spec.SRQ); err != nil {
		return nil, nil, failure.Of(op, "srq", err)
	}
	return q, raw, nil
}

// open takes over the queue pair that C created from raw, in which C has written the
// granted values.
func (q *queuePair) open(d *device, ptr uintptr, raw *abi.QPInitAttr, pd uintptr) {
	q.cap = verbs.QPCap(raw.Cap)
	q.num = verbs.QPN(dl.View[abi.QP](ptr).QPNum)
	q.sq.open(d.ops.postSend, ptr, q.cap.MaxSendWR, q.cap.MaxSendSGE)
	q.rq.open(d.ops.postRecv, ptr, q.cap.MaxRecvWR, q.cap.MaxRecvSGE)
	d.add(&q.object, q, ptr, "QP "+q.num.String(), pd, raw.SendCQ, raw.RecvCQ, raw.SRQ)
}

// cqPointer returns the C object. A missing queue is rejected: C would dereference
// NULL.
func (d *device) cqPointer(cq verbs.CQ) (uintptr, error) {
	if cq == nil {
		return 0, syscall.EINVAL
	}
	c, ok := cq.(*completionQueue)
	if !ok {
		return 0, verbs.ErrForeignObject
	}
	return c.ptr, c.check(d)
}

// Num implements verbs.QP.
func (q *queuePair) Num() verbs.QPN { return q.num }

// Type implements verbs.QP.
func (q *queuePair) Type() verbs.QPType { return q.typ }

// Cap implements verbs.QP.
func (q *queuePair) Cap() verbs.QPCap { return q.cap }

// Modify implements verbs.QP.
func (q *queuePair) Modify(attr verbs.QPAttr) error {
	const op = "ibv_modify_qp"
	if err := q.use(); err != nil {
		return failure.Of(op, q.name, err)
	}
	defer q.done()
	raw := abi.RawQPAttr(&attr)
	return failure.Of(op, q.name, q.dev.lib.modifyQP.Call(q.ptr, uintptr(unsafe.Pointer(raw)), uintptr(attr.Mask)))
}

// Query implements verbs.QP.
func (q *queuePair) Query(mask verbs.AttrMask) (verbs.QPAttr, verbs.QPInitAttr, error) {
	const op = "ibv_query_qp"
	if err := q.use(); err != nil {
		return verbs.QPAttr{}, verbs.QPInitAttr{}, failure.Of(op, q.name, err)
	}
	defer q.done()
	raw, init := new(abi.QPAttr), new(abi.QPInitAttr)
	err := q.dev.lib.queryQP.Call(q.ptr, uintptr(unsafe.Pointer(raw)), uintptr(mask), uintptr(unsafe.Pointer(init)))
	if err != nil {
		return verbs.QPAttr{}, verbs.QPInitAttr{}, failure.Of(op, q.name, err)
	}
	return raw.Values(mask), init.Values(), nil
}

var _ verbs.DataInOrderQuerier = (*queuePair)(nil)

// QueryDataInOrder implements verbs.DataInOrderQuerier. The library answers 0 on processors other than x86, unless
// InOrderDeviceOnly is set.
func (q *queuePair) QueryDataInOrder(op verbs.WROpcode, flags verbs.DataInOrderFlags) (verbs.DataInOrder, error) {
	const verb = "ibv_query_qp_data_in_order"
	if err := q.use(); err != nil {
		return 0, failure.Of(verb, q.name, err)
	}
	defer q.done()
	answer, err := q.dev.lib.queryQPDataInOrder.Call(q.ptr, uintptr(op), uintptr(flags))
	return verbs.DataInOrder(answer), failure.Of(verb, q.name, err)
}

// Close implements verbs.QP. It waits for posts in progress.
func (q *queuePair) Close() error {
	if q.closeBy != nil {
		return q.closeBy()
	}
	return q.Destroy("ibv_destroy_qp")
}

// Destroy implements cm.QP.
func (q *queuePair) Destroy(op string) error {
	defer q.dev.closing()()
	q.sq.mu.Lock()
	defer q.sq.mu.Unlock()
	q.rq.mu.Lock()
	defer q.rq.mu.Unlock()
	if q.ptr == 0 {
		return nil
	}
	if err := q.destroy(op, q.dev.lib.destroyQP); err != nil {
		return err
	}
	q.sq.close()
	q.rq.close()
	return nil
}
