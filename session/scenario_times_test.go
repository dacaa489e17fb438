package session

import (
	"testing"
	"time"

	"rdmatui/session/queue"
	"rdmatui/session/scenario"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// Packets are searched only for the queue pair's last completed request, however late the completion was recorded.
func TestTimesOfTheLastRequest(t *testing.T) {
	s := newPair(t)
	sent := time.Second
	s.core.Graph.ByName["a"].Body.(*queue.QP).Sent.Store(int64(sent))
	const latency = 3 * time.Millisecond
	for name, tt := range map[string]struct {
		qp     string
		posted time.Duration
		late   time.Duration // between taking the completion and recording it
		looked bool
	}{
		"recorded at once":     {"a", sent, 0, true},
		"recorded late":        {"a", sent, time.Second, true},
		"another has followed": {"a", sent - 1, 0, false},
		"not a queue pair":     {"src", sent, 0, false},
		"gone":                 {"x", sent, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			e := &timeline.Event{T: tt.posted + latency + tt.late, WC: timeline.Completion{QP: tt.qp, Opcode: verbs.WRSend, Posted: tt.posted, Latency: latency}}
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
