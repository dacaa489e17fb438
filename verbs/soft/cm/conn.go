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
	StateIdle            State = iota // not begun, or over
	StateREQSent                      // this side asks
	StateREQAcknowledged              // an MRA came for the REQ
	StateREQReceived                  // the peer asks
	StateREPReceived                  // the program is to establish the connection
	StateREPSent                      // this side has accepted
	StateREPAcknowledged              // an MRA came for the REP
	StateEstablished                  // data may flow
	StateDREQSent                     // this side ends the connection
	StateDREQReceived                 // the peer ends it
	StateTimewait                     // late packets may still come
	StateSIDRSent                     // this side asks for a service
	StateSIDRReceived                 // the peer asks for one
	StateSIDRAnswered                 // the answer is kept for a repeated request
)

// conn is a connection, or one in the making, as the two managers see it. It outlives its identifier for the time-wait. It is guarded by
// manager.mu.
type conn struct {
	manager *Manager
	id      *ID // nil: closed
	device  Device
	path    *link.Path // to the peer's manager
	state   State
	tid     uint64 // of the transaction at hand

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
	armed   int           // how often the timer was set or stopped
	message wire.CMBody   // sent again until it is answered
	left    int           // times
	period  time.Duration // between them
	answer  wire.CMBody   // what a duplicate is answered with
	repeats int           // a request's copies that still prolong its stay
	spacing time.Duration // between them, at most
	doubted int           // where the peer seems to have restarted: 1 and the probes that are left; else 0
}

// newConn makes a connection of an identifier's with a path to the peer's address.
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

// enter changes the state and stops what was sent again and again.
func (c *conn) enter(s State) {
	c.stop()
	c.manager.count(c, s)
	c.state, c.doubted = s, 0
}

// stop stops the timer; what has fired already finds that it is late.
func (c *conn) stop() {
	c.armed++
	if c.timer != nil {
		c.timer.Stop()
	}
}

// after calls what must be done if nothing happens for a time.
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

// ask sends a message until it is answered, at most retries times more.
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

// giveUp is when nobody has answered.
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

// tell puts an event on the identifier's channel, unless it is past that.
func (c *conn) tell(ev verbs.CMEvent) {
	if c.id != nil && c.id.state == idConnecting && !c.id.failed {
		c.id.tell(ev)
	}
}

// disconnected says, once, that the connection has ended.
func (c *conn) disconnected(status int) {
	c.tell(verbs.CMEvent{Type: verbs.CMDisconnected, Status: status})
	if c.id != nil && c.id.state == idConnecting {
		c.id.state = idDisconnected
	}
}

// remember notes whom the connection is with, so that what comes from there finds it. It fails where another connection has the same
// communication ID or the same queue pair at its other end.
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

// timewait keeps the names of the connection, so that what is still on its way is known to be late; IBA 12.9.8.4.
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

// establish makes the passive side's connection complete, be it that the RTU came or the first packet of the peer's.
func (c *conn) establish() {
	if c.state == StateREPSent || c.state == StateREPAcknowledged {
		c.enter(StateEstablished)
		c.tell(verbs.CMEvent{Type: verbs.CMEstablished})
	}
}

// hangUp asks the peer to end the connection.
func (c *conn) hangUp() {
	c.tid = c.manager.agent | uint64(c.localID)
	c.ask(StateDREQSent, c.dreq(), MaxRetries, 2*Span(packetLifetime)+Span(responseTimeout))
}

func (c *conn) dreq() *wire.CMDreq {
	return &wire.CMDreq{LocalCommID: c.localID, RemoteCommID: c.remoteID, RemoteQPN: c.remoteQPN}
}

// answerDREQ agrees with the peer to end the connection.
func (c *conn) answerDREQ() {
	c.send(&wire.CMDrep{LocalCommID: c.localID, RemoteCommID: c.remoteID})
	c.timewait()
}

// refuse says why there will be no connection.
func (c *conn) refuse(reason verbs.CMRejectReason, info, private []byte) {
	rej := &wire.CMRej{LocalCommID: c.localID, RemoteCommID: c.remoteID, Message: wire.CMResponseOther, Reason: uint16(reason), InfoLen: uint8(len(info))}
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

// abandon ends a connection whose identifier is closed: its peer is told once.
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
