package cm

import (
	"errors"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

// errUnexpected means that a message was dropped because nothing waits for it.
var errUnexpected = errors.New("unexpected connection manager message")

// receive handles a message; a message that matches no connection in the right state is dropped. manager.mu is held.
func (m *Manager) receive(in *incoming, body wire.CMBody) error {
	switch b := body.(type) {
	case *wire.CMReq:
		return m.receiveREQ(in, b)
	case *wire.CMRep:
		return m.receiveREP(in, b)
	case *wire.CMDreq:
		return m.receiveDREQ(in, b)
	case *wire.CMRej:
		return m.receiveREJ(in, b)
	case *wire.CMMra:
		return m.receiveMRA(in, b)
	case *wire.CMSidrReq:
		return m.receiveSIDR(in, b)
	case *wire.CMSidrRep:
		return m.receiveSIDRAnswer(in, b)
	case *wire.CMRtu:
		if c := m.find(in, b.RemoteCommID, b.LocalCommID); c != nil && c.is(StateREPSent, StateREPAcknowledged) {
			c.establish()
			return nil
		}
	case *wire.CMDrep:
		if c := m.find(in, b.RemoteCommID, b.LocalCommID); c != nil && c.is(StateDREQSent) {
			c.timewait()
			c.disconnected(0)
			return nil
		}
	}
	return errUnexpected
}

// find returns the connection of a message by its communication IDs, ours first. It returns nil if there is none, or if
// the message is not from the connection's peer. The peer's ID is 0 while unknown.
func (m *Manager) find(in *incoming, local, remote uint32) *conn {
	c := m.byLocal[local]
	if c == nil || c.device != in.device || c.path.Dst.Addr() != in.from.Src.Addr() || remote != 0 &&
		c.remoteID != remote {
		return nil
	}
	return c
}

// reply answers a message that belongs to no connection.
func (m *Manager) reply(in *incoming, body wire.CMBody) error {
	path, err := link.NewPath(reversed(in))
	if err == nil {
		m.send(in.device, path.With(link.Header{TrafficClass: in.from.TrafficClass}), in.tid, body)
	}
	return err
}

// usable reports whether a number is valid for a peer's queue pair.
func usable(qpn uint32) bool { return qpn > object.GSIQPN && qpn < uint32(verbs.MaxQPN) }

// receiveREP handles the reply to our request.
func (m *Manager) receiveREP(in *incoming, rep *wire.CMRep) error {
	c := m.find(in, rep.RemoteCommID, 0)
	switch {
	case c == nil:
		return errUnexpected
	case c.is(StateEstablished) && c.remoteID == rep.LocalCommID && c.answer != nil: // the RTU was lost
		c.send(c.answer)
		return nil
	case c.is(StateREPReceived) && c.remoteID == rep.LocalCommID: // the program has not established it yet
		c.send(&wire.CMMra{LocalCommID: c.localID, RemoteCommID: c.remoteID, Message: wire.CMResponseREP,
			ServiceTimeout: ServiceTimeout})
		return nil
	case !c.is(StateREQSent, StateREQAcknowledged) || rep.LocalCommID == 0 || !usable(rep.LocalQPN):
		return errUnexpected
	}
	if other := c.remember(rep.LocalCAGUID, rep.LocalCommID, rep.LocalQPN); other != nil {
		return m.stale(in, other, wire.CMRej{
			LocalCommID: c.localID, RemoteCommID: rep.LocalCommID, Message: wire.CMResponseREP,
		})
	}
	c.initiator, c.responder = min(c.initiator, rep.ResponderResources), min(c.responder, rep.InitiatorDepth)
	c.sqPSN, c.rnrRetry = rep.StartingPSN, rep.RNRRetryCount
	c.timeout = ackTimeout(rep.TargetACKDelay, max(c.timeout, 1)-1)
	c.enter(StateREPReceived)
	ev := verbs.CMEvent{Type: verbs.CMConnectResponse, Conn: verbs.CMConnParam{
		PrivateData: rep.PrivateData[:], ResponderResources: rep.InitiatorDepth, InitiatorDepth: rep.ResponderResources,
		FlowControl: rep.FlowControl, RNRRetryCount: rep.RNRRetryCount, SRQ: rep.SRQ, QPNum: verbs.QPN(rep.LocalQPN),
	}}
	if c.id.qp != nil {
		ev.Type = verbs.CMEstablished
		if err := c.id.moveUp(); err != nil {
			ev.Type, ev.Status = verbs.CMConnectError, -errnoOf(err)
			c.id.toError()
			c.refuse(verbs.RejectConsumerDefined, nil, nil)
			c.forget()
		} else {
			c.ready()
		}
	}
	c.tell(ev)
	return nil
}

// ready tells the peer that the connection is established.
func (c *conn) ready() {
	c.enter(StateEstablished)
	c.answer = &wire.CMRtu{LocalCommID: c.localID, RemoteCommID: c.remoteID}
	c.send(c.answer)
}

// stale rejects a connection to a remote queue pair that another connection here already has. If the message is
// genuine, the other connection is dead: the peer's host has restarted.
func (m *Manager) stale(in *incoming, other *conn, rej wire.CMRej) error {
	rej.Reason = uint16(verbs.RejectStaleConn)
	if other.is(StateEstablished) && other.device == in.device {
		other.doubt()
	}
	return m.reply(in, &rej)
}

// receiveDREQ handles the peer's disconnect request. An unknown connection has already ended.
func (m *Manager) receiveDREQ(in *incoming, dreq *wire.CMDreq) error {
	c := m.find(in, dreq.RemoteCommID, dreq.LocalCommID)
	if c == nil {
		return m.reply(in, &wire.CMDrep{LocalCommID: dreq.RemoteCommID, RemoteCommID: dreq.LocalCommID})
	}
	if dreq.RemoteQPN != c.localQPN {
		return errUnexpected
	}
	switch c.state {
	case StateREPSent, StateREPAcknowledged, StateEstablished:
		c.tid = in.tid
		c.enter(StateDREQReceived)
		c.disconnected(0)
	case StateDREQSent: // both sides at the same time
		c.tid = in.tid
		c.answerDREQ()
		c.disconnected(0)
	case StateTimewait: // the answer was lost
		c.tid = in.tid
		c.send(&wire.CMDrep{LocalCommID: c.localID, RemoteCommID: c.remoteID})
	default:
		return errUnexpected
	}
	return nil
}

// rejected finds the connection of a REJ. A sender that abandons its request does not know our ID and identifies itself
// by its GUID.
func (m *Manager) rejected(in *incoming, rej *wire.CMRej) *conn {
	if verbs.CMRejectReason(rej.Reason) == verbs.RejectTimeout && rej.InfoLen >= uint8(len(verbs.GUID{})) {
		c := m.byRemote[remoteID{in.from.Src.Addr(), verbs.GUID(rej.Info[:8]), rej.LocalCommID}]
		if c == nil {
			return nil
		}
		return m.find(in, c.localID, rej.LocalCommID)
	}
	if rej.Message == wire.CMResponseREQ {
		return m.find(in, rej.RemoteCommID, 0)
	}
	return m.find(in, rej.RemoteCommID, rej.LocalCommID)
}

// receiveREJ handles a rejection.
func (m *Manager) receiveREJ(in *incoming, rej *wire.CMRej) error {
	c := m.rejected(in, rej)
	ev := verbs.CMEvent{
		Type: verbs.CMRejected, Status: int(rej.Reason), Conn: verbs.CMConnParam{PrivateData: rej.PrivateData[:]},
	}
	switch {
	case c == nil:
		return errUnexpected
	case c.is(StateREQReceived):
		c.lapse(ev)
		return nil
	case c.is(StateDREQSent, StateREPReceived, StateEstablished),
		c.is(StateREQSent, StateREQAcknowledged, StateREPSent, StateREPAcknowledged) &&
			verbs.CMRejectReason(rej.Reason) == verbs.RejectStaleConn:
		c.timewait()
	case c.is(StateREQSent, StateREQAcknowledged, StateREPSent, StateREPAcknowledged):
		c.forget()
	default:
		return errUnexpected
	}
	if c.id != nil {
		c.id.toError()
	}
	c.tell(ev)
	return nil
}

// receiveMRA extends the time that the peer has to answer.
func (m *Manager) receiveMRA(in *incoming, mra *wire.CMMra) error {
	remote := mra.LocalCommID
	if mra.Message == wire.CMResponseREQ {
		remote = 0
	}
	c := m.find(in, mra.RemoteCommID, remote)
	switch {
	case c == nil:
		return errUnexpected
	case c.is(StateREQSent) && mra.Message == wire.CMResponseREQ:
		c.state = StateREQAcknowledged
	case c.is(StateREPSent) && mra.Message == wire.CMResponseREP:
		c.state = StateREPAcknowledged
	default:
		return errUnexpected
	}
	c.after(Span(min(mra.ServiceTimeout, MaxServiceTimeout))+c.late(), c.again)
	return nil
}
