package queue

import (
	"rdmatui/session/core"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// Posted is the command that posted a request. It is kept with the request to explain a failure.
type Posted struct {
	Line  string        // with names and defaults replaced by their values
	Check string        // warnings before the post, "" if there were none
	WR    *verbs.SendWR // nil: a RECV
	AH    string        // address handle of a datagram, "" if it has none
}

// Failure is a failed completion with what is known of its request.
type Failure struct {
	Completion *timeline.Completion // its Cause may be set
	QP         *QP                  // nil: not of this session
	Request    Request
	Known      bool // Request is the failed request
}

// explainer holds the callback that OnFailure sets for a session.
type explainer struct{ take func([]Failure) }

// OnFailure makes take the callback for failed completions. It runs before anything else sees them. Set it once, before
// the session's first command. The slice is valid during the call, which blocks the queue's poller.
func OnFailure(s *core.Session, take func([]Failure)) { core.Part[explainer](s, nil).take = take }

// Explain sets the causes of the failed completions that Match has seen since the last call.
func (q *CQ) Explain(s *core.Session) {
	if take := core.Part[explainer](s, nil).take; take != nil && len(q.failed) > 0 {
		take(q.failed)
	}
	clear(q.failed)
	q.failed = q.failed[:0]
}
