package transport

import (
	"encoding/binary"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/soft/mem"
	"rdmatui/verbs/wire"
)

// requestedUC processes a packet of an unreliable connection: a missing packet loses its message, and reception resumes
// with the start of the next one; IBA 9.8.2.
func (r *responder) requestedUC(e *Engine, info wire.OpcodeInfo) {
	psn := e.in.BTH.PSN
	starts := info.Position&wire.Starts != 0
	if psn != r.epsn {
		e.adapter.Counts.OutOfSequence.Add(1)
	}
	if r.inside && (starts || psn != r.epsn) {
		r.dropMessage(e)
	}
	r.firstPacket()
	if starts || r.inside {
		r.epsn = psn
		r.expected(e, info)
	}
	r.epsn = psn.Add(1)
}

// requestedUD processes a datagram. Datagrams that do not fit are dropped silently; IBA 9.8.3.
func (r *responder) requestedUD(e *Engine, info wire.OpcodeInfo, from *link.Path) {
	q := r.q
	h := &e.in
	if h.DETH.QKey != q.attr.QKey {
		e.adapter.Counts.QKeyViolations.Add(1)
		return
	}
	if len(h.Payload) > q.mtu {
		r.dropMessage(e)
		return
	}
	w := q.rq.take()
	if w == nil {
		r.dropMessage(e)
		return
	}
	n := uint64(verbs.GRHLen + len(h.Payload))
	if n > w.length {
		r.failRecvUnreliable(w, verbs.WCLocLenErr)
		return
	}
	var grh [verbs.GRHLen]byte
	putGRH(&grh, from, len(h.Payload))
	var c mem.Cursor
	if !q.rq.mem.Scatter(grh[:], w.list, &c) || !q.rq.mem.Scatter(h.Payload, w.list, &c) {
		r.failRecvUnreliable(w, verbs.WCLocProtErr)
		return
	}
	wc := verbs.WC{
		WRID: w.wrID, Opcode: verbs.WCRecv, ByteLen: uint32(n), QPNum: q.num,
		SrcQP: verbs.QPN(h.DETH.SrcQP), WCFlags: verbs.WCGRH,
	}
	if info.Headers.Has(wire.HasImmDt) {
		wc.WCFlags |= verbs.WCWithImm
		wc.ImmData = h.ImmDt.Data
	}
	q.steps.serve(e, wire.PSN(h.BTH.PSN), h.DETH.SrcQP)
	q.rq.done()
	e.adapter.Counts.Recvs.Add(1)
	q.complete(q.recvCQ, &wc, h.BTH.Solicited)
}

const (
	ipv4Len     = 20
	protocolUDP = 17
	udpLen      = 8
	dontFrag    = 0x4000
)

// putGRH writes the packet's IP header in the form that a RoCEv2 receiver sees: a full IPv6 header, or 20 undefined
// bytes and an IPv4 header; annex A17. The IPv4 identification is unknown and written as 0.
func putGRH(grh *[verbs.GRHLen]byte, path *link.Path, payload int) {
	src, dst := path.Src.Addr(), path.Dst.Addr()
	length := udpLen + wire.BTHLen + wire.DETHLen + (payload+3)&^3 + wire.ICRCLen
	if !src.Is4() {
		s, d := src.As16(), dst.As16()
		binary.BigEndian.PutUint32(grh[0:], 6<<28|uint32(path.TrafficClass)<<20|path.FlowLabel)
		binary.BigEndian.PutUint16(grh[4:], uint16(length))
		grh[6], grh[7] = protocolUDP, path.HopLimit
		copy(grh[8:], s[:])
		copy(grh[24:], d[:])
		return
	}
	ip := grh[verbs.GRHLen-ipv4Len:]
	s, d := src.As4(), dst.As4()
	ip[0], ip[1] = 4<<4|ipv4Len/4, path.TrafficClass
	binary.BigEndian.PutUint16(ip[2:], uint16(ipv4Len+length))
	binary.BigEndian.PutUint16(ip[6:], dontFrag)
	ip[8], ip[9] = path.HopLimit, protocolUDP
	copy(ip[12:], s[:])
	copy(ip[16:], d[:])
	binary.BigEndian.PutUint16(ip[10:], wire.IPChecksum(ip))
}
