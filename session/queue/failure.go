package queue

import (
	"rdmatui/session/core"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// Posted is the command that posted a request, kept beside the request to explain how it ended.
type Posted struct {
	Line  string        // with names and defaults replaced by their values
	Check string        // what was found against it beforehand, "" for nothing
	WR    *verbs.SendWR // nil: a RECV
	AH    string        // the address handle of a datagram, "" without one
}

// Failure is a completion that failed, with what is remembered of its request.
type Failure struct {
	Completion *timeline.Completion // its Cause may be filled in
	QP         *QP                  // nil: none of this session
	Request    Request
	Known      bool // Request is the one that failed
}

// explainer is what OnFailure has set for a session.
type explainer struct{ take func([]Failure) }

// OnFailure has take called with the completions that failed, before anything else learns of them. It is set once, before
// the session's first command. The slice is good during the call, which the queue's poller waits for.
func OnFailure(s *core.Session, take func([]Failure)) { core.Part[explainer](s, nil).take = take }

// Explain fills in why completions failed that Match has looked at since it was last called.
func (q *CQ) Explain(s *core.Session) {
	if take := core.Part[explainer](s, nil).take; take != nil && len(q.failed) > 0 {
		take(q.failed)
	}
	clear(q.failed)
	q.failed = q.failed[:0]
}
