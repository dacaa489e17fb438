package session

import (
	"fmt"

	"rdmatui/session/core"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/choice"
)

// The methods below are called with Session.mu held.

// port returns what was last read of a port; the zero value for one that the
// device does not have.
func (d *device) port(num uint8) verbs.PortAttr {
	if num >= 1 && int(num) <= len(d.ports) {
		return d.ports[num-1]
	}
	return verbs.PortAttr{}
}

// usualPort is the port that a line means where it names none: the one that
// open_device named, or the first that is ACTIVE now.
func (d *device) usualPort() choice.ChosenPort {
	if d.onPort != 0 {
		return choice.ChosenPort{PortNum: d.onPort, Why: "named at open_device"}
	}
	states := make([]verbs.PortState, len(d.ports))
	for i := range d.ports {
		states[i] = d.ports[i].State
	}
	return choice.Port(states)
}

// portArg is the port that a line names, or the usual one.
func portArg(c *core.Call, d *device) uint8 {
	if !c.Cmd.Has("port_num") {
		c.Choose("port_num", fmt.Sprint(d.usualPort().PortNum))
	}
	return uint8(c.Cmd.Uint("port_num"))
}

// port is the port that the queue pair is on, or will be.
func (q *QP) port() uint8 { return q.portChoice().PortNum }

func (q *QP) portChoice() choice.ChosenPort {
	switch {
	case q.onPort() != 0:
		return choice.ChosenPort{PortNum: q.onPort(), Why: "the port that it is on"}
	case q.id != nil && q.id.at.port != 0:
		return choice.ChosenPort{PortNum: q.id.at.port, Why: "the port of " + q.id.Name}
	}
	return q.pd.dev.usualPort()
}

// onPort is the port that the queue pair is on; 0: none yet. In RESET drivers may
// tell of any.
func (q *QP) onPort() uint8 {
	if q.stateNow() == verbs.QPReset {
		return 0
	}
	return q.attr.PortNum
}

// datagramPort is the port that the datagram queue pairs of a domain are on: an
// address handle serves those of its own port alone. Where they are on none or on
// several, it is the usual one.
func datagramPort(s *core.Session, pd *PD) uint8 {
	var port uint8
	for _, n := range s.Graph.Nodes {
		q, ok := n.Body.(*QP)
		if !ok || q.pd != pd || q.spec.QPType != verbs.UD || q.onPort() == 0 {
			continue
		}
		if port != 0 && port != q.onPort() {
			return pd.dev.usualPort().PortNum
		}
		port = q.onPort()
	}
	if port == 0 {
		return pd.dev.usualPort().PortNum
	}
	return port
}

// needsGRH reports whether every path from the port must have a GRH.
func (d *device) needsGRH(port uint8) bool {
	p := d.port(port)
	return p.LinkLayer == verbs.LinkEthernet || p.Flags&verbs.PortGRHRequired != 0 ||
		p.LinkLayer == verbs.LinkUnspecified && p.LID == 0 // EFA has no LIDs, and says nothing of its link
}

// checkPort warns of a port that carries no packets.
func checkPort(c *core.Call, d *device, num uint8) {
	p, usual := d.port(num), d.usualPort()
	if int(num) > len(d.ports) || num == 0 {
		c.Warn("the device has no port %d", num)
		return
	}
	if p.State == verbs.PortActive {
		return
	}
	if err := d.why[num-1]; err != nil {
		c.Warn("port %d is unreadable: %s", num, core.Wording(err))
		return
	}
	text := fmt.Sprintf("port %d is %s: it carries no packets", num, p.State)
	if d.port(usual.PortNum).State == verbs.PortActive {
		text += fmt.Sprintf("; port %d is ACTIVE", usual.PortNum)
	}
	c.Warn("%s", text)
}

// notePortDown warns once of a queue pair whose port carries no packets: what it sends
// would end as RETRY_EXC_ERR, or not at all, without a word of why. It may warn again
// when the port has been seen ACTIVE.
func notePortDown(s *core.Session, q *QP) {
	s.Mu.Lock()
	d := q.pd.dev
	p := d.port(q.port())
	down := p.PortNum != 0 && p.State != verbs.PortActive
	tell := down && !q.portDown
	q.portDown = down
	s.Mu.Unlock()
	if tell {
		s.Note(timeline.LevelWarn, "port %d of %s is %s: what %s sends does not arrive", p.PortNum, d.Name, p.State, q.Name)
	}
}
