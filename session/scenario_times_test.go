package session

import (
	"testing"
	"time"

	"rdmatui/session/queue"
	"rdmatui/session/scenario"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// TestTimesOfTheLastRequest: packets are searched only for the request that the queue pair's post time belongs to, and
// only if its completion was recorded in time.
func TestTimesOfTheLastRequest(t *testing.T) {
	s := newPair(t)
	sent := time.Second
	s.core.Graph.ByName["a"].Body.(*queue.QP).Sent.Store(int64(sent))
	const latency = 3 * time.Millisecond
	for name, tt := range map[string]struct {
		qp     string
		late   time.Duration // in addition to the post and the latency
		looked bool
	}{
		"told at once":       {"a", 0, true},
		"told just in time":  {"a", scenario.Slack, true},
		"told late":          {"a", scenario.Slack + 1, false},
		"another went after": {"a", -1, false},
		"no queue pair":      {"src", 0, false},
		"gone":               {"x", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			e := &timeline.Event{T: sent + latency + tt.late, WC: timeline.Completion{QP: tt.qp, Opcode: verbs.WRSend, Latency: latency}}
			times := scenario.TimesOf(s.core, e)
			if polled := times.Stages[scenario.StagePolled]; !polled.Known || polled.After != latency {
				t.Errorf("%+v", polled)
			}
			if looked := times.Stages[scenario.StageSent].Note != ""; looked != tt.looked {
				t.Errorf("%+v", times.Stages[scenario.StageSent])
			}
		})
	}
}
