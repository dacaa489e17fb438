package world

import (
	"encoding/binary"
	"slices"

	"rdmatui/verbs"
	"rdmatui/verbs/verbstest/sim"
)

var sendOps = map[verbs.QPType][]verbs.WROpcode{
	verbs.RC: {
		verbs.WRSend, verbs.WRSend, verbs.WRSendWithImm, verbs.WRRDMAWrite, verbs.WRRDMAWrite, verbs.WRRDMAWriteWithImm,
		verbs.WRRDMARead, verbs.WRRDMARead, verbs.WRAtomicCmpAndSwp, verbs.WRAtomicFetchAndAdd,
	},
	verbs.UC: {verbs.WRSend, verbs.WRSendWithImm, verbs.WRRDMAWrite, verbs.WRRDMAWriteWithImm},
	verbs.UD: {verbs.WRSend, verbs.WRSendWithImm},
}

// newSend makes a request that the seed selects; nil if there is no room for it.
func (e *end) newSend() (*request, verbs.SendWR) {
	w := e.w
	r := &request{
		end: e, op: sim.Pick(w.Rng, e.sendOps()...), farSlot: -1, verdict: must, signaled: e.sigAll || w.Chance(0.7),
	}
	wr := verbs.SendWR{Opcode: r.op}
	if e.peer == nil && e.typ != verbs.UD || e.peer != nil && e.peer.gone {
		return nil, wr
	}
	if e.typ != verbs.RC {
		r.verdict = may
	}
	ok := false
	switch {
	case e.typ == verbs.UD:
		ok = e.datagram(r, &wr)
	case r.op.Traits().Atomic:
		ok = e.atomic(r, &wr)
	case r.op == verbs.WRRDMARead:
		ok = e.read(r, &wr)
	case r.op == verbs.WRAtomicWrite:
		ok = e.atomicWrite(r, &wr)
	case r.op == verbs.WRFlush:
		ok = e.flush(r, &wr)
	case r.op.Traits().Remote:
		ok = e.write(r, &wr)
	default:
		e.gather(r, w.length(w.plan.slot))
		ok = true
	}
	if !ok {
		return nil, wr
	}
	e.flags(r, &wr)
	if w.plan.mistakes > 0 && w.Rng.IntN(100) < w.plan.mistakes {
		e.blunder(r, &wr)
	}
	return r, wr
}

// length returns the length of a message of at most n bytes: often 0, a few bytes, or one more or less than whole
// packets.
func (w *world) length(n int) int {
	mtu := sim.Pick(w.Rng, w.plan.mtus...).Bytes()
	switch w.Rng.IntN(5) {
	case 0:
		return w.Rng.IntN(min(n, 16) + 1)
	case 1:
		return min(n, max(0, mtu*(1+w.Rng.IntN(3))+w.Rng.IntN(3)-1))
	case 2:
		return n
	}
	return w.Rng.IntN(n + 1)
}

// flags sets the flags of a request and completes its other fields.
func (e *end) flags(r *request, wr *verbs.SendWR) {
	w := e.w
	w.lastID++
	r.id = w.lastID
	r.imm = w.Rng.Uint32()
	wr.WRID, wr.ImmData, wr.SGList = r.id, r.imm, r.local.sges()
	if r.signaled && !e.sigAll {
		wr.SendFlags |= verbs.SendSignaled
	}
	if w.Chance(0.1) {
		wr.SendFlags |= verbs.SendFence
	}
	if w.Chance(0.2) {
		wr.SendFlags |= verbs.SendSolicited
	}
	if n := r.local.length(); n <= int(e.cap.MaxInlineData) && !r.op.Traits().Receives &&
		!slices.Contains(placementOps, r.op) && w.Chance(0.3) {
		wr.SendFlags |= verbs.SendInline
	}
}

// gather picks n bytes to be sent, in up to three pieces.
func (e *end) gather(r *request, n int) {
	w, src := e.w, e.dom.source
	for parts := 1 + w.Rng.IntN(int(e.cap.MaxSendSGE)); parts > 0; parts-- {
		k := n
		if parts > 1 {
			k = w.Rng.IntN(n + 1)
		}
		n -= k
		r.local = append(r.local, piece{src, w.Rng.IntN(len(src.model) - k + 1), k})
	}
	r.data = r.local.model()
}

// write makes a WRITE.
func (e *end) write(r *request, wr *verbs.SendWR) bool {
	w, far := e.w, e.peer.dom.target
	n := w.length(far.slot)
	if !e.reserve(r, far, n) {
		return false
	}
	e.gather(r, n)
	wr.RemoteAddr, wr.RKey = far.addr+uint64(r.far.off), far.key
	switch {
	case e.peer.access&verbs.RemoteWrite == 0:
		r.forbid("the queue pair does not allow WRITEs")
	case n > 0 && far.access&verbs.RemoteWrite == 0:
		r.forbid("the region does not allow WRITEs")
	}
	return true
}

// reserve takes n bytes of a slot at the peer.
func (e *end) reserve(r *request, far *region, n int) bool {
	if e.typ == verbs.UC {
		used := 0
		for _, s := range e.peer.owed {
			if s.r == far {
				used++
			}
		}
		if used >= 3 {
			return false
		}
	}
	if r.farSlot = far.take(); r.farSlot < 0 {
		return false
	}
	p := far.whole(r.farSlot)
	r.far = piece{far, p.off + e.w.Rng.IntN(p.n-n+1), n}
	return true
}

// forbid marks a request as one that must not succeed, if that can be checked.
func (r *request) forbid(why string) {
	r.why = why
	if r.end.typ == verbs.RC {
		r.verdict = never
	}
}

// read makes a READ.
func (e *end) read(r *request, wr *verbs.SendWR) bool {
	w, far := e.w, e.peer.dom.source
	if w.Chance(0.2) && e.peer.dom.doomed.mr != nil {
		far = e.peer.dom.doomed
		r.verdict = may
	} else if w.plan.rereg > 0 && w.Chance(0.3) && e.peer.dom.moving.mr != nil {
		far = e.peer.dom.moving
		r.verdict, r.moving = may, true
	}
	n := w.length(e.dom.landing.slot)
	if n > len(far.model) || !e.land(r, n) {
		return false
	}
	r.far = piece{far, w.Rng.IntN(len(far.model) - n + 1), n}
	r.data = room{r.far}.model()
	wr.RemoteAddr, wr.RKey = far.addr+uint64(r.far.off), far.key
	switch {
	case e.reads == 0:
		r.forbid("the queue pair may have no READ open")
	case e.peer.stingy:
		r.forbid("the peer answers no READ")
	case e.peer.access&verbs.RemoteRead == 0:
		r.forbid("the queue pair does not allow READs")
	case n > 0 && far.access&verbs.RemoteRead == 0:
		r.forbid("the region does not allow READs")
	case n > 0 && r.moving && e.peer.dom.abroad:
		r.forbid("the region is in another protection domain")
	}
	return true
}

// land reserves room for n bytes of a response.
func (e *end) land(r *request, n int) bool {
	slot := e.dom.landing.take()
	if slot < 0 {
		return false
	}
	p := e.dom.landing.whole(slot)
	r.into = append(r.into, slotRef{e.dom.landing, slot})
	r.local = e.dom.landing.split(piece{p.r, p.off + e.w.Rng.IntN(p.n-n+1), n})
	return true
}

// atomic makes a compare-and-swap or a fetch-and-add.
func (e *end) atomic(r *request, wr *verbs.SendWR) bool {
	w, far := e.w, e.peer.dom.words
	if r.farSlot = far.take(); r.farSlot < 0 {
		return false
	}
	r.far = far.whole(r.farSlot)
	if !e.land(r, 8) {
		far.release(r.farSlot)
		return false
	}
	r.add, r.swap = w.Rng.Uint64(), w.Rng.Uint64()
	if w.Chance(0.5) { // this compare value matches
		r.add = nativeWord(far.model[r.far.off:])
	}
	wr.CompareAdd, wr.Swap = r.add, r.swap
	wr.RemoteAddr, wr.RKey = far.addr+uint64(r.far.off), far.key
	switch {
	case e.reads == 0:
		r.forbid("the queue pair may have no atomic open")
	case e.peer.stingy:
		r.forbid("the peer answers no atomic")
	case e.peer.access&verbs.RemoteAtomic == 0:
		r.forbid("the queue pair does not allow atomics")
	case far.access&verbs.RemoteAtomic == 0:
		r.forbid("the region does not allow atomics")
	}
	return true
}

// datagram makes a SEND to any queue pair of datagrams.
func (e *end) datagram(r *request, wr *verbs.SendWR) bool {
	w := e.w
	if w.plan.groups > 0 && !e.byManager && w.Chance(0.25) {
		e.gather(r, w.length(w.plan.slot))
		return e.toGroup(r, wr)
	}
	var to []*end
	for _, other := range w.ends {
		if other.typ == verbs.UD && !other.gone && !other.dom.closed && other.gidIndex == e.gidIndex {
			to = append(to, other)
		}
	}
	if len(to) == 0 {
		return false
	}
	r.dest = to[w.Rng.IntN(len(to))]
	e.gather(r, w.length(w.plan.slot))
	ah := e.dom.handle(r.dest.dom, e.gidIndex)
	if ah == nil {
		return false
	}
	wr.AH, wr.RemoteQPN, wr.RemoteQKey = ah, r.dest.num, r.dest.qkey
	return true
}

// handle returns an address handle, created on first use.
func (d *domain) handle(to *domain, index int) verbs.AH {
	_, addr := to.gid(index)
	if ah := d.ahs[addr]; ah != nil {
		return ah
	}
	ah, err := d.pd.CreateAH(d.vector(to, index))
	if !d.w.Must("create_ah", err) {
		return nil
	}
	d.ahs[addr] = ah
	d.ahOrder = append(d.ahOrder, ah)
	return ah
}

// blunder turns a request into one that must fail. It does not change the remote memory of the request.
func (e *end) blunder(r *request, wr *verbs.SendWR) {
	w := e.w
	remote := r.op.Traits().Remote && e.typ == verbs.RC && r.far.n > 0
	local := r.local.length() > 0 && wr.SendFlags&verbs.SendInline == 0 && e.typ != verbs.UC && !r.op.Traits().Copied
	var ways []func()
	if remote {
		far := e.peer.dom
		wr.Flush.Level = verbs.FlushRange // for a whole region the address is ignored
		ways = append(ways,
			func() { wr.RKey, r.why = w.Rng.Uint32()|1, "wrong rkey" },
			func() {
				wr.RKey, wr.RemoteAddr, r.why = far.other.key, far.other.addr, "rkey of another protection domain"
			},
			func() {
				wr.RemoteAddr, r.why = r.far.r.addr+uint64(len(r.far.r.model)-r.far.n+8), "beyond the region's end"
			},
			func() { wr.RemoteAddr, r.why = r.far.r.addr-8, "before the region's start" },
			func() { wr.RKey, wr.RemoteAddr, r.why = far.inbox.key, far.inbox.addr, "a region without the right" },
		)
		if len(far.former) > 0 {
			was := sim.Pick(w.Rng, far.former...)
			ways = append(ways, func() {
				wr.RKey, wr.RemoteAddr, r.why = was.key, was.addr, "a key from before rereg_mr"
			})
		}
		if far.lodger != nil {
			ways = append(ways, func() {
				wr.RKey, wr.RemoteAddr, r.why = far.lodger.mw.RKey(), far.other.addr,
					"a window of another protection domain"
			})
		}
		if r.op.Traits().Atomic || r.op.Traits().Copied {
			ways = append(ways, func() { wr.RemoteAddr, r.why = wr.RemoteAddr+4, "misaligned" })
		}
	}
	if local {
		ways = append(ways,
			func() { wr.SGList[len(wr.SGList)-1].LKey, r.why = w.Rng.Uint32()|1, "wrong lkey" },
			func() {
				s := &wr.SGList[0]
				s.LKey, s.Addr, r.why = e.dom.other.key, e.dom.other.addr, "lkey of another protection domain"
			},
			func() { s := &wr.SGList[0]; s.Addr, r.why = s.Addr+1<<20, "beyond the local region" },
		)
	}
	if e.typ == verbs.UD {
		ways = []func(){func() { wr.RemoteQKey, r.why = (wr.RemoteQKey+1)&^(1<<31), "wrong Q_Key" }}
	}
	if len(ways) == 0 {
		return
	}
	ways[w.Rng.IntN(len(ways))]()
	if e.typ != verbs.UD && wr.SGList != nil && emptyAtFault(r, wr) {
		r.verdict = may // the key of an empty element is ignored
		e.spoil()
		return
	}
	r.verdict = never
	if e.typ == verbs.UD {
		return
	}
	e.spoil()
}

// emptyAtFault reports whether the mistake is in an empty element.
func emptyAtFault(r *request, wr *verbs.SendWR) bool {
	for i, s := range wr.SGList {
		was := r.local[i]
		if (s.LKey != was.r.key || s.Addr != was.r.addr+uint64(was.off)) && s.Length == 0 {
			return true
		}
	}
	return false
}

func nativeWord(b []byte) uint64 { return binary.NativeEndian.Uint64(b) }
