package native

import (
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/dl"
)

var _ verbs.CQResizer = (*completionQueue)(nil)

// Resize implements verbs.CQResizer. No poll runs meanwhile: drivers map the queue's
// memory anew, and rxe's takes no lock for that.
func (c *completionQueue) Resize(cqe int) error {
	const op = "ibv_resize_cq"
	if err := c.use(); err != nil {
		return fail(op, c.name, err)
	}
	defer c.done()
	if int(int32(cqe)) != cqe {
		return fail(op, c.name, syscall.EINVAL) // C has an int there
	}
	c.poll.mu.Lock()
	defer c.poll.mu.Unlock()
	if err := c.dev.lib.resizeCQ.Call(c.ptr, uintptr(cqe)); err != nil {
		return fail(op, c.name, postError(err))
	}
	c.cqe.Store(dl.View[abi.CQ](c.ptr).CQE)
	return nil
}
