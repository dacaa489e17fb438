package soft

import (
	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/mem"
	"rdmatui/verbs/wire"
)

// requester is the sending half of a queue pair; IBA 9.7.2 and 9.7.3.
//
//	 sq.head                 next            started            sq.tail
//	─────┴─────────────────────┴────────────────┴──────────────────┴──▶ requests
//	  sent, not acknowledged     to be sent again   not sent yet
//
// Without retransmission next and started are the same.
type requester struct {
	transport wire.Transport
	next      uint32     // position of the request being sent
	started   uint32     // position behind the last one that has PSNs
	off       uint32     // bytes of the request at next that are sent
	cursor    mem.Cursor // the place of off in its SGE list
	psn       wire.PSN   // of the next packet
	una       wire.PSN   // the oldest not acknowledged
	top       wire.PSN   // behind the highest ever sent
	reads     int        // READs and atomics before next that are not complete
	retries   uint8      // since there was progress
	rnrTries  uint8
	into      mem.Cursor // where the data of the READ at sq.head goes
	asked     bool       // una was sent again since it was found lost, and has not moved since
	window    int        // packets that may be unacknowledged
	unasked   int        // packets since one asked for an acknowledgement
	again     int        // times that the packet at una is to be sent once more before the next one
}

func (r *requester) reset(t wire.Transport, psn wire.PSN, head uint32) {
	*r = requester{transport: t, next: head, started: head, psn: psn, una: psn, top: psn, window: maxWindow}
}

// send sends what the window and the state allow; it reports whether it stopped only because others have their turn.
func (q *qp) send(e *engine) (more bool) {
	for range burst {
		if q.rnr.waiting {
			return false
		}
		if !e.ready {
			return q.req.next != q.sq.tail.Load()
		}
		w := q.upNext()
		if w == nil || !q.mayGo(w) {
			return false
		}
		if isLocal(w.op) {
			q.doLocal(w)
			continue
		}
		q.sendPacket(e, w)
		if q.req.again > 0 {
			q.req.again--
			q.goBack(q.req.una)
		}
	}
	return true
}

// upNext returns the request that is to be sent, nil where there is none.
func (q *qp) upNext() *sendWQE {
	r := &q.req
	if r.next == q.sq.tail.Load() {
		return nil
	}
	w := q.sq.at(r.next)
	if r.next == r.started {
		if q.state == verbs.QPSQD {
			return nil
		}
		q.start(w)
	}
	if w.status != verbs.WCSuccess {
		q.failLocal()
		return nil
	}
	return w
}

// start gives a request its PSNs and checks what can be checked on this side.
func (q *qp) start(w *sendWQE) {
	r := &q.req
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

// packets is how many PSNs a request takes.
func (w *sendWQE) packets(mtu int) int {
	if isPlacement(w.op) {
		return 1
	}
	return packetsOf(w.length, mtu)
}

// packetsOf is the number of packets that n bytes take; an empty message takes one.
func packetsOf(n uint32, mtu int) int { return max((int(n)+mtu-1)/mtu, 1) }

// mayGo holds the request at next against window, the limit of READs and atomics, and fence.
func (q *qp) mayGo(w *sendWQE) bool {
	r := &q.req
	switch {
	case q.typ == verbs.RC && r.psn.Sub(r.una) >= r.window:
		return false
	case r.off > 0: // one part of a READ after the other, so that it is never more than one to the peer
		return w.op != verbs.WRRDMARead || r.psn == r.una
	case w.fetches() && r.reads >= int(q.attr.MaxRDAtomic):
		return false
	}
	return w.flags&verbs.SendFence == 0 || r.reads == 0
}

// sendPacket sends the next packet of a request and moves on.
func (q *qp) sendPacket(e *engine, w *sendWQE) {
	r := &q.req
	switch {
	case w.op == verbs.WRRDMARead:
		q.sendRead(e, w)
		return
	case isPlacement(w.op):
		q.sendPlacement(e, w)
		return
	case w.fetches():
		q.sendAtomic(e, w)
		return
	}
	n := min(q.mtu, int(w.length-r.off))
	q.requestHeaders(&e.out, w, n)
	path := q.path
	if q.typ == verbs.UD {
		path = w.path
		q.datagramHeaders(&e.out, w)
	}
	p := e.packet(path)
	p.Data = e.out.AppendHeaders(p.Data, n)
	data, ok := q.payload(p.Data, w, n)
	if !ok {
		e.drop(p)
		w.status = verbs.WCLocProtErr
		return
	}
	p.Data = wire.AppendPad(data, n)
	e.tx = append(e.tx, p)
	r.off += uint32(n)
	q.sentUpTo(e, r.psn.Add(1), w)
}

func (q *qp) payload(dst []byte, w *sendWQE, n int) ([]byte, bool) {
	if w.flags&verbs.SendInline != 0 {
		return append(dst, w.inline[q.req.off:int(q.req.off)+n]...), true
	}
	return q.mem.Gather(dst, w.list, &q.req.cursor, n)
}

// operations maps what is posted to what is sent.
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
func (q *qp) requestHeaders(h *wire.Packet, w *sendWQE, n int) {
	r := &q.req
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
	h.BTH = q.bth()
	h.BTH.Opcode, _ = wire.FindOpcode(r.transport, row.op, at, row.imm)
	h.BTH.Solicited = ends && w.flags&verbs.SendSolicited != 0 && w.op.Traits().NeedRecv
	h.BTH.AckReq = q.typ == verbs.RC && r.asksACK(ends)
	h.BTH.PSN = r.psn
}

// bth is what all packets of the queue pair have in common.
func (q *qp) bth() wire.BTH {
	return wire.BTH{MigReq: true, PKey: object.FullPKey, DestQP: uint32(q.attr.DestQPNum)}
}

// sendRead asks for what is still missing of a READ, or for a part of it.
func (q *qp) sendRead(e *engine, w *sendWQE) {
	r := &q.req
	behind := r.askedUpTo(w)
	n := min(w.length-r.off, uint32(behind.Sub(r.psn)*q.mtu))
	h := &e.out
	h.RETH = wire.RETH{VA: w.remote + uint64(r.off), RKey: w.rkey, DMALen: n}
	r.off += n
	q.sendWhole(e, w, wire.RCReadRequest, nil, behind)
}

// sendWhole sends a request of one packet whose answer ends before the given PSN; the extended headers are set.
func (q *qp) sendWhole(e *engine, w *sendWQE, op wire.Opcode, data []byte, behind wire.PSN) {
	h := &e.out
	h.BTH = q.bth()
	h.BTH.Opcode, h.BTH.AckReq, h.BTH.PSN = op, true, q.req.psn
	p := e.packet(q.path)
	p.Data = wire.AppendPad(append(h.AppendHeaders(p.Data, len(data)), data...), len(data))
	e.tx = append(e.tx, p)
	q.sentUpTo(e, behind, w)
}

// sentUpTo moves the requester behind the packet just sent.
func (q *qp) sentUpTo(e *engine, psn wire.PSN, w *sendWQE) {
	r := &q.req
	if r.top.Sub(r.psn) > 0 {
		e.adapter.counts.retransmits.Add(1)
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
		if q.typ != verbs.RC { // sent is done
			r.una = r.psn
			q.succeed(w)
		}
	}
}

// goBack makes psn, which is between una and top, the next packet.
func (q *qp) goBack(psn wire.PSN) {
	r := &q.req
	r.psn, r.reads, r.unasked = psn, 0, maxWindow
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
