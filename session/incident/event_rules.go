package incident

import (
	"fmt"
	"time"

	"rdmatui/session/core"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// leadsTo is the call that an event of the connection manager answers, and the states in which it can come.
var leadsTo = map[string]struct {
	call   string
	states []core.IDState
}{
	"ADDR_RESOLVED":    {"rdma_resolve_addr", []core.IDState{core.IDIdle, core.IDBound}},
	"ROUTE_RESOLVED":   {"rdma_resolve_route", []core.IDState{core.IDAddrResolved}},
	"CONNECT_REQUEST":  {"rdma_listen", []core.IDState{core.IDListening}},
	"CONNECT_RESPONSE": {"rdma_connect", []core.IDState{core.IDConnecting}},
	"ESTABLISHED":      {"rdma_connect or rdma_accept", []core.IDState{core.IDConnecting}},
	"DISCONNECTED":     {"rdma_disconnect of either end", []core.IDState{core.IDConnected}},
}

// eventFailed is for identifiers whose last event reported a failure: no other follows by itself.
func eventFailed(x *facts) *finding {
	id := x.id()
	if id == nil || id.Last == nil || id.State != core.IDError {
		return nil
	}
	text := fmt.Sprintf("the last event of %s was %s", id.Name, id.Last.Type)
	if id.Last.StatusText != "" {
		text += ", " + id.Last.StatusText
	}
	f := &finding{text: text, sure: true}
	if id.Last.Hint != "" {
		f.advice = []string{id.Last.Hint}
	}
	return f
}

// cameBefore is for events that a command has taken before.
func cameBefore(x *facts) *finding {
	id := x.id()
	if id == nil {
		return nil
	}
	for i := len(x.history) - 1; i >= 0; i-- {
		if m := &x.history[i]; m.cm != nil && m.cm.ID == id.Name && m.cm.Type.String() == x.wait.Event {
			return &finding{text: fmt.Sprintf("%s of %s came at %s, and each event is reported once", x.wait.Event,
				id.Name,
				seconds(m.at)), sure: true}
		}
	}
	return nil
}

// idEnded is for identifiers whose connection has ended.
func idEnded(x *facts) *finding {
	id := x.id()
	if id == nil || id.State != core.IDDisconnected || x.wait.Event == "DISCONNECTED" {
		return nil
	}
	text := "the connection of " + id.Name + " has ended"
	if m := x.event(id.Name, verbs.CMDisconnected); m != nil {
		text += ", DISCONNECTED at " + seconds(m.at)
	}
	return &finding{text: text, sure: true, advice: []string{"make a new identifier and connect again"}}
}

// requestUnanswered is for connections whose request waits in this session.
func requestUnanswered(x *facts) *finding {
	id := x.id()
	if id == nil || id.State != core.IDConnecting {
		return nil
	}
	for i := range x.snap.IDs {
		r := &x.snap.IDs[i]
		if r.State == core.IDRequest && r.Peer == id.Local {
			return &finding{text: fmt.Sprintf("%s, the request of %s, waits for an answer", r.Name, id.Name),
				sure:   true,
				advice: []string{"rdma_accept " + r.Name + ", or rdma_reject " + r.Name}}
		}
	}
	return nil
}

// stepMissing is for events that no call has asked for.
func stepMissing(x *facts) *finding {
	id, to := x.id(), leadsTo[x.wait.Event]
	if id == nil || to.call == "" || id.Pending() {
		return nil
	}
	for _, s := range to.states {
		if id.State == s && s != core.IDIdle && s != core.IDBound && s != core.IDAddrResolved {
			return nil
		}
	}
	return &finding{text: fmt.Sprintf("%s is in %s, and %s follows %s", id.Name, id.State, x.wait.Event, to.call),
		sure: true}
}

// stepPending is for calls that the other end, or the fabric, has not answered.
func stepPending(x *facts) *finding {
	id := x.id()
	if id == nil {
		return nil
	}
	for i := range id.Steps {
		st := &id.Steps[i]
		if !st.Pending {
			continue
		}
		f := &finding{text: fmt.Sprintf("%s of %s, to %s, is unanswered for %s", st.Name, id.Name, id.Peer,
			format.Span(time.Since(st.Began))), open: true}
		if st.Name == "connect" {
			f.advice = []string{"a program must listen at " + id.Peer.String() + ", and UDP port 4791 must pass"}
		}
		return f
	}
	if id.State == core.IDListening {
		return &finding{text: fmt.Sprintf("no peer has connected to %s, where %s listens", id.Local, id.Name),
			open:   true,
			advice: []string{"rdma_resolve_addr and rdma_connect of a peer must name this address and port"}}
	}
	if id.State == core.IDConnected && x.wait.Event == "DISCONNECTED" {
		return &finding{text: id.Name + " is still connected", sure: true,
			advice: []string{"rdma_disconnect at either end"}}
	}
	return nil
}

// noIdentifier is for channels on which nothing can happen.
func noIdentifier(x *facts) *finding {
	if len(x.snap.IDs) > 0 {
		return nil
	}
	return &finding{text: "no identifier exists, so no event can come", sure: true,
		advice: []string{"rdma_create_id makes one"}}
}

// async are the conditions of asynchronous events of queue pairs and shared receive queues.
var async = map[string]func(*facts) *finding{
	"SRQ_LIMIT_REACHED":   srqLimit,
	"QP_LAST_WQE_REACHED": lastWQE,
	"SQ_DRAINED":          func(x *facts) *finding { return x.needsState("SQ_DRAINED", verbs.QPSQD) },
	"COMM_EST":            func(x *facts) *finding { return x.needsState("COMM_EST", verbs.QPRTR) },
	"PORT_ACTIVE":         func(x *facts) *finding { return x.portIs(verbs.PortActive) },
	"PORT_ERR":            func(x *facts) *finding { return x.portIs(portDown) },
}

// portDown is the state of a port without a link.
const portDown verbs.PortState = 1

func asyncCondition(x *facts) *finding {
	if find := async[x.wait.Event]; find != nil {
		return find(x)
	}
	return nil
}

// srqLimit is for SRQs whose limit is not armed, or not reached.
func srqLimit(x *facts) *finding {
	for i := range x.snap.SRQs {
		q := &x.snap.SRQs[i]
		switch {
		case !x.concerns(q.Name):
		case q.Limit == 0:
			return &finding{text: "the limit of " + q.Name + " is not armed", sure: true,
				advice: []string{"modify_srq " + q.Name + " srq_limit=…, again after each event"}}
		case q.RecvPosted >= int(q.Limit):
			return &finding{text: fmt.Sprintf("%s has %s posted, and its limit is %d: the event comes with fewer",
				q.Name,
				format.Counted(q.RecvPosted, "RECV"), q.Limit), sure: true}
		}
	}
	return nil
}

// lastWQE is for queue pairs without an SRQ, or not in ERR.
func lastWQE(x *facts) *finding {
	for i := range x.snap.QPs {
		q := &x.snap.QPs[i]
		if x.concerns(q.Name) && q.SRQ == "" && len(x.wait.Objects) > 1 {
			return &finding{text: q.Name + " has no SRQ, and only queue pairs with one raise QP_LAST_WQE_REACHED",
				sure: true}
		}
	}
	return x.needsState("QP_LAST_WQE_REACHED", verbs.QPErr)
}

// needsState is for queue pairs that are not in the state that leads to an event.
func (x *facts) needsState(event string, state verbs.QPState) *finding {
	for i := range x.snap.QPs {
		q := &x.snap.QPs[i]
		if x.concerns(q.Name) && q.State != state && len(x.wait.Objects) > 1 {
			return &finding{text: fmt.Sprintf("%s is in %s, and %s comes in %s", q.Name, q.State, event, state),
				sure: true}
		}
	}
	return nil
}

// portIs is for ports that are in the state already: only a change raises an event.
func (x *facts) portIs(state verbs.PortState) *finding {
	d := x.snap.Device(x.wait.Of())
	if d == nil || len(d.Ports) == 0 || d.Ports[0].State != state {
		return nil
	}
	return &finding{text: fmt.Sprintf("port 1 of %s is %s already, and only a change raises the event", d.Info.Name,
		state),
		sure: true}
}

// concerns reports whether a wait is about an object: it names it, or none.
func (x *facts) concerns(name string) bool {
	if len(x.wait.Objects) < 2 {
		return true
	}
	for _, o := range x.wait.Objects[1:] {
		if o == name {
			return true
		}
	}
	return false
}
