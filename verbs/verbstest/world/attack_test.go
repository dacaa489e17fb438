package world

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"slices"

	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/verbstest/sim"
	"rdmatui/verbs/wire"
)

// attacker is a host that sends arbitrary packets. It sees every packet.
type attacker struct {
	w    *world
	addr netip.Addr
}

func (w *world) newAttacker() *attacker {
	return &attacker{w: w, addr: netip.AddrFrom4([4]byte{10, 66, 0, 66})}
}

func (w *world) attackWeight() int {
	if w.plan.hostile == peaceful {
		return 0
	}
	return 12
}

// stepAttack sends a few packets.
func (w *world) stepAttack() {
	a := w.attacker
	ways := []func() *packet{a.noise, a.again, a.late, a.late, a.damaged, a.stranger}
	if w.plan.hostile == insider {
		ways = append(ways, a.changed, a.changed, a.changed, a.cut, a.forgedMAD, a.forgedMAD)
	}
	for range 1 + w.Rng.IntN(3) {
		if p := ways[w.Rng.IntN(len(ways))](); p != nil {
			w.Tracef("attack %s > %s QP %06x %x", p.Path.Src, p.Path.Dst, p.DestQP(), p.Data[:min(len(p.Data), 40)])
			w.Net.Arrive(p, w.Gap(w.Net.Delay))
		}
	}
}

// seen returns a recently sent packet; nil if there is none.
func (a *attacker) seen() *packet {
	if len(a.w.recent) == 0 {
		return nil
	}
	return a.w.recent[a.w.Rng.IntN(len(a.w.recent))]
}

// from makes a packet with the attacker's own address.
func (a *attacker) from(dst netip.Addr, body []byte) *packet {
	if !dst.Is4() {
		return nil
	}
	path, err := link.NewPath(netip.AddrPortFrom(a.addr, 49152), netip.AddrPortFrom(dst, wire.Port))
	if !a.w.Must("path", err) {
		return nil
	}
	return &packet{Path: path, Data: append(body, 0, 0, 0, 0)}
}

// noise returns random bytes to a queue pair that may not exist.
func (a *attacker) noise() *packet {
	w := a.w
	body := make([]byte, wire.BTHLen+w.Rng.IntN(200))
	random(w.Rng)(body)
	if e := w.anyEnd(); e != nil && w.Chance(0.7) {
		binary.BigEndian.PutUint32(body[4:], uint32(e.num))
		body[1], body[2], body[3] = body[1]&0x30, 0xff, 0xff
	}
	return a.from(sim.Pick(w.Rng, w.hosts...).addr, body)
}

// again returns an unchanged copy of a packet.
func (a *attacker) again() *packet { return a.seen() }

// late returns an unchanged copy of an RNR NAK: the packet that it refuses may have been accepted since.
func (a *attacker) late() *packet {
	var naks []*packet
	for _, p := range a.w.recent {
		if isRNRNAK(p) {
			naks = append(naks, p)
		}
	}
	if len(naks) == 0 {
		return nil
	}
	return naks[a.w.Rng.IntN(len(naks))]
}

// damaged returns a packet with one flipped bit, which the ICRC reveals.
func (a *attacker) damaged() *packet {
	p := a.seen()
	if p == nil {
		return nil
	}
	return p.Damaged(a.w.Rng.Uint64() >> 1)
}

// stranger returns a packet with a wrong source address, and perhaps other changes.
func (a *attacker) stranger() *packet {
	p := a.seen()
	if p == nil {
		return nil
	}
	body := bytes.Clone(p.Data[:len(p.Data)-wire.ICRCLen])
	if a.w.Chance(0.5) {
		a.spoil(body)
	}
	return a.from(p.Path.Dst.Addr(), body)
}

// changed returns a packet with the sender's address, other contents and the matching ICRC.
func (a *attacker) changed() *packet {
	p := a.seen()
	if p == nil {
		return nil
	}
	body := bytes.Clone(p.Data)
	a.spoil(body[:len(body)-wire.ICRCLen])
	return &packet{Path: p.Path, Data: body}
}

// spoil changes a few bytes, mostly of the headers, or the PSN.
func (a *attacker) spoil(body []byte) {
	w := a.w
	for range 1 + w.Rng.IntN(3) {
		switch w.Rng.IntN(6) {
		case 0: // another PSN nearby
			psn := binary.BigEndian.Uint32(body[8:])
			binary.BigEndian.PutUint32(body[8:], psn&^0xffffff|(psn+uint32(w.Rng.IntN(9))-4)&0xffffff)
		case 1: // another operation
			body[0] = byte(w.Rng.IntN(0x18)) | body[0]&0xe0
		case 2: // another key, length or syndrome
			if len(body) > wire.BTHLen {
				body[wire.BTHLen+w.Rng.IntN(min(len(body)-wire.BTHLen, 28))] = byte(w.Rng.Uint32())
			}
		case 3: // memory that exists but is not for this operation
			if e := w.anyEnd(); e != nil && len(body) >= wire.BTHLen+16 && len(e.dom.regions) > 0 {
				r := e.dom.regions[w.Rng.IntN(len(e.dom.regions))]
				binary.BigEndian.PutUint64(body[wire.BTHLen:], r.addr+uint64(w.Rng.IntN(len(r.model)+64)))
				binary.BigEndian.PutUint32(body[wire.BTHLen+8:], r.key)
			}
		case 4: // another queue pair
			if e := w.anyEnd(); e != nil {
				binary.BigEndian.PutUint32(body[4:], uint32(e.num))
			}
		default:
			body[w.Rng.IntN(len(body))] = byte(w.Rng.Uint32())
		}
	}
}

// cut returns the beginning of a packet.
func (a *attacker) cut() *packet {
	p := a.seen()
	if p == nil {
		return nil
	}
	n := wire.BTHLen + a.w.Rng.IntN(len(p.Data)-wire.BTHLen-wire.ICRCLen+1)
	if a.w.Chance(0.8) {
		n &^= 3
	}
	return &packet{Path: p.Path, Data: append(slices.Clone(p.Data[:max(n, wire.BTHLen)]), 0, 0, 0, 0)}
}

// forgedMAD returns a message of the connection manager with a host's address: another message about a connection that
// was seen, or one with invalid values. It has the direction of a message that was seen, or the opposite one.
func (a *attacker) forgedMAD() *packet {
	w := a.w
	var mads []*packet
	for _, p := range w.recent {
		if p.IsMAD() && len(p.Data) == madPacketLen {
			mads = append(mads, p)
		}
	}
	if len(mads) == 0 {
		return nil
	}
	p := mads[w.Rng.IntN(len(mads))]
	body := bytes.Clone(p.Data[:len(p.Data)-wire.ICRCLen])
	mad := body[wire.BTHLen+wire.DETHLen:]
	path := p.Path
	var err error
	if w.Chance(0.6) { // an answer in the opposite direction: the communication IDs are swapped
		path, err = link.NewPath(netip.AddrPortFrom(p.Path.Dst.Addr(), p.Path.Src.Port()),
			netip.AddrPortFrom(p.Path.Src.Addr(), wire.Port))
		if !w.Must("path", err) {
			return nil
		}
		w.answerMAD(mad)
	}
	if w.Chance(0.5) {
		for range 1 + w.Rng.IntN(3) {
			mad[wire.MADHeaderLen+w.Rng.IntN(60)] = sim.Pick(w.Rng, 0, 0xff, byte(w.Rng.Uint32()))
		}
	}
	return &packet{Path: path, Data: append(body, 0, 0, 0, 0)}
}

const madPacketLen = wire.BTHLen + wire.DETHLen + wire.MADLen + wire.ICRCLen

// answerMAD turns a message into an answer to it.
func (w *world) answerMAD(mad []byte) {
	be := binary.BigEndian
	body := mad[wire.MADHeaderLen:]
	first, second := be.Uint32(body), be.Uint32(body[4:])
	attr := wire.CMAttribute(be.Uint16(mad[16:]))
	if attr == wire.CMAttrSIDRREQ {
		be.PutUint16(mad[16:], uint16(wire.CMAttrSIDRREP))
		rep := wire.CMSidrRep{
			RequestID: first, QPN: sim.Pick(w.Rng, 0, 1, 0xffffff, w.Rng.Uint32()&0xffffff),
			QKey: w.Rng.Uint32(), Status: wire.CMSidrStatus(w.Rng.IntN(3) * w.Rng.IntN(2)),
		}
		copy(body, rep.Append(nil))
		return
	}
	answer := sim.Pick(w.Rng, wire.CMAttrREP, wire.CMAttrREJ, wire.CMAttrMRA, wire.CMAttrDREQ,
		wire.CMAttrDREP, wire.CMAttrRTU)
	be.PutUint16(mad[16:], uint16(answer))
	local := second
	if local == 0 {
		local = w.Rng.Uint32()
	}
	num := sim.Pick(w.Rng, 0, 1, 0xffffff, w.Rng.Uint32()&0xffffff)
	var m wire.CMBody
	switch answer {
	case wire.CMAttrREP:
		m = &wire.CMRep{
			LocalCommID: local, RemoteCommID: first, LocalQPN: num,
			ResponderResources: byte(w.Rng.Uint32()), InitiatorDepth: byte(w.Rng.Uint32()),
		}
	case wire.CMAttrREJ:
		m = &wire.CMRej{
			LocalCommID: local, RemoteCommID: first,
			Message: wire.CMResponse(w.Rng.IntN(3)), Reason: uint16(w.Rng.IntN(40)),
		}
	case wire.CMAttrMRA:
		m = &wire.CMMra{
			LocalCommID: local, RemoteCommID: first,
			Message: wire.CMResponse(w.Rng.IntN(3)), ServiceTimeout: uint8(w.Rng.IntN(32)),
		}
	case wire.CMAttrDREQ:
		m = &wire.CMDreq{LocalCommID: local, RemoteCommID: first, RemoteQPN: num}
	case wire.CMAttrDREP:
		m = &wire.CMDrep{LocalCommID: local, RemoteCommID: first}
	default:
		m = &wire.CMRtu{LocalCommID: local, RemoteCommID: first}
	}
	copy(body, m.Append(nil))
}
