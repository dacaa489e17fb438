package transport

import (
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

// mad is a management datagram to be sent, or another packet that the connection manager sends.
type mad struct {
	path  *link.Path
	data  []byte    // wire.MADLen bytes; it does not change any more
	probe *wire.BTH // of a packet without payload to be sent instead; nil of a datagram
}

// SendMAD has a management datagram sent in the next round, whose data do not change any more.
func (e *Engine) SendMAD(path *link.Path, data []byte) { e.postMAD(mad{path: path, data: data}) }

// postMAD has a packet sent in the next round. It never waits; one that finds no room is lost, as on any network.
func (e *Engine) postMAD(m mad) {
	e.mu.Lock()
	if len(e.mads) < object.MaxMADs {
		e.mads = append(e.mads, m)
	}
	e.mu.Unlock()
	e.Wake()
}

// sendMADs turns what collect found into packets.
func (e *Engine) sendMADs() {
	if len(e.mailed) == 0 {
		return
	}
	for i, m := range e.mailed {
		h := wire.Packet{DETH: wire.DETH{QKey: wire.QKeyGSI, SrcQP: object.GSIQPN}, Payload: m.data}
		if m.probe != nil {
			h.BTH = *m.probe
		} else {
			e.madPSN = e.madPSN.Add(1)
			h.BTH = wire.BTH{Opcode: wire.UDSendOnly, PKey: object.FullPKey, DestQP: object.GSIQPN, PSN: e.madPSN}
			e.adapter.Counts.MADsSent.Add(1)
		}
		p := e.packet(m.path)
		p.Data = h.Append(p.Data)
		e.tx = append(e.tx, p)
		e.mailed[i] = mad{}
	}
	e.mailed = e.mailed[:0]
}

// sendLast sends the management datagrams that were posted before the engine was told to end: who closes a connection tells its peer.
func (e *Engine) sendLast() {
	e.collect()
	e.sendMADs()
	e.flush()
}
