package incident

import (
	"slices"
	"time"

	"rdmatui/session/core"
	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

// lastPackets is how many of the queue pair's packets an incident shows.
const lastPackets = 8

// packet is one of a queue pair's last packets.
type packet struct {
	at       time.Duration
	outgoing bool
	mark     string
	wire.Packet
}

// nak reports whether a NAK of any kind has arrived.
func (p *packet) nak() bool {
	return !p.outgoing && p.Headers.Has(wire.HasAETH) && p.AETH.Syndrome.Kind() != wire.SyndromeACK
}

// packetsOf returns the last packets of a queue pair, the oldest first, as its device has recorded them. Before them
// comes the packet that the newest NAK answers, which may be the first of a long message.
func packetsOf(s *core.Session, device string, q *core.QPView) (last []packet) {
	all, naks, answered := recorded(s, device), 0, int64(-1)
	peer := uint32(q.Attr.DestQPNum)
	if q.Attr.Mask&verbs.AttrDestQPN == 0 { // the connection manager has connected it
		peer = answering(all, q)
	}
	for i := len(all) - 1; i >= 0 && (len(last) < lastPackets || answered >= 0); i-- {
		h, to, bth := &all[i], uint32(q.Num), wire.BTH{}
		if h.Outgoing {
			to = peer
		}
		if bth.Decode(h.Head[:]) != nil || bth.DestQP != to {
			continue
		}
		p := packet{at: h.At.Sub(s.Start), outgoing: h.Outgoing}
		switch found := h.Outgoing && int64(bth.PSN) == answered; {
		case found:
			p.mark, answered = "answered by the NAK", -1
		case len(last) >= lastPackets:
			continue
		}
		whole := make([]byte, h.Len) // a payload is not recorded, but its length is told
		copy(whole, h.Head[:])
		_ = p.Decode(whole) // what cannot be decoded is left out of the summary
		if p.nak() {
			p.mark = "NAK"
			// which asks for a packet that is lost
			if naks++; naks == 1 && p.AETH.Syndrome != wire.NAK(wire.NAKPSNSequence) {
				answered = int64(bth.PSN)
			}
		}
		last = append(last, p)
	}
	slices.Reverse(last)
	return last
}

// answering returns the number of the queue pair whose answers have come to q: that to which a packet went with the
// packet sequence number of the newest answer. It returns 0 if there is none.
func answering(all []verbs.PacketHead, q *core.QPView) uint32 {
	psn, found := wire.PSN(0), false
	for i := len(all) - 1; i >= 0; i-- {
		bth := wire.BTH{}
		if bth.Decode(all[i].Head[:]) != nil {
			continue
		}
		info, _ := bth.Opcode.Info()
		switch {
		case !found:
			psn, found = bth.PSN, info.Response && !all[i].Outgoing && bth.DestQP == uint32(q.Num)
		case all[i].Outgoing && !info.Response && bth.PSN == psn:
			return bth.DestQP
		}
	}
	return 0
}

// recorded returns the packets that a device has recorded; only software devices do.
func recorded(s *core.Session, device string) []verbs.PacketHead {
	for _, p := range s.Opts.Providers {
		if r, ok := p.(verbs.PacketRecorder); ok {
			if all, err := r.RecordedPackets(device); err == nil {
				return all
			}
		}
	}
	return nil
}

// packetRows are the last packets.
func (x *facts) packetRows() (rows [][]string) {
	for i := range x.packets {
		p, way := &x.packets[i], "in"
		if p.outgoing {
			way = "out"
		}
		rows = append(rows, []string{seconds(p.at), way, string(p.AppendSummary(nil)), p.mark})
	}
	return rows
}
