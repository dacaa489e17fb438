package transport

import (
	"rdmatui/verbs"
	"rdmatui/verbs/soft/mem"
	"rdmatui/verbs/wire"
)

func (r *requester) payload(dst []byte, w *sendWQE, n int) ([]byte, bool) {
	if w.flags&verbs.SendInline != 0 {
		return append(dst, w.inline[r.off:int(r.off)+n]...), true
	}
	return r.q.mem.Gather(dst, w.list, &r.cursor, n)
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
	t := w.op.Traits()
	whole, _ := wire.Opcode(t.BTH).Info()
	h.BTH = r.q.bth()
	h.BTH.Opcode, _ = wire.FindOpcode(r.transport, whole.Operation, at, whole.Headers)
	h.BTH.Solicited = ends && w.flags&verbs.SendSolicited != 0 && t.NeedRecv
	h.BTH.AckReq = r.q.typ == verbs.RC && r.asksACK(ends)
	h.BTH.PSN = r.psn
}

// sendWhole sends a single-packet request whose response ends before the PSN behind; the extended headers are already
// set.
func (r *requester) sendWhole(e *Engine, w *sendWQE, data []byte, behind wire.PSN) {
	h := &e.out
	h.BTH = r.q.bth()
	h.BTH.Opcode, h.BTH.AckReq, h.BTH.PSN = wire.Opcode(w.op.Traits().BTH), true, r.psn
	p := e.packet(r.q.path)
	p.Data = wire.AppendPad(append(h.AppendHeaders(p.Data, len(data)), data...), len(data))
	e.tx = append(e.tx, p)
	r.sentUpTo(e, behind, w)
}

// sentUpTo advances the requester past the packet just sent.
func (r *requester) sentUpTo(e *Engine, psn wire.PSN, w *sendWQE) {
	q := r.q
	q.built(r.next, r.psn)
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

// ownQKey is the bit of a request's Q_Key that selects the queue pair's own Q_Key instead; IBA 10.2.5.
const ownQKey = 1 << 31

// datagramHeaders sets a datagram's addressing, after requestHeaders.
func (r *requester) datagramHeaders(h *wire.Packet, w *sendWQE) {
	h.BTH.DestQP = w.destQP
	h.DETH = wire.DETH{QKey: w.qkey, SrcQP: uint32(r.q.num)}
	if w.qkey&ownQKey != 0 {
		h.DETH.QKey = r.q.attr.QKey
	}
}
