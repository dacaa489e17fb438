package world

import (
	"encoding/binary"

	"rdmatui/verbs/verbstest/sim"
	"rdmatui/verbs/wire"
)

type packet = sim.Packet

// maxRecent is the number of packets stored for replays.
const maxRecent = 128

// sent inspects and counts a packet that was sent.
func (w *world) sent(p *packet) {
	w.secrets.inspect(p)
	w.countRNR(p)
	w.record(p)
	w.countAsk(p)
	if len(w.recent) < maxRecent {
		w.recent = append(w.recent, p)
	} else {
		w.recent[w.Net.Count%maxRecent] = p
	}
}

// rnrCount is the number of consecutive RNR NAKs for one packet of a queue pair.
type rnrCount struct {
	psn   wire.PSN
	times int
}

// isRNRNAK reports whether the packet is an RNR NAK.
func isRNRNAK(p *packet) bool {
	return wire.Opcode(p.Data[0]) == wire.RCAcknowledge && len(p.Data) >= wire.BTHLen+wire.AETHLen &&
		wire.Syndrome(p.Data[wire.BTHLen]).Kind() == wire.SyndromeRNR
}

// countRNR counts the RNR NAKs of a packet.
func (w *world) countRNR(p *packet) {
	if !isRNRNAK(p) {
		return
	}
	psn := wire.PSN(binary.BigEndian.Uint32(p.Data[8:])) & wire.PSNMask
	r := w.rnr[p.DestQP()]
	if r.psn != psn {
		r = rnrCount{psn: psn}
	}
	r.times++
	w.rnr[p.DestQP()] = r
}
