package native

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
	"rdmatui/verbs/native/internal/failure"
)

// pollBatch is the maximum number of completions per C call.
const pollBatch = 64

// completionQueue is a struct ibv_cq.
type completionQueue struct {
	object
	cqe     atomic.Int32
	stamps  verbs.CQWCFlags // non-zero: completions are read with ibv_start_poll
	unacked atomic.Int64    // events that GetCQEvent returned and nobody acknowledged

	poll struct {
		mu     sync.Mutex
		fn     dl.CountFunc
		cq     uintptr            // 0 once closed
		staged *[pollBatch]abi.WC // on Go's heap, where objects do not move; C keeps no address of it
	}
}

// CreateCQ implements verbs.Device.
func (d *device) CreateCQ(spec verbs.CQSpec) (verbs.CQ, error) {
	op := spec.Call()
	if err := d.use(); err != nil {
		return nil, failure.Of(op, d.info.Name, err)
	}
	defer d.done()
	channel, err := d.channelPointer(spec.Channel)
	if err != nil {
		return nil, failure.Of(op, d.info.Name, err)
	}
	if int(int32(spec.CQE)) != spec.CQE || int(int32(spec.CompVector)) != spec.CompVector {
		return nil, failure.Of(op, d.info.Name, syscall.EINVAL) // C has an int here
	}
	ptr, err := d.createCQ(spec, channel)
	if err != nil {
		return nil, failure.Of(op, d.info.Name, err)
	}
	c := &completionQueue{stamps: spec.WCFlags}
	c.open(d, ptr, channel)
	return c, nil
}

func (c *completionQueue) open(d *device, ptr, channel uintptr) {
	raw := dl.View[abi.CQ](ptr)
	c.cqe.Store(raw.CQE)
	c.poll.fn, c.poll.cq, c.poll.staged = d.ops.pollCQ, ptr, new([pollBatch]abi.WC)
	d.add(&c.object, c, ptr, fmt.Sprintf("CQ %d", raw.Handle), channel)
}

// channelPointer returns the C object, 0 if there is no channel.
func (d *device) channelPointer(ch verbs.CompChannel) (uintptr, error) {
	if ch == nil {
		return 0, nil
	}
	c, ok := ch.(*compChannel)
	if !ok {
		return 0, verbs.ErrForeignObject
	}
	return c.ptr, c.check(d)
}

// CQE implements verbs.CQ.
func (c *completionQueue) CQE() int { return int(c.cqe.Load()) }

// Poll implements verbs.CQ. It is a hot path: it and the functions it calls do without
// defer and copy each completion once.
func (c *completionQueue) Poll(wcs []verbs.WC) (int, error) {
	if c.stamps != 0 {
		return c.pollExtended(wcs)
	}
	c.poll.mu.Lock()
	n, err := c.take(wcs)
	c.poll.mu.Unlock()
	if err != nil {
		return n, failure.Of("ibv_poll_cq", c.name, err)
	}
	return n, nil
}

func (c *completionQueue) pollExtended(wcs []verbs.WC) (int, error) {
	c.poll.mu.Lock()
	defer c.poll.mu.Unlock()
	n, err := c.takeExtended(wcs)
	return n, failure.Of("ibv_start_poll", c.name, err)
}

func (c *completionQueue) take(wcs []verbs.WC) (total int, err error) {
	if c.poll.cq == 0 {
		return 0, verbs.ErrClosed
	}
	for total < len(wcs) {
		want := min(len(wcs)-total, pollBatch)
		n, err := c.poll.fn.Call3(c.poll.cq, uintptr(want), uintptr(unsafe.Pointer(c.poll.staged)))
		if err != nil {
			return total, err
		}
		n = min(n, want)
		to := wcs[total : total+n]
		for i := range to {
			readCompletion(&to[i], &c.poll.staged[i])
		}
		total += n
		if n < want {
			break
		}
	}
	return total, nil
}

// ReqNotify implements verbs.CQ.
func (c *completionQueue) ReqNotify(solicitedOnly bool) error {
	if err := c.use(); err != nil {
		return failure.Of("ibv_req_notify_cq", c.name, err)
	}
	defer c.done()
	return failure.Of("ibv_req_notify_cq", c.name,
		c.dev.ops.reqNotifyCQ.Call3(c.ptr, uintptr(abi.Flag(solicitedOnly)), 0))
}

// AckEvents implements verbs.CQ. It does not acknowledge events that were never
// delivered: C would count them against a later event.
func (c *completionQueue) AckEvents(n int) {
	if c.use() != nil {
		return
	}
	defer c.done()
	c.ack(int64(n))
}

func (c *completionQueue) ack(n int64) {
	for {
		have := c.unacked.Load()
		take := min(n, have, math.MaxInt32)
		if take <= 0 {
			return
		}
		if c.unacked.CompareAndSwap(have, have-take) {
			c.dev.lib.ackCQEvents.Call(c.ptr, uintptr(take))
			return
		}
	}
}

// Close implements verbs.CQ.
func (c *completionQueue) Close() error {
	defer c.dev.closing()()
	c.poll.mu.Lock()
	defer c.poll.mu.Unlock()
	if c.ptr == 0 {
		return nil
	}
	c.ack(math.MaxInt64) // C would wait for these
	if err := c.destroy("ibv_destroy_cq", c.dev.lib.destroyCQ); err != nil {
		return err
	}
	c.poll.cq, c.poll.staged = 0, nil
	return nil
}

var _ verbs.CQResizer = (*completionQueue)(nil)

// Resize implements verbs.CQResizer. It excludes polls: drivers remap the queue's
// memory, rxe without a lock.
func (c *completionQueue) Resize(cqe int) error {
	const op = "ibv_resize_cq"
	if err := c.use(); err != nil {
		return failure.Of(op, c.name, err)
	}
	defer c.done()
	if int(int32(cqe)) != cqe {
		return failure.Of(op, c.name, syscall.EINVAL) // C has an int here
	}
	c.poll.mu.Lock()
	defer c.poll.mu.Unlock()
	if err := c.dev.lib.resizeCQ.Call(c.ptr, uintptr(cqe)); err != nil {
		return failure.Of(op, c.name, failure.OfPost(err))
	}
	c.cqe.Store(dl.View[abi.CQ](c.ptr).CQE)
	return nil
}

// readCompletion converts a completion. One word of C's struct holds two fields,
// selected by the flags. The rest is copied as it is, defined or not.
func readCompletion(to *verbs.WC, w *abi.WC) {
	to.WRID = w.WRID
	to.Status = verbs.WCStatus(w.Status)
	to.Opcode = verbs.WCOpcode(w.Opcode)
	to.VendorErr = w.VendorErr
	to.ByteLen = w.ByteLen
	to.ImmData, to.InvalidatedRKey = 0, 0
	to.QPNum = verbs.QPN(w.QPNum)
	to.SrcQP = verbs.QPN(w.SrcQP)
	to.WCFlags = verbs.WCFlags(w.WCFlags)
	to.PKeyIndex = w.PKeyIndex
	to.SLID = w.SLID
	to.SL = w.SL
	to.DLIDPathBits = w.DLIDPathBits
	to.Stamps = 0
	if to.WCFlags&(verbs.WCWithImm|verbs.WCWithInv) == 0 {
		return
	}
	if to.WCFlags&verbs.WCWithImm != 0 {
		to.ImmData = w.Imm()
	}
	if to.WCFlags&verbs.WCWithInv != 0 {
		to.InvalidatedRKey = w.InvalidatedRKey()
	}
}

var _ verbs.CQModerator = (*completionQueue)(nil)

// Moderate implements verbs.CQModerator.
func (c *completionQueue) Moderate(m verbs.CQModeration) error {
	const op = "ibv_modify_cq"
	if err := c.use(); err != nil {
		return failure.Of(op, c.name, err)
	}
	defer c.done()
	raw := &abi.ModifyCQAttr{AttrMask: abi.CQAttrModerate, Moderate: abi.ModerateCQ{Count: m.Count, Period: m.Period}}
	err := slot[dl.ErrnoFunc](c.dev, abi.SlotModifyCQ).Call(c.ptr, uintptr(unsafe.Pointer(raw)))
	if errors.Is(err, dl.ErrUnbound) {
		err = syscall.EOPNOTSUPP // like the header's inline function
	}
	return failure.Of(op, c.name, failure.OfPost(err))
}
