package queue

import (
	"rdmatui/session/core"
	"rdmatui/verbs"
)

// newPSN chooses a random initial PSN.
func (q *QP) newPSN(s *core.Session) { q.PSN, q.spent = verbs.PSN(s.Opts.Rand())&verbs.MaxPSN, false }

// RenewPSN chooses another PSN for a queue pair that was reset after a connection:
// otherwise a late packet of that connection could be accepted in the next one.
// Session.mu is held.
func (q *QP) RenewPSN(s *core.Session) {
	if q.spent && q.StateNow() < verbs.QPRTR {
		q.newPSN(s)
	}
}

// begin stores the PSNs that a modify has set.
func (q *QP) begin(attr *verbs.QPAttr) {
	if attr.Mask&verbs.AttrSQPSN != 0 {
		q.Began.SQ = attr.SQPSN
	}
	if attr.Mask&verbs.AttrRQPSN != 0 {
		q.Began.RQ = attr.RQPSN
	}
	q.Began.Mask |= attr.Mask & (verbs.AttrSQPSN | verbs.AttrRQPSN)
	q.spent = q.spent || q.Began.Mask != 0
}
