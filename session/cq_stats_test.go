package session

import (
	"encoding/json"
	"runtime"
	"testing"
	"time"

	"rdmatui/session/core"
)

// What cq_stats tells a program is in the event's JSON, with the counts as numbers.
func TestCQStatsForPrograms(t *testing.T) {
	s := pairOnSoft(t, true, "64")
	execute(t, s, "cq_mode cq mode=blocking")
	exchangeOne(t, s, "SIGNALED")
	awaitStats(t, s, "both completions", func(v core.CQView) bool { return v.Stats[core.Blocking].Completions == 2 })
	execute(t, s, "cq_stats cq")
	events := s.Timeline().Snapshot()
	var got struct {
		Line string
		Data cqReport
	}
	if err := json.Unmarshal(events[len(events)-1].AppendJSON(nil), &got); err != nil || got.Line != "cq_stats cq" {
		t.Fatalf("%+v, %v", got, err)
	}
	r := got.Data
	w := r.Ways["blocking"]
	if r.CQ != "cq" || r.CQE != 64 || r.Mode != "blocking" || r.Fill == nil || *r.Fill != 0 || *r.Peak == 0 || w.Completions != 2 {
		t.Errorf("%+v", r)
	}
	if _, known := threadTime(); known && (w.CPU == nil || w.Wall == nil || w.CPUOfCompletion == nil) {
		t.Errorf("the CPU time is missing: %+v", w)
	}
}

// TestCPUBeforePolling: what a thread did before it began to poll a queue does not count.
func TestCPUBeforePolling(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begun, known := threadTime()
	if !known {
		t.Skip("the CPU time of a thread is not known here")
	}
	for now := begun; now < begun+50*time.Millisecond; now, _ = threadTime() {
	}
	taker := &taker{s: &core.Session{}, q: &CQ{}, told: time.Now()}
	taker.begin()()
	if c := taker.q.taking.stats[taker.mode]; c.CPU >= 50*time.Millisecond {
		t.Errorf("%s were counted", c.CPU)
	}
}

// Of what was not measured nothing is told.
func TestCQStatsUnmeasured(t *testing.T) {
	st := core.CQStats{FirstFull: 1, Completions: 2}
	if r := reportOf(&st); r.CPU != nil || r.Wall != nil || r.CPUOfCompletion != nil || r.Completions != 2 {
		t.Errorf("%+v", r)
	}
	if want := "completions=2 first_poll_nonempty=1 first_poll_empty=0 second_poll_nonempty=0 second_poll_empty=0 events=0 acked=0 empty_reads=0"; st.String() != want {
		t.Errorf("%q", st.String())
	}
}
