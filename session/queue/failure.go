package queue

import (
	"rdmatui/session/core"
	"rdmatui/session/device"
)

// explainer holds the callback that OnFailure sets for a session.
type explainer struct{ take func([]Failure) }

// OnFailure makes take the callback for failed completions. It runs before anything else sees them. Set it once, before
// the session's first command. The slice is valid during the call, which blocks the queue's poller.
func OnFailure(s *core.Session, take func([]Failure)) { core.Part[explainer](s, nil).take = take }

// LookAtPorts reads the ports of the open devices again, which may have changed without an event.
func LookAtPorts(s *core.Session) { device.ReadAllPorts(s) }

// Explain sets the causes of the failed completions that Match has seen since the last call.
func (q *CQ) Explain(s *core.Session) {
	if take := core.Part[explainer](s, nil).take; take != nil && len(q.failed) > 0 {
		take(q.failed)
	}
	clear(q.failed)
	q.failed = q.failed[:0]
}
