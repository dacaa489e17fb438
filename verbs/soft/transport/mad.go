package transport

import (
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

// mad is a management datagram to send, or another packet of the connection manager.
type mad struct {
	path  *link.Path
	data  []byte    // wire.MADLen bytes, which no longer change
	probe *wire.BTH // for a packet without payload instead; nil for a datagram
}

// SendMAD queues a management datagram for the next round; the caller must no longer change data.
func (e *Engine) SendMAD(path *link.Path, data []byte) { e.postMAD(mad{path: path, data: data}) }

// postMAD queues a packet for the next round. It never blocks; if the queue is full the packet is lost, as on any network.
func (e *Engine) postMAD(m mad) {
	e.mu.Lock()
	if len(e.mads) < object.MaxMADs {
		e.mads = append(e.mads, m)
	}
	e.mu.Unlock()
	e.Wake()
}

// sendMADs turns the collected datagrams into packets.
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

// sendLast sends the management datagrams that were posted before the engine was stopped: a program that closes a connection notifies its
// peer.
func (e *Engine) sendLast() {
	e.collect()
	e.sendMADs()
	e.flush()
}
