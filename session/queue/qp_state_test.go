package queue

import (
	"testing"

	"rdmatui/session/core"
	"rdmatui/session/core/coretest"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// slowState is a queue pair of which something else happens while its state is read.
type slowState struct {
	verbs.QP
	state verbs.QPState
	then  func() // nil: nothing more
}

func (q *slowState) Query(verbs.AttrMask) (verbs.QPAttr, verbs.QPInitAttr, error) {
	attr := verbs.QPAttr{QPState: q.state}
	if then := q.then; then != nil {
		q.then = nil
		then()
	}
	return attr, verbs.QPInitAttr{}, nil
}

// TestStateOrder: whichever of a command and a reader of events stores last, the state is that of the device.
func TestStateOrder(t *testing.T) {
	modify := func(q *QP, s *core.Session, before StateAt, to verbs.QPState) {
		Modified(&core.Call{S: s}, q, before, &verbs.QPAttr{Mask: verbs.AttrState, QPState: to})
	}
	for _, tt := range []struct {
		name  string
		run   func(*QP, *slowState, *core.Session)
		want  verbs.QPState
		moves int // as events of their own
	}{
		{"reset while an event reads ERR", func(q *QP, dev *slowState, s *core.Session) {
			dev.then = func() {
				before := q.StateAt()
				dev.state = verbs.QPReset
				modify(q, s, before, verbs.QPReset)
			}
			ReadState(s, q, "event")
		}, verbs.QPReset, 0},
		{"an event reads ERR while a modify ends", func(q *QP, dev *slowState, s *core.Session) {
			before := q.StateAt()
			ReadState(s, q, "event")
			modify(q, s, before, verbs.QPRTS)
		}, verbs.QPErr, 1},
		{"an event reads ERR while a query ends", func(q *QP, dev *slowState, s *core.Session) {
			before := q.StateAt()
			ReadState(s, q, "event")
			SetState(s, q, before, verbs.QPRTS, "query_qp")
		}, verbs.QPErr, 1},
		{"a state that has no name", func(q *QP, dev *slowState, s *core.Session) {
			dev.state = 1<<32 - 1
			ReadState(s, q, "event")
			ReadState(s, q, "event")
		}, 1<<32 - 1, 1},
		{"the same state twice", func(q *QP, dev *slowState, s *core.Session) {
			ReadState(s, q, "event")
			ReadState(s, q, "event")
		}, verbs.QPErr, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			moves := 0
			s := coretest.New(core.Options{Out: func(e timeline.Event) {
				if e.State != nil {
					moves++
				}
			}}, nil)
			dev := &slowState{state: verbs.QPErr}
			q := &QP{Node: &core.Node{Name: "qp"}, QP: dev}
			q.state.Store(uint64(verbs.QPRTS))
			tt.run(q, dev, s)
			if got := q.StateNow(); got != tt.want || moves != tt.moves {
				t.Errorf("%s, want %s; %d events of a change, want %d", got, tt.want, moves, tt.moves)
			}
		})
	}
}
