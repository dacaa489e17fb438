package cm

import (
	"net/netip"
	"slices"
	"syscall"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

// State is a connection's state; IBA 12.9.5 to 12.9.7.
type State uint8

const (
	StateIdle            State = iota // not started, or over
	StateREQSent                      // sent by this side
	StateREQAcknowledged              // an MRA arrived for the REQ
	StateREQReceived                  // sent by the peer
	StateREPReceived                  // the program must establish the connection
	StateREPSent                      // this side has accepted
	StateREPAcknowledged              // an MRA arrived for the REP
	StateEstablished                  // data can be transferred
	StateDREQSent                     // this side disconnects
	StateDREQReceived                 // the peer disconnects
	StateTimewait                     // late packets may still arrive
	StateSIDRSent                     // this side asks for a service
	StateSIDRReceived                 // the peer asks for a service
	StateSIDRAnswered                 // the answer is kept for a repeated request
)

// conn is a connection, possibly not established yet, in the view of the two managers. It outlives its identifier for
// the time-wait. manager.mu guards it.
type conn struct {
	manager *Manager
	id      *ID // nil: closed
	device  Device
	path    *link.Path // to the peer's manager
	state   State
	tid     uint64 // of the current transaction

	localID, remoteID    uint32
	remoteGUID           verbs.GUID
	localQPN, remoteQPN  uint32
	rqPSN, sqPSN         wire.PSN
	responder, initiator uint8
	retryCount, rnrRetry uint8
	mtu                  verbs.MTU
	timeout              uint8 // of the queue pair
	service              uint64

	timer   *time.Timer
	armed   int           // times that the timer was set or stopped
	message wire.CMBody   // sent repeatedly until it is answered
	left    int           // remaining repetitions
	period  time.Duration // between them
	answer  wire.CMBody   // sent in response to a duplicate
	repeats int           // copies of a request that may still extend its lifetime
	spacing time.Duration // maximum time between them
	doubted int           // if the peer seems to have restarted: 1 plus the remaining probes; else 0
}

// newConn creates a connection for an identifier, with a path to the peer's address.
func (m *Manager) newConn(id *ID, to netip.Addr) (*conn, error) {
	a := id.device
	path, err := link.NewPath(netip.AddrPortFrom(id.local.Addr(), a.SourcePort()), netip.AddrPortFrom(to, wire.Port))
	if err != nil {
		return nil, syscall.EINVAL
	}
	c := &conn{
		manager: m, id: id, device: a, path: path.With(link.Header{TrafficClass: id.tos}), localID: m.commID(),
		rqPSN: wire.PSN(m.Random.Uint32()) & wire.PSNMask,
	}
	m.byLocal[c.localID] = c
	id.conn = c
	return c, nil
}

func (s State) unanswered() bool { return s == StateREQReceived || s == StateSIDRReceived }

// enter changes the state and stops any repeated message.
func (c *conn) enter(s State) {
	c.stop()
	c.manager.count(c, s)
	c.state, c.doubted = s, 0
}

// stop stops the timer; a callback that is already running detects that it is late.
func (c *conn) stop() {
	c.armed++
	if c.timer != nil {
		c.timer.Stop()
	}
}

// after calls do unless the timer is stopped or set again within d.
func (c *conn) after(d time.Duration, do func()) {
	c.stop()
	armed := c.armed
	c.timer = time.AfterFunc(d, func() {
		defer c.manager.Crashed.Catch()
		c.manager.mu.Lock()
		defer c.manager.mu.Unlock()
		if c.armed == armed {
			do()
		}
	})
}

// send sends a message once.
func (c *conn) send(body wire.CMBody) { c.manager.send(c.device, c.path, c.tid, body) }

// ask sends a message until it is answered, repeating it at most retries times.
func (c *conn) ask(s State, body wire.CMBody, retries int, period time.Duration) {
	c.enter(s)
	c.message, c.left, c.period = body, retries, period
	c.send(body)
	c.after(period, c.again)
}

func (c *conn) again() {
	if c.left == 0 {
		c.giveUp()
		return
	}
	c.left--
	c.send(c.message)
	c.after(c.period, c.again)
}

// giveUp handles a message that nobody answered.
func (c *conn) giveUp() {
	timedOut := -int(syscall.ETIMEDOUT)
	if c.state == StateDREQSent {
		c.timewait()
		c.disconnected(timedOut)
		return
	}
	c.forget()
	c.tell(verbs.CMEvent{Type: verbs.CMUnreachable, Status: timedOut})
}

// tell puts an event on the identifier's channel, unless the identifier is closed.
func (c *conn) tell(ev verbs.CMEvent) {
	if c.id != nil {
		c.id.tell(ev)
	}
}

// disconnected reports once that the connection has ended.
func (c *conn) disconnected(status int) {
	c.tell(verbs.CMEvent{Type: verbs.CMDisconnected, Status: status})
	if c.id != nil {
		c.id.state = idDisconnected
	}
}

// remember registers the peer of the connection, so that its messages find the connection. It returns the other
// connection if one has the same communication ID or the same remote queue pair.
func (c *conn) remember(guid [8]byte, commID, qpn uint32) (other *conn) {
	from := c.path.Dst.Addr()
	byID, byQP := remoteID{from, guid, commID}, remoteQP{from, guid, qpn}
	m := c.manager
	if other := m.byRemote[byID]; other != nil {
		return other
	}
	if other := m.byQP[byQP]; other != nil {
		return other
	}
	c.remoteGUID, c.remoteID, c.remoteQPN = guid, commID, qpn
	m.byRemote[byID], m.byQP[byQP] = c, c
	return nil
}

// forget ends the connection without a time-wait.
func (c *conn) forget() {
	c.enter(StateIdle)
	m, from := c.manager, c.path.Dst.Addr()
	delete(m.byLocal, c.localID)
	if byID := (remoteID{from, c.remoteGUID, c.remoteID}); m.byRemote[byID] == c {
		delete(m.byRemote, byID)
	}
	if byQP := (remoteQP{from, c.remoteGUID, c.remoteQPN}); m.byQP[byQP] == c {
		delete(m.byQP, byQP)
	}
	if asker := (sidrAsker{from, c.remoteID}); m.bySIDR[asker] == c {
		delete(m.bySIDR, asker)
	}
}

// timewait keeps the connection's identifiers reserved, so that late packets are recognized; IBA 12.9.8.4.
func (c *conn) timewait() {
	c.enter(StateTimewait)
	c.device.RestNumber(c.localQPN, time.Now().Add(restTime))
	late := c.late()
	if c.manager.resting > MaxResting {
		c.device.Counters().TimewaitsCut.Add(1)
		late = 0
	}
	c.after(late, func() {
		c.forget()
		if c.id != nil && c.id.state == idDisconnected {
			c.id.tell(verbs.CMEvent{Type: verbs.CMTimewaitExit})
		}
	})
}

// establish completes the connection on the passive side, when the RTU or the peer's first packet arrives.
func (c *conn) establish() {
	if c.state == StateREPSent || c.state == StateREPAcknowledged {
		c.enter(StateEstablished)
		c.tell(verbs.CMEvent{Type: verbs.CMEstablished})
	}
}

// hangUp asks the peer to disconnect.
func (c *conn) hangUp() {
	c.tid = c.manager.agent | uint64(c.localID)
	c.ask(StateDREQSent, c.dreq(), MaxRetries, 2*Span(packetLifetime)+Span(responseTimeout))
}

func (c *conn) dreq() *wire.CMDreq {
	return &wire.CMDreq{LocalCommID: c.localID, RemoteCommID: c.remoteID, RemoteQPN: c.remoteQPN}
}

// answerDREQ confirms the peer's disconnect request.
func (c *conn) answerDREQ() {
	c.send(&wire.CMDrep{LocalCommID: c.localID, RemoteCommID: c.remoteID})
	c.timewait()
}

// refuse sends a REJ with the reason.
func (c *conn) refuse(reason verbs.CMRejectReason, info, private []byte) {
	rej := &wire.CMRej{
		LocalCommID: c.localID, RemoteCommID: c.remoteID, Message: wire.CMResponseOther,
		Reason: uint16(reason), InfoLen: uint8(len(info)),
	}
	switch c.state {
	case StateREQReceived:
		rej.Message = wire.CMResponseREQ
	case StateREPReceived:
		rej.Message = wire.CMResponseREP
	}
	copy(rej.Info[:], info)
	copy(rej.PrivateData[:], private)
	c.send(rej)
}

// abandon ends the connection of a closed identifier and notifies the peer once.
func (c *conn) abandon() {
	switch c.state {
	case StateREQSent, StateREQAcknowledged:
		guid := c.device.GUID()
		c.refuse(verbs.RejectTimeout, guid[:], nil)
		c.forget()
	case StateREQReceived, StateREPReceived, StateREPSent, StateREPAcknowledged:
		if c.state == StateREQReceived {
			c.device.Counters().RequestsUnanswered.Add(1)
		}
		c.refuse(verbs.RejectConsumerDefined, nil, nil)
		c.forget()
	case StateEstablished:
		c.tid = c.manager.agent | uint64(c.localID)
		c.send(c.dreq())
		c.timewait()
	case StateDREQSent:
		c.timewait()
	case StateDREQReceived:
		c.answerDREQ()
	case StateSIDRReceived:
		c.device.Counters().RequestsUnanswered.Add(1)
		c.answerSIDR(&wire.CMSidrRep{Status: wire.CMSidrReject})
	case StateSIDRSent:
		c.forget()
	}
	c.id.conn, c.id = nil, nil
}

// is reports whether the connection is in one of the states.
func (c *conn) is(states ...State) bool { return slices.Contains(states, c.state) }

// late returns how long packets of the connection may still be in transit. It is derived from the timeout, which
// includes the peer's announced delay.
func (c *conn) late() time.Duration { return lateAfter(c.timeout) }
