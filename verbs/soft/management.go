package soft

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

// postMAD has a management datagram sent in the next round. It never waits; one that finds no room is lost, as on any network.
func (e *engine) postMAD(m mad) {
	e.mu.Lock()
	if len(e.mads) < object.MaxMADs {
		e.mads = append(e.mads, m)
	}
	e.mu.Unlock()
	e.wake()
}

// sendMADs turns what collect found into packets.
func (e *engine) sendMADs() {
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
			e.adapter.counts.madsSent.Add(1)
		}
		p := e.packet(m.path)
		p.Data = h.Append(p.Data)
		e.tx = append(e.tx, p)
		e.mailed[i] = mad{}
	}
	e.mailed = e.mailed[:0]
}

// sendLast sends the management datagrams that were posted before the engine was told to end: who closes a connection tells its peer.
func (e *engine) sendLast() {
	e.collect()
	e.sendMADs()
	e.flush()
}

// takeMAD passes a datagram for queue pair 1 on.
func (e *engine) takeMAD(p *link.Packet) {
	const membership = 1 << 15
	h, a := &e.in, e.adapter
	if h.BTH.Opcode != wire.UDSendOnly || h.BTH.TVer != 0 || h.BTH.PKey|membership != object.FullPKey || len(h.Payload) != wire.MADLen ||
		p.Path.Dst.Addr().IsMulticast() {
		a.counts.MADsDropped.Add(1)
		return
	}
	if h.DETH.QKey != wire.QKeyGSI {
		a.counts.qkeyViolations.Add(1)
		return
	}
	a.counts.madsReceived.Add(1)
	if !a.manager.Arrived(a, p.Path, h.Payload) {
		a.counts.MADsDropped.Add(1)
	}
}

// postMAD has a management datagram sent if the adapter is open.
func (a *adapter) postMAD(m mad) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.opens > 0 {
		a.eng.postMAD(m)
	}
}
