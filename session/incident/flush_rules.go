package incident

import (
	"fmt"
	"strings"

	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// flushedAfter is the cause of a request flushed after an earlier failure: it names that
// failure only, whose own cause is shown with it.
func flushedAfter(first *timeline.Completion) *timeline.Cause {
	text := fmt.Sprintf("wr_id %d of %s failed first, with %s", first.WC.WRID, first.QP, first.WC.Status)
	if first.WC.Status == verbs.WCWRFlushErr {
		text = fmt.Sprintf("flushed for the same reason as wr_id %d of %s", first.WC.WRID, first.QP)
	}
	return &timeline.Cause{Incident: first.Cause.Incident, Text: text, Sure: true}
}

// lastMove returns the queue pair's newest change to a state in which requests are
// flushed. A flushed completion may be polled after a reset, but not after the queue pair
// was brought up again.
func (x *facts) lastMove() *moment {
	for i := len(x.history) - 1; i >= 0; i-- {
		m := &x.history[i]
		switch {
		case m.state == nil || m.state.QP != x.ownName() || resets[m.state.To]:
		case m.state.To == verbs.QPErr || m.state.To == verbs.QPSQE:
			return m
		default:
			return nil
		}
	}
	return nil
}

func movedByCommand(x *facts) *finding {
	m := x.lastMove()
	if m == nil || m.line == "" {
		return nil
	}
	text := fmt.Sprintf("%s moved %s to %s while the request was queued", m.by(), x.own.Name, m.state.To)
	if x.known && x.posted() > m.at {
		text = fmt.Sprintf("%s was already in %s when the request was posted (%s)", x.own.Name, m.state.To, m.by())
	}
	return &finding{text: text, sure: true}
}

func disconnected(x *facts) *finding {
	for i := len(x.history) - 1; i >= 0; i-- {
		e := x.history[i].cm
		if e == nil || e.Type != verbs.CMDisconnected {
			continue
		}
		for j := range x.snap.IDs {
			if id := &x.snap.IDs[j]; id.Name == e.ID && id.QP != "" && id.QP == x.ownName() {
				return &finding{
					text: fmt.Sprintf("the connection of %s ended: DISCONNECTED at %s", id.Name,
						seconds(x.history[i].at)), sure: true,
				}
			}
		}
	}
	return nil
}

// refusals are the events of a responder that refused a request.
var refusals = map[verbs.EventType]bool{
	verbs.EventQPAccessErr: true, verbs.EventQPReqErr: true, verbs.EventQPFatal: true,
}

func refusedHere(x *facts) *finding {
	for i := len(x.history) - 1; i >= 0; i-- {
		m := &x.history[i]
		if m.state != nil && m.state.QP == x.ownName() && resets[m.state.To] {
			return nil
		}
		if m.async == nil || m.async.QP != x.ownName() || !refusals[m.async.Type] {
			continue
		}
		f := &finding{
			text: fmt.Sprintf("%s went to ERR and raised the event %s", x.ownName(), m.async.Type),
			sure: true, open: true,
		}
		if x.peer != nil {
			if in := x.failure(x.peer.Name); in != nil && in.Completion.Cause.Text != "" &&
				in.Completion.WC.Status != verbs.WCWRFlushErr {
				f.text, f.open = fmt.Sprintf("%s refused wr_id %d of %s: %s", x.ownName(), in.Completion.WC.WRID,
					x.peer.Name, in.Completion.Cause.Text), in.Completion.Cause.Open
			}
		}
		return f
	}
	return nil
}

// flushedByPort is for drivers that move queue pairs to ERR when their port goes down, as rxe does.
func flushedByPort(x *facts) *finding {
	if x.own == nil {
		return nil
	}
	return x.down(x.own.Device, x.own.Port)
}

func movedOtherwise(x *facts) *finding {
	m := x.lastMove()
	if m == nil || strings.HasPrefix(m.state.Cause, "completion ") || m.state.Cause == "query_qp" {
		return nil // these report the state and did not change it
	}
	return &finding{
		text: fmt.Sprintf("%s went from %s to %s: %s", x.own.Name, m.state.From, m.state.To, m.state.Cause),
		sure: true, open: true,
	}
}

// flushedForSGE is for rxe since kernel 6.4, which flushes a request that the requester
// itself cannot execute.
func flushedForSGE(x *facts) *finding {
	for _, find := range []func(*facts) *finding{localKey, localDomain, localBounds, localWrite} {
		if f := find(x); f != nil {
			f.sure = false
			return f
		}
	}
	return nil
}

// foundBeforehand is the problem that the check found before the request was posted.
func foundBeforehand(x *facts) *finding {
	if !x.known || x.request.Posted == nil || x.request.Posted.Check == "" || x.c.WC.Status == verbs.WCWRFlushErr {
		return nil
	}
	return &finding{text: x.request.Posted.Check, open: true}
}
