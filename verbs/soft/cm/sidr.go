package cm

import (
	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/wire"
)

// askService sends a SIDR_REQ for the datagram service at a port.
func (id *ID) askService(p *verbs.CMConnParam) error {
	if err := id.checkPrivate(p.PrivateData, maxPrivate.connect); err != nil {
		return err
	}
	c, err := id.manager.newConn(id, id.peer.Addr())
	if err != nil {
		return err
	}
	c.tid = id.manager.agent | uint64(c.localID)
	req := &wire.CMSidrReq{RequestID: c.localID, PKey: object.FullPKey, ServiceID: ServiceID(id.space, id.peer.Port())}
	ip := wire.CMIP{Src: id.local, Dst: id.peer.Addr()}
	copy(req.PrivateData[copy(req.PrivateData[:], ip.Append(nil)):], p.PrivateData)
	id.state = idConnecting
	c.ask(StateSIDRSent, req, MaxRetries, Span(responseTimeout))
	return nil
}

// receiveSIDR handles a request for the queue pair of a service.
func (m *Manager) receiveSIDR(in *incoming, req *wire.CMSidrReq) error {
	asker := sidrAsker{in.from.Src.Addr(), req.RequestID}
	if c := m.bySIDR[asker]; c != nil {
		if c.answer == nil || c.device != in.device {
			return errUnexpected
		}
		c.send(c.answer) // the answer was lost
		return nil
	}
	var ip wire.CMIP
	headed := ip.Decode(req.PrivateData[:]) == nil
	listener := m.ports.listener(serviceKey(req.ServiceID), ip.Dst)
	if !headed || listener == nil || !listener.datagrams() || req.ServiceID>>32 != 0 || ip.Dst != in.from.Dst.Addr() ||
		listener.context != nil && listener.device != in.device {
		return m.reply(in, &wire.CMSidrRep{
			RequestID: req.RequestID, Status: wire.CMSidrUnsupported, ServiceID: req.ServiceID,
		})
	}
	c, err := m.newRequest(in, listener, &ip, in.from.TrafficClass)
	if err != nil {
		return err
	}
	m.bySIDR[asker] = c
	c.remoteID, c.service = req.RequestID, req.ServiceID
	c.enter(StateSIDRReceived)
	c.await(MaxRetries, Span(SidrSpacing), 0)
	listener.announce(c, verbs.CMEvent{UD: verbs.CMUDParam{PrivateData: req.PrivateData[wire.CMIPLen:]}})
	return nil
}

// answerSIDR answers a request. Unless there are too many, it keeps the answer for a while for a repeated request.
func (c *conn) answerSIDR(rep *wire.CMSidrRep) {
	rep.RequestID, rep.ServiceID = c.remoteID, c.service
	c.enter(StateSIDRAnswered)
	c.answer = rep
	c.send(rep)
	if len(c.manager.bySIDR) > 2*MaxPending {
		c.device.Counters().SIDRAnswersDropped.Add(1)
		c.forget()
		return
	}
	c.after(restTime, c.forget)
}

// receiveSIDRAnswer handles the answer to our request.
func (m *Manager) receiveSIDRAnswer(in *incoming, rep *wire.CMSidrRep) error {
	c := m.find(in, rep.RequestID, 0)
	valid := rep.Status == wire.CMSidrValid
	if c == nil || !c.is(StateSIDRSent) || valid && !usable(rep.QPN) {
		return errUnexpected
	}
	c.forget()
	ev := verbs.CMEvent{
		Type: verbs.CMUnreachable, Status: int(rep.Status), UD: verbs.CMUDParam{PrivateData: rep.PrivateData[:]},
	}
	if valid {
		ev.Type, ev.UD.AH, ev.UD.QPNum, ev.UD.QKey = verbs.CMEstablished, c.id.AddressVector(c.path.Dst.Addr()),
			verbs.QPN(rep.QPN), rep.QKey
	}
	c.tell(ev)
	return nil
}
