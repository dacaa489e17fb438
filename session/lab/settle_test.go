package lab

import (
	"context"
	"testing"
	"testing/synctest"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/core/coretest"
	"rdmatui/session/queue"
	"rdmatui/verbs"
)

// moving is a queue pair that is in one state after another.
type moving struct {
	verbs.QP
	states []verbs.QPState
	asked  int
}

func (m *moving) Query(verbs.AttrMask) (verbs.QPAttr, verbs.QPInitAttr, error) {
	m.asked++
	if len(m.states) > 1 {
		m.states = m.states[1:]
	}
	return verbs.QPAttr{QPState: m.states[0]}, verbs.QPInitAttr{}, nil
}

// TestSettles: the state of a queue pair is noted when it is one that the queue pair may stay in, or when nobody waits
// any more.
func TestSettles(t *testing.T) {
	exp, err := Find("remote-pd")
	if err != nil {
		t.Fatal(err)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	for name, tt := range map[string]struct {
		ctx    context.Context
		states []verbs.QPState
		line   string
		want   string
		asked  int
	}{
		"there already": {context.Background(), []verbs.QPState{verbs.QPErr}, "query_qp a", "ERR", 0},
		"there soon": {context.Background(), []verbs.QPState{verbs.QPRTS, verbs.QPRTS, verbs.QPRTS, verbs.QPErr},
			"query_qp a", "ERR", 3},
		"stopped":        {stopped, []verbs.QPState{verbs.QPRTS}, "query_qp a", "RTS", 0},
		"another object": {context.Background(), []verbs.QPState{verbs.QPRTS}, "query_qp pd", "", 0},
		"another line":   {context.Background(), []verbs.QPState{verbs.QPRTS}, "close a", "", 0},
		"no object":      {context.Background(), []verbs.QPState{verbs.QPRTS}, "query_qp none", "", 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := coretest.New(core.Options{}, nil)
			qp := &moving{states: tt.states}
			q := &queue.QP{Node: &core.Node{Name: "a"}, QP: qp}
			q.Node.Body = q
			queue.SetState(s, q, q.StateAt(), tt.states[0], "test")
			s.Graph.Add(q.Node)
			s.Graph.Add(&core.Node{Name: "pd"})
			r := &Run{exp: exp, trial: trial{s: s}}
			r.lookAt(tt.ctx, command.Read(tt.line))
			if r.seen.states["a"] != tt.want || qp.asked != tt.asked {
				t.Errorf("%s: %s after %d queries", name, r.seen.states["a"], qp.asked)
			}
		})
	}
}
