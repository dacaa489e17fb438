package queue

import (
	"runtime"
	"testing"
	"time"

	"rdmatui/session/core"
)

// TestCQStatsUnmeasured: values that were not measured are omitted.
func TestCQStatsUnmeasured(t *testing.T) {
	st := core.CQStats{FirstFull: 1, Completions: 2}
	if r := reportOf(&st); r.CPU != nil || r.Wall != nil || r.CPUOfCompletion != nil || r.Completions != 2 {
		t.Errorf("%+v", r)
	}
	if want := "completions=2 first_poll_nonempty=1 first_poll_empty=0 second_poll_nonempty=0 second_poll_empty=0 events=0 acked=0 empty_reads=0"; st.String() != want {
		t.Errorf("%q", st.String())
	}
}

// TestCPUBeforePolling: CPU time that a thread used before it polled the queue does
// not count.
func TestCPUBeforePolling(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begun, known := threadTime()
	if !known {
		t.Skip("the CPU time of a thread is not available on this system")
	}
	for now := begun; now < begun+50*time.Millisecond; now, _ = threadTime() {
	}
	taker := &taker{s: &core.Session{}, q: &CQ{}, told: time.Now()}
	taker.begin()()
	if c := taker.q.taking.stats[taker.mode]; c.CPU >= 50*time.Millisecond {
		t.Errorf("%s were counted", c.CPU)
	}
}
