package native

import (
	"fmt"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/native/internal/abi"
)

// sendTraits is verbs.WROpcode.Traits for the opcodes, by number.
var sendTraits = func() (t [16]verbs.WROpcodeTraits) {
	for op := range t {
		t[op] = verbs.WROpcode(op).Traits()
	}
	return t
}()

// PostSend implements verbs.QP.
func (q *queuePair) PostSend(wrs ...verbs.SendWR) (posted int, err error) {
	if q.lendsMemory(wrs) {
		q.dev.mu.RLock()
		defer q.dev.mu.RUnlock()
	}
	q.sq.mu.Lock()
	defer q.sq.mu.Unlock()
	if q.sq.qp == 0 {
		return 0, fail("ibv_post_send", q.name, verbs.ErrClosed)
	}
	for posted < len(wrs) {
		n, unfit := q.stageSends(wrs[posted:])
		taken, err := q.sq.submit(n)
		posted += taken
		if err == nil {
			err = unfit
		}
		if err != nil {
			return posted, fail("ibv_post_send", q.name, err)
		}
	}
	return posted, nil
}

// lendsMemory tells whether C will look at objects other than the queue pair: an
// address handle, or a region's bytes. Those must not be closed meanwhile.
func (q *queuePair) lendsMemory(wrs []verbs.SendWR) bool {
	if q.typ == verbs.UD {
		return true
	}
	for i := range wrs {
		if wrs[i].SendFlags&verbs.SendInline != 0 {
			return true
		}
	}
	return false
}

// stageSends chains as many requests as fit. The error is about the one behind
// them.
func (q *queuePair) stageSends(wrs []verbs.SendWR) (n int, err error) {
	q.sq.begin()
	for n < min(len(wrs), postBatch) {
		ok, err := q.stageSend(n, &wrs[n])
		if !ok || err != nil {
			return n, err
		}
		if n > 0 {
			q.sq.wrs[n-1].Next = q.sq.at(n)
		}
		n++
	}
	return n, nil
}

func (q *queuePair) stageSend(i int, wr *verbs.SendWR) (ok bool, err error) {
	traits, err := q.checkSend(wr)
	if err != nil {
		return false, err
	}
	list, ok, err := q.sq.stageList(wr.SGList)
	if !ok || err != nil {
		return false, err
	}
	raw := &q.sq.wrs[i]
	*raw = abi.SendWR{
		WRID:      wr.WRID,
		SGList:    list,
		NumSGE:    int32(len(wr.SGList)),
		Opcode:    uint32(wr.Opcode),
		SendFlags: uint32(wr.SendFlags),
	}
	if traits.Imm {
		raw.SetImm(wr.ImmData)
	}
	if traits.Invalid {
		raw.SetInvalidateRKey(wr.InvalidateKey)
	}
	return true, q.setTarget(raw, wr, traits)
}

// checkSend refuses what C would take on trust and crash on.
func (q *queuePair) checkSend(wr *verbs.SendWR) (verbs.WROpcodeTraits, error) {
	var traits verbs.WROpcodeTraits
	if int(wr.Opcode) < len(sendTraits) {
		traits = sendTraits[wr.Opcode]
	}
	if traits == (verbs.WROpcodeTraits{}) {
		// BIND_MW and TSO point to more memory, others are not known.
		return traits, &verbs.UnsupportedError{Feature: fmt.Sprintf("posting %s", wr.Opcode)}
	}
	if wr.SendFlags&verbs.SendInline != 0 && !q.dev.regions.holds(wr.SGList) {
		return traits, fmt.Errorf("inline data outside every memory region: %w", syscall.EFAULT)
	}
	return traits, nil
}

// setTarget fills the union of what the request is aimed at.
func (q *queuePair) setTarget(raw *abi.SendWR, wr *verbs.SendWR, traits verbs.WROpcodeTraits) error {
	switch {
	case q.typ == verbs.UD:
		ah, err := q.dev.ahPointer(wr.AH)
		if err != nil {
			return err
		}
		raw.SetUD(abi.SendUD{AH: ah, RemoteQPN: uint32(wr.RemoteQPN), RemoteQKey: wr.RemoteQKey})
	case traits.Atomic:
		raw.SetAtomic(abi.SendAtomic{RemoteAddr: wr.RemoteAddr, CompareAdd: wr.CompareAdd, Swap: wr.Swap, RKey: wr.RKey})
	case traits.Remote:
		raw.SetRDMA(abi.SendRDMA{RemoteAddr: wr.RemoteAddr, RKey: wr.RKey})
	}
	return nil
}

// ahPointer returns the C object. A datagram without one is refused here: C
// would follow the NULL.
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
