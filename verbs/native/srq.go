package native

import (
	"fmt"
	"unsafe"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
	"rdmatui/verbs/native/internal/failure"
)

// sharedReceiveQueue is a struct ibv_srq.
type sharedReceiveQueue struct {
	object
	rq workQueue[abi.RecvWR]
}

// CreateSRQ implements verbs.PD.
func (p *protectionDomain) CreateSRQ(spec verbs.SRQSpec) (verbs.SRQ, error) {
	const op = "ibv_create_srq"
	if err := p.use(); err != nil {
		return nil, failure.Of(op, p.name, err)
	}
	defer p.done()
	q := &sharedReceiveQueue{}
	raw := &abi.SRQInitAttr{Attr: abi.SRQAttr{MaxWR: spec.MaxWR, MaxSGE: spec.MaxSGE}}
	ptr, err := p.dev.lib.createSRQ.Call(p.ptr, uintptr(unsafe.Pointer(raw)))
	if err != nil {
		return nil, failure.Of(op, p.name, err)
	}
	q.rq.open(p.dev.ops.postSRQRecv, ptr, raw.Attr.MaxWR, raw.Attr.MaxSGE)
	p.dev.add(&q.object, q, ptr, fmt.Sprintf("SRQ %d", dl.View[abi.SRQ](ptr).Handle), p.ptr)
	return q, nil
}

// srqPointer returns the C object, 0 if there is no shared receive queue.
func (d *device) srqPointer(srq verbs.SRQ) (*sharedReceiveQueue, uintptr, error) {
	if srq == nil {
		return nil, 0, nil
	}
	q, ok := srq.(*sharedReceiveQueue)
	if !ok {
		return nil, 0, verbs.ErrForeignObject
	}
	return q, q.ptr, q.check(d)
}

// Modify implements verbs.SRQ.
func (q *sharedReceiveQueue) Modify(attr verbs.SRQAttr) error {
	const op = "ibv_modify_srq"
	if err := q.use(); err != nil {
		return failure.Of(op, q.name, err)
	}
	defer q.done()
	raw := &abi.SRQAttr{MaxWR: attr.MaxWR, MaxSGE: attr.MaxSGE, SRQLimit: attr.Limit}
	if attr.Mask&verbs.SRQMaxWR == 0 {
		return failure.Of(op, q.name, q.modify(raw, attr.Mask))
	}
	// A resize moves the memory that posts write to.
	q.rq.mu.Lock()
	defer q.rq.mu.Unlock()
	return failure.Of(op, q.name, q.modify(raw, attr.Mask))
}

func (q *sharedReceiveQueue) modify(raw *abi.SRQAttr, mask verbs.SRQAttrMask) error {
	return q.dev.lib.modifySRQ.Call(q.ptr, uintptr(unsafe.Pointer(raw)), uintptr(mask))
}

// Query implements verbs.SRQ.
func (q *sharedReceiveQueue) Query() (verbs.SRQAttr, error) {
	const op = "ibv_query_srq"
	if err := q.use(); err != nil {
		return verbs.SRQAttr{}, failure.Of(op, q.name, err)
	}
	defer q.done()
	raw := new(abi.SRQAttr)
	if err := q.dev.lib.querySRQ.Call(q.ptr, uintptr(unsafe.Pointer(raw))); err != nil {
		return verbs.SRQAttr{}, failure.Of(op, q.name, err)
	}
	return srqAttr(raw), nil
}

func srqAttr(a *abi.SRQAttr) verbs.SRQAttr {
	return verbs.SRQAttr{Mask: verbs.SRQMaxWR | verbs.SRQLimit, MaxWR: a.MaxWR, MaxSGE: a.MaxSGE, Limit: a.SRQLimit}
}

// PostRecv implements verbs.SRQ.
func (q *sharedReceiveQueue) PostRecv(wrs ...verbs.RecvWR) (posted int, err error) {
	if posted, err = postRecvs(&q.rq, wrs); err != nil {
		return posted, failure.Of("ibv_post_srq_recv", q.name, err)
	}
	return posted, nil
}

// Close implements verbs.SRQ. It waits for posts in progress.
func (q *sharedReceiveQueue) Close() error {
	defer q.dev.closing()()
	q.rq.mu.Lock()
	defer q.rq.mu.Unlock()
	if q.ptr == 0 {
		return nil
	}
	if err := q.destroy("ibv_destroy_srq", q.dev.lib.destroySRQ); err != nil {
		return err
	}
	q.rq.close()
	return nil
}
