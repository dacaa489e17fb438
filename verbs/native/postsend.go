package native

import (
	"fmt"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
	"rdmatui/verbs/native/internal/failure"
)

// PostSend implements verbs.QP. It is a hot path: it and the functions it calls do without defer
// and write each word that C reads once.
func (q *queuePair) PostSend(wrs ...verbs.SendWR) (posted int, err error) {
	lends := q.lendsMemory(wrs)
	if lends {
		q.dev.mu.RLock()
	}
	q.sq.mu.Lock()
	for posted < len(wrs) && err == nil {
		var n int
		n, err = q.postRun(wrs[posted:])
		posted += n
	}
	q.sq.mu.Unlock()
	if lends {
		q.dev.mu.RUnlock()
	}
	if err != nil {
		return posted, failure.Of("ibv_post_send", q.name, err)
	}
	return posted, nil
}

// postRun posts the first requests, as many as are posted in the same way.
func (q *queuePair) postRun(wrs []verbs.SendWR) (posted int, err error) {
	n, extended := q.runOf(wrs)
	if extended {
		return q.postExtended(wrs[:n])
	}
	return q.postSends(wrs[:n])
}

func (q *queuePair) postSends(wrs []verbs.SendWR) (posted int, err error) {
	if q.sq.ptr == 0 {
		return 0, verbs.ErrClosed
	}
	for posted < len(wrs) {
		n, unfit := q.stageSends(wrs[posted:])
		taken, err := q.sq.submit(n)
		if taken > 0 {
			bound(&wrs[posted+taken-1])
		}
		posted += taken
		if err == nil {
			err = unfit
		}
		if err != nil {
			return posted, err
		}
	}
	return posted, nil
}

// lendsMemory reports whether C will access objects other than the queue pair: an address handle, a
// memory window, or a region's bytes. Those must not be closed meanwhile.
func (q *queuePair) lendsMemory(wrs []verbs.SendWR) bool {
	if q.typ == verbs.UD {
		return true
	}
	for i := range wrs {
		if t := wrs[i].Opcode.Traits(); wrs[i].SendFlags&verbs.SendInline != 0 || t.Bind || t.Copied {
			return true
		}
	}
	return false
}

// stageSends chains as many requests as fit, up to the first that binds a window: drivers read the
// window's key from C's object when the request is posted. The error concerns the request after
// them.
func (q *queuePair) stageSends(wrs []verbs.SendWR) (n int, err error) {
	q.sq.begin()
	q.inlined = q.inlined[:0]
	for n < min(len(wrs), len(q.sq.wrs)) {
		ok, err := q.stageSend(n, &wrs[n])
		if !ok || err != nil {
			return n, err
		}
		if n > 0 {
			q.sq.wrs[n-1].Next = q.sq.at(n)
		}
		n++
		if wrs[n-1].Opcode.Traits().Bind {
			break
		}
	}
	return n, nil
}

func (q *queuePair) stageSend(i int, wr *verbs.SendWR) (ok bool, err error) {
	if err := q.checkSend(wr); err != nil {
		return false, err
	}
	sges := wr.SGList
	if wr.SendFlags&verbs.SendInline != 0 {
		if sges, err = q.inlineData(sges); err != nil {
			return false, err
		}
	}
	list, ok := q.sq.stageList(sges)
	if !ok {
		return false, nil
	}
	raw := &q.sq.wrs[i]
	raw.WRID = wr.WRID
	raw.Next = 0
	raw.SGList = list
	raw.NumSGE = int32(len(wr.SGList))
	raw.Opcode = uint32(wr.Opcode)
	raw.SendFlags = uint32(wr.SendFlags)
	return true, q.fillUnions(raw, wr)
}

// checkSend rejects requests that would crash C.
func (q *queuePair) checkSend(wr *verbs.SendWR) error {
	t := wr.Opcode.Traits()
	if t.Posted() && !t.Placement() {
		return nil
	}
	if err := q.ops.Lack(wr.Opcode); err != nil {
		return err
	}
	return &verbs.UnsupportedError{Feature: fmt.Sprintf("posting %s", wr.Opcode)}
}

// inlineData returns the elements for the driver to copy from. It rejects memory that is not
// mapped, or no longer: the copy would crash. The driver rejects data that is too long.
func (q *queuePair) inlineData(list []verbs.SGE) ([]verbs.SGE, error) {
	if !q.dev.regions.holds(list) {
		return nil, fmt.Errorf("inline data is not in a memory region: %w", syscall.EFAULT)
	}
	length := uint64(0)
	for i := range list {
		length += uint64(list[i].Length)
	}
	if length > uint64(q.cap.MaxInlineData) {
		return list, nil
	}
	safe, copies, err := q.dev.regions.safe(list)
	q.inlined = append(q.inlined, copies...)
	return safe, err
}

// fillUnions sets what the opcode uses of the unions. C ignores what an earlier request left in the others.
func (q *queuePair) fillUnions(raw *abi.SendWR, wr *verbs.SendWR) error {
	t := wr.Opcode.Traits()
	if t.Imm {
		raw.SetImm(wr.ImmData)
	}
	if t.Invalid {
		raw.SetInvalidateRKey(wr.InvalidateKey)
	}
	switch {
	case t.Bind:
		return q.fillBind(raw, wr.Bind)
	case q.typ == verbs.UD:
		ah, err := q.dev.ahPointer(wr.AH)
		if err != nil {
			return err
		}
		raw.SetUD(abi.SendUD{AH: ah, RemoteQPN: uint32(wr.RemoteQPN), RemoteQKey: wr.RemoteQKey})
	case t.Atomic:
		raw.SetAtomic(abi.SendAtomic{RemoteAddr: wr.RemoteAddr, CompareAdd: wr.CompareAdd,
			Swap: wr.Swap, RKey: wr.RKey})
	case t.Remote:
		raw.SetRDMA(abi.SendRDMA{RemoteAddr: wr.RemoteAddr, RKey: wr.RKey})
	}
	return nil
}

// ahPointer returns the C object. A datagram without an address handle is rejected: C would
// dereference NULL.
func (d *device) ahPointer(ah verbs.AH) (uintptr, error) {
	if ah == nil {
		return 0, fmt.Errorf("a datagram needs an address handle: %w", syscall.EINVAL)
	}
	a, ok := ah.(*addressHandle)
	if !ok {
		return 0, verbs.ErrForeignObject
	}
	return a.ptr, a.check(d)
}
