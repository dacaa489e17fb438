package queue_test

import (
	"encoding/json"
	"runtime"
	"testing"

	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/session/sessiontest"
)

// TestCQStatsForPrograms: the event's JSON holds the result of cq_stats, with numeric
// counts.
func TestCQStatsForPrograms(t *testing.T) {
	s := pairOnSoft(t, true, "64")
	sessiontest.Execute(t, s, "cq_mode cq mode=blocking")
	exchangeOne(t, s, "SIGNALED")
	awaitStats(t, s, "both completions", func(v core.CQView) bool { return v.Stats[core.Blocking].Completions == 2 })
	sessiontest.Execute(t, s, "cq_stats cq")
	events := s.Timeline().Snapshot()
	var got struct {
		Line string
		Data queue.CQReport
	}
	if err := json.Unmarshal(events[len(events)-1].AppendJSON(nil), &got); err != nil || got.Line != "cq_stats cq" {
		t.Fatalf("%+v, %v", got, err)
	}
	r := got.Data
	w := r.Ways["blocking"]
	if r.CQ != "cq" || r.CQE != 64 || r.Mode != "blocking" || r.Fill == nil || *r.Fill != 0 ||
		*r.Peak == 0 || w.Completions != 2 {
		t.Errorf("%+v", r)
	}
	if runtime.GOOS == "linux" && (w.CPU == nil || w.Wall == nil || w.CPUOfCompletion == nil) {
		t.Errorf("the CPU time is missing: %+v", w)
	}
}

// TestCQStatsOfStream: a command that takes completions itself is counted in cq_stats, also in a live session.
func TestCQStatsOfStream(t *testing.T) {
	s := pairOnSoft(t, true, "64")
	sessiontest.Execute(t, s, "reg_mr far length=64 access=LOCAL_WRITE|REMOTE_WRITE")
	sessiontest.Execute(t, s, "post_send a RDMA_WRITE sge=mr:0:8 remote_addr=far.addr rkey=far.rkey count=100 outstanding=4 send_flags=SIGNALED")
	awaitStats(t, s, "all completions", func(v core.CQView) bool {
		return sessiontest.TakenInAll(v) == 100 && v.Stats[core.ByHand].Completions > 0
	})
}
