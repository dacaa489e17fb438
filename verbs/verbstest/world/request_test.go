package world

import (
	"bytes"
	"encoding/binary"

	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// verdict is the permitted result of a request.
type verdict int

const (
	may   verdict = iota
	must          // it succeeds unless something is done to the connection
	never         // it must not succeed
)

// request is a work request that has been posted and is not complete.
type request struct {
	id       uint64
	end      *end // nil: a RECV of a shared receive queue that was not taken yet
	recv     bool
	op       verbs.WROpcode
	signaled bool
	verdict  verdict
	why      string
	data     []byte // the bytes to send or write, or the expected result
	imm, inv uint32
	local    room      // what it reads or writes on this side
	into     []slotRef // reserved slots of local
	far      piece     // what it reads or writes on the other side; r is nil if nothing
	farSlot  int       // reserved there; -1: none
	add      uint64    // of atomics
	swap     uint64
	window   *window // that it binds or invalidates
	bind     bool
	received bool
	toGroup  bool           // a datagram that goes to the group of its sender
	reached  map[*end]int   // how often each queue pair received it; nil: not counted
	moving   bool           // it reads from a region that may be registered anew
	dest     *end           // of a datagram
	bad      bool           // a RECV whose second element must not be written to
	refusal  verbs.WCStatus // the status that the failure of its RECV requires; 0: unknown
	first    wire.PSN       // of its packets; see number
	packets  int
}

// drafts records what the request may write at the peer from now on.
func (r *request) drafts() {
	switch {
	case r.farSlot < 0:
	case r.isAtomic():
		r.far.r.maybe = append(r.far.r.maybe, draft{r.far.off, r.outcome(), 8})
	default:
		r.far.r.maybe = append(r.far.r.maybe, draft{r.far.off, r.data, len(r.data)})
	}
}

func (r *request) takesRecv() bool { return r.op.Traits().NeedRecv }

func (r *request) isAtomic() bool { return r.op.Traits().Atomic }

// hold counts the request among those that read from a region.
func (r *request) hold(by int) {
	if r.recv || r.op.Traits().Receives {
		if r.far.r != nil {
			r.far.r.users += by
		}
		return
	}
	for _, p := range r.local {
		p.r.users += by
	}
}

// insecure reports whether an attacker may have changed the sent bytes.
func (w *world) insecure() bool { return w.plan.hostile == insider }

// succeed is called when a send request is complete.
func (r *request) succeed() {
	w, e := r.end.w, r.end
	r.hold(-1)
	if r.verdict == never && e.typ == verbs.RC && !w.insecure() {
		w.Fail("request %d, %s at QP %s of %s, must not succeed but did: %s", r.id, r.op, e.num, e.dom.host.name, r.why)
	}
	switch {
	case r.op == verbs.WRRDMAWrite, r.op == verbs.WRRDMAWriteWithImm, r.op == verbs.WRAtomicWrite:
		r.written()
	case r.op.Traits().Receives:
		r.fetched()
	case r.window != nil:
		r.window.done(r)
	}
	if r.takesRecv() && e.typ == verbs.RC && !r.received && !w.insecure() {
		w.Fail("request %d, %s at QP %s of %s, is acknowledged but was not received", r.id, r.op,
			e.num, e.dom.host.name)
	}
}

// written records the result of a WRITE.
func (r *request) written() {
	if r.far.r == nil {
		return
	}
	e := r.end
	if e.typ != verbs.RC { // completion does not mean arrival
		r.owe()
		return
	}
	if !e.w.insecure() {
		if now := r.far.r.read(r.far.off, r.far.n); !bytes.Equal(now, r.data) && r.far.r.mr != nil {
			e.w.Fail("integrity: request %d, WRITE of %d bytes at QP %s of %s to %s at %d: is complete, but the region does not contain the written bytes",
				r.id, len(r.data), e.num, e.dom.host.name, r.far.r.name, r.far.off)
		}
	}
	room{r.far}.put(r.data)
	r.releaseFar()
}

func (r *request) releaseFar() {
	if r.farSlot >= 0 {
		r.far.r.release(r.farSlot)
	}
}

// owe keeps the slot at the peer reserved as long as packets of this request may still arrive.
func (r *request) owe() {
	if r.farSlot < 0 {
		return
	}
	if to := r.end.peer; to != nil && !to.gone && (to.typ != verbs.RC || to.state() != verbs.QPErr) {
		to.owed = append(to.owed, slotRef{r.far.r, r.farSlot})
		return
	}
	r.far.r.release(r.farSlot)
}

// fetched records the result of a READ or an atomic.
func (r *request) fetched() {
	w, e := r.end.w, r.end
	if r.isAtomic() && r.far.r != nil {
		r.data = bytes.Clone(r.far.r.model[r.far.off : r.far.off+8])
		r.far.r.write8(r.far.off, r.outcome(), w.insecure())
		r.releaseFar()
	}
	if r.data != nil && !w.insecure() {
		if now := r.local.actual(); !bytes.Equal(now[:len(r.data)], r.data) {
			w.Fail("integrity: request %d, %s of %d bytes at QP %s of %s returned other bytes than the peer has", r.id,
				r.op, len(r.data), e.num, e.dom.host.name)
		}
	}
	r.abandonLocal()
}

// outcome returns the word after an atomic.
func (r *request) outcome() []byte {
	old := binary.NativeEndian.Uint64(r.far.r.model[r.far.off:])
	fresh := old
	switch {
	case r.op == verbs.WRAtomicFetchAndAdd:
		fresh = old + r.add
	case old == r.add:
		fresh = r.swap
	}
	return binary.NativeEndian.AppendUint64(nil, fresh)
}

// write8 records a word that a peer has changed.
func (r *region) write8(off int, word []byte, accept bool) {
	if accept {
		copy(r.model[off:], r.read(off, 8))
		return
	}
	copy(r.model[off:], word)
	r.check(off, 8)
}

// abandonLocal accepts the actual local bytes and frees the slots.
func (r *request) abandonLocal() {
	r.local.accept()
	for _, s := range r.into {
		s.r.release(s.slot)
	}
}

// lost is called when a send request has failed or vanished: it may have been executed, fully or in part.
func (r *request) lost() {
	r.hold(-1)
	switch {
	case r.op == verbs.WRRDMAWrite, r.op == verbs.WRRDMAWriteWithImm, r.op == verbs.WRAtomicWrite:
		r.owe()
	case r.op.Traits().Receives:
		r.owe()
		r.abandonLocal()
	case r.window != nil:
		r.window.failed(r)
	}
}

// matches reports whether a completed RECV can belong to a message.
func (r *request) matches(wc *verbs.WC, got []byte) bool {
	imm := r.op == verbs.WRSendWithImm || r.op == verbs.WRRDMAWriteWithImm
	switch {
	case imm != (wc.WCFlags&verbs.WCWithImm != 0), imm && wc.ImmData != r.imm:
		return false
	case (r.op == verbs.WRSendWithInv) != (wc.WCFlags&verbs.WCWithInv != 0),
		r.op == verbs.WRSendWithInv && wc.InvalidatedRKey != r.inv:
		return false
	case r.op == verbs.WRRDMAWriteWithImm:
		return wc.Opcode == verbs.WCRecvRDMAWithImm && int(wc.ByteLen) == len(r.data)
	}
	return wc.Opcode == verbs.WCRecv && bytes.Equal(got, r.data)
}
