package transport

import (
	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/mem"
	"rdmatui/verbs/wire"
)

// requester is the sending part of a queue pair; IBA 9.7.2 and 9.7.3.
//
//	 sq.head                 next            started            sq.tail
//	─────┴─────────────────────┴────────────────┴──────────────────┴──▶ requests
//	  sent, not acknowledged     to be sent again   not sent yet
//
// Without retransmission next equals started.
type requester struct {
	q         *QP
	transport wire.Transport
	next      uint32     // position of the current request
	started   uint32     // position after the last request that has PSNs
	off       uint32     // bytes of the request at next already sent
	cursor    mem.Cursor // position of off in its SGE list
	psn       wire.PSN   // of the next packet
	top       wire.PSN   // one past the highest PSN ever sent
	reads     int        // incomplete READs and atomics before next
	window    int        // maximum number of unacknowledged packets
	unasked   int        // packets since the last one that requested an acknowledgement
	again     int        // extra copies of the oldest unacknowledged packet to send before the next one
}

func (r *requester) reset(t wire.Transport, psn wire.PSN, head uint32) {
	*r = requester{q: r.q, transport: t, next: head, started: head, psn: psn, top: psn, window: MaxWindow}
}

// send sends what the window and the state allow; it reports whether it stopped only to let others send.
func (r *requester) send(e *Engine) (more bool) {
	q := r.q
	for range burst {
		if q.comp.rnr.waiting {
			return false
		}
		if !e.ready {
			return r.next != q.sq.tail.Load()
		}
		w := r.upNext()
		if w == nil || !r.mayGo(w) {
			return false
		}
		if isLocal(w.op) {
			r.doLocal(w)
			continue
		}
		r.sendPacket(e, w)
		if r.again > 0 {
			r.again--
			r.goBack(q.comp.una)
		}
	}
	return true
}

// upNext returns the next request to send, nil if there is none.
func (r *requester) upNext() *sendWQE {
	q := r.q
	if r.next == q.sq.tail.Load() {
		return nil
	}
	w := q.sq.at(r.next)
	if r.next == r.started {
		if q.state == verbs.QPSQD {
			return nil
		}
		r.start(w)
	}
	if w.status != verbs.WCSuccess {
		q.comp.failLocal()
		return nil
	}
	return w
}

// start assigns a request its PSNs and does the local checks.
func (r *requester) start(w *sendWQE) {
	q := r.q
	packets := 0
	if !isLocal(w.op) {
		packets = w.packets(q.mtu)
	}
	w.first = r.psn
	w.last = r.psn.Add(packets - 1)
	r.off, r.cursor = 0, mem.Cursor{}
	r.started++
	switch {
	case w.fetches() && q.attr.MaxRDAtomic == 0:
		w.status = verbs.WCLocQPOpErr
	case q.typ == verbs.UD && w.length > uint32(q.mtu):
		w.status = verbs.WCLocLenErr
	case w.flags&verbs.SendInline != 0 || w.op == verbs.WRAtomicWrite:
	case !q.mem.Check(w.list, w.localRight()):
		w.status = verbs.WCLocProtErr
	}
}

// packets returns how many PSNs a request takes.
func (w *sendWQE) packets(mtu int) int {
	if isPlacement(w.op) {
		return 1
	}
	return packetsOf(w.length, mtu)
}

// packetsOf returns the number of packets for n bytes; an empty message takes one.
func packetsOf(n uint32, mtu int) int { return max((int(n)+mtu-1)/mtu, 1) }

// mayGo checks the request at next against the window, the limit of READs and atomics, and its fence.
func (r *requester) mayGo(w *sendWQE) bool {
	q := r.q
	switch {
	case q.typ == verbs.RC && r.psn.Sub(q.comp.una) >= r.window:
		return false
	case r.off > 0: // one part of a READ at a time: the peer must never see it as more than one READ
		return w.op != verbs.WRRDMARead || r.psn == q.comp.una
	case w.fetches() && r.reads >= int(q.attr.MaxRDAtomic):
		return false
	}
	return w.flags&verbs.SendFence == 0 || r.reads == 0
}

// sendPacket sends the next packet of a request and advances.
func (r *requester) sendPacket(e *Engine, w *sendWQE) {
	q := r.q
	switch {
	case w.op == verbs.WRRDMARead:
		r.sendRead(e, w)
		return
	case isPlacement(w.op):
		r.sendPlacement(e, w)
		return
	case w.fetches():
		r.sendAtomic(e, w)
		return
	}
	n := min(q.mtu, int(w.length-r.off))
	r.requestHeaders(&e.out, w, n)
	path := q.path
	if q.typ == verbs.UD {
		path = w.path
		r.datagramHeaders(&e.out, w)
	}
	p := e.packet(path)
	p.Data = e.out.AppendHeaders(p.Data, n)
	data, ok := r.payload(p.Data, w, n)
	if !ok {
		e.drop(p)
		w.status = verbs.WCLocProtErr
		return
	}
	p.Data = wire.AppendPad(data, n)
	e.tx = append(e.tx, p)
	r.off += uint32(n)
	r.sentUpTo(e, r.psn.Add(1), w)
}

func (r *requester) payload(dst []byte, w *sendWQE, n int) ([]byte, bool) {
	if w.flags&verbs.SendInline != 0 {
		return append(dst, w.inline[r.off:int(r.off)+n]...), true
	}
	return r.q.mem.Gather(dst, w.list, &r.cursor, n)
}

// operations maps posted opcodes to wire operations.
var operations = [...]struct {
	op  wire.Operation
	imm wire.Headers
}{
	verbs.WRRDMAWrite:        {wire.OpWrite, 0},
	verbs.WRRDMAWriteWithImm: {wire.OpWrite, wire.HasImmDt},
	verbs.WRSend:             {wire.OpSend, 0},
	verbs.WRSendWithImm:      {wire.OpSend, wire.HasImmDt},
	verbs.WRSendWithInv:      {wire.OpSend, wire.HasIETH},
}

// requestHeaders sets the headers of a packet with n bytes of the request at next.
func (r *requester) requestHeaders(h *wire.Packet, w *sendWQE, n int) {
	var at wire.Position
	if r.off == 0 {
		at |= wire.Starts
		h.RETH = wire.RETH{VA: w.remote, RKey: w.rkey, DMALen: w.length}
	}
	if r.off+uint32(n) == w.length {
		at |= wire.Ends
		h.ImmDt.Data = w.imm
		h.IETH.RKey = w.invalidate
	}
	ends := at&wire.Ends != 0
	row := &operations[w.op]
	h.BTH = r.q.bth()
	h.BTH.Opcode, _ = wire.FindOpcode(r.transport, row.op, at, row.imm)
	h.BTH.Solicited = ends && w.flags&verbs.SendSolicited != 0 && w.op.Traits().NeedRecv
	h.BTH.AckReq = r.q.typ == verbs.RC && r.asksACK(ends)
	h.BTH.PSN = r.psn
}

// bth returns the header fields common to all packets of the queue pair.
func (q *QP) bth() wire.BTH {
	return wire.BTH{MigReq: true, PKey: object.FullPKey, DestQP: uint32(q.attr.DestQPNum)}
}

// sendRead requests the missing data of a READ, or a part of it.
func (r *requester) sendRead(e *Engine, w *sendWQE) {
	behind := r.askedUpTo(w)
	n := min(w.length-r.off, uint32(behind.Sub(r.psn)*r.q.mtu))
	h := &e.out
	h.RETH = wire.RETH{VA: w.remote + uint64(r.off), RKey: w.rkey, DMALen: n}
	r.off += n
	r.sendWhole(e, w, wire.RCReadRequest, nil, behind)
}

// sendWhole sends a single-packet request whose response ends before the PSN behind; the extended headers are already set.
func (r *requester) sendWhole(e *Engine, w *sendWQE, op wire.Opcode, data []byte, behind wire.PSN) {
	h := &e.out
	h.BTH = r.q.bth()
	h.BTH.Opcode, h.BTH.AckReq, h.BTH.PSN = op, true, r.psn
	p := e.packet(r.q.path)
	p.Data = wire.AppendPad(append(h.AppendHeaders(p.Data, len(data)), data...), len(data))
	e.tx = append(e.tx, p)
	r.sentUpTo(e, behind, w)
}

// sentUpTo advances the requester past the packet just sent.
func (r *requester) sentUpTo(e *Engine, psn wire.PSN, w *sendWQE) {
	q := r.q
	if r.top.Sub(r.psn) > 0 {
		e.adapter.Counts.Retransmits.Add(1)
	}
	r.psn = psn
	if r.psn.Sub(r.top) > 0 {
		r.top = r.psn
	}
	if r.psn.Sub(w.last) > 0 {
		r.next++
		r.off, r.cursor = 0, mem.Cursor{}
		if w.fetches() {
			r.reads++
		}
		if q.typ != verbs.RC { // complete once sent
			q.comp.una = r.psn
			q.comp.succeed(w)
		}
	}
}

// goBack makes psn, which lies between una and top, the next one to send.
func (r *requester) goBack(psn wire.PSN) {
	q := r.q
	r.psn, r.reads, r.unasked = psn, 0, MaxWindow
	r.next = q.sq.head.Load()
	for r.next != r.started {
		w := q.sq.at(r.next)
		if psn.Sub(w.last) <= 0 || isLocal(w.op) && !w.done {
			break
		}
		if w.fetches() {
			r.reads++
		}
		r.next++
	}
	r.off, r.cursor = 0, mem.Cursor{}
	if r.next == r.started {
		return
	}
	w := q.sq.at(r.next)
	r.off = uint32(psn.Sub(w.first) * q.mtu)
	r.cursor = mem.Seek(w.list, r.off)
}

// doLocal executes a local request in its turn, and skips it when earlier requests are being sent again. The request completes after all
// earlier ones.
func (r *requester) doLocal(w *sendWQE) {
	if !w.done && !r.execute(w) {
		w.status = verbs.WCMWBindErr
		return
	}
	w.done = true
	r.next++
	r.q.comp.settle()
}

func (r *requester) execute(w *sendWQE) bool {
	if w.op == verbs.WRLocalInv {
		return r.q.mem.Invalidate(w.invalidate)
	}
	return r.q.mem.Bind(w.bind)
}
