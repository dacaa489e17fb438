package script_test

import (
	"errors"
	"strings"
	"testing"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/session/sessiontest"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// TestExpectHeedsQueueAndQueuePair: a completion of another queue or queue pair does
// not match.
func TestExpectHeedsQueueAndQueuePair(t *testing.T) {
	for line, want := range map[string]bool{
		"expect wc wr_id=7":                        true,
		"expect wc wr_id=7 cq=cq":                  true,
		"expect wc wr_id=7 cq=other":               false,
		"expect wc wr_id=7 qp=qp":                  true,
		"expect wc wr_id=7 qp=u":                   false,
		"expect wc wr_id=7 cq=other qp=qp":         false,
		"expect wc wr_id=7 cq=cq qp=qp status=any": false,
	} {
		s, _ := sessiontest.NewFaked(t, core.Options{})
		sessiontest.RunScript(t, s, sessiontest.Everything+"create_cq other\n")
		queue.Seen(s.Core()).Add([]timeline.Completion{{CQ: "cq", QP: "qp", WC: verbs.WC{WRID: 7}}})
		if _, err := s.Exec(t.Context(), line); (err == nil) != want {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// TestFindOfAKind: a name refers to an object of a suitable kind, or to none.
func TestFindOfAKind(t *testing.T) {
	var g core.Graph
	pd := &core.Node{Name: "x", Kind: command.KindPD}
	g.Add(pd)
	for _, kinds := range [][]command.ObjectKind{nil, {command.KindPD}, {command.KindMR, command.KindPD}} {
		if n, err := g.Find("x", kinds...); n != pd || err != nil {
			t.Errorf("%v: %v, %v", kinds, n, err)
		}
	}
	n, err := g.Find("x", command.KindMR, command.KindQP)
	var wrong *core.NameError
	if n != nil || !errors.As(err, &wrong) || wrong.Is != command.KindPD ||
		!strings.Contains(err.Error(), `"x" is a pd, an mr or a qp is needed`) {
		t.Errorf("%v, %v", n, err)
	}
	if n, err := g.Find("y", command.KindPD); n != nil || !errors.As(err, &wrong) || wrong.Is != "" {
		t.Errorf("%v, %v", n, err)
	}
}
