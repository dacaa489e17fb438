package queue

import (
	"rdmatui/session/core"
	"rdmatui/session/region"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/route"
)

// Session.mu is held when the methods below are called.

// Port returns the port that the queue pair is on, or will be.
func (q *QP) Port() uint8 { return q.PortChoice().PortNum }

// PortChoice returns the port that the queue pair is on, or will be, and why.
func (q *QP) PortChoice() route.ChosenPort {
	switch {
	case q.onPort() != 0:
		return route.ChosenPort{PortNum: q.onPort(), Why: "the port of the queue pair"}
	case q.ID != nil && q.ID.OnPort() != 0:
		return route.ChosenPort{PortNum: q.ID.OnPort(), Why: "the port of " + q.ID.Object().Name}
	}
	return q.PD.Device.UsualPort()
}

// onPort returns the port that the queue pair is on; 0: none yet. In RESET a driver
// may report any port.
func (q *QP) onPort() uint8 {
	if q.StateNow() == verbs.QPReset {
		return 0
	}
	return q.Attr.PortNum
}

// datagramPort returns the port of the domain's datagram queue pairs: an address
// handle works only on its own port. If they have none, or several, it is the default
// port.
func datagramPort(s *core.Session, pd *region.PD) uint8 {
	var port uint8
	for _, n := range s.Graph.Nodes {
		q, ok := n.Body.(*QP)
		if !ok || q.PD != pd || q.Spec.QPType != verbs.UD || q.onPort() == 0 {
			continue
		}
		if port != 0 && port != q.onPort() {
			return pd.Device.UsualPort().PortNum
		}
		port = q.onPort()
	}
	if port == 0 {
		return pd.Device.UsualPort().PortNum
	}
	return port
}

// NotePortDown warns once about a queue pair whose port is down: its requests would
// end with RETRY_EXC_ERR, or silently not arrive. It can warn again after the port
// has been ACTIVE.
func NotePortDown(s *core.Session, q *QP) {
	s.Mu.Lock()
	d := q.PD.Device
	p := d.Port(q.Port())
	down := p.PortNum != 0 && p.State != verbs.PortActive
	tell := down && !q.portDown
	q.portDown = down
	s.Mu.Unlock()
	if tell {
		s.Note(timeline.LevelWarn, "port %d of %s is %s: packets of %s do not arrive", p.PortNum,
			d.Name, p.State, q.Name)
	}
}
