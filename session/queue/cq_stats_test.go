package queue

import (
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
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

// TestCQStatsPerCompletion: the CPU time per completion is omitted if there were no completions.
func TestCQStatsPerCompletion(t *testing.T) {
	st := core.CQStats{
		FirstFull: 1, FirstEmpty: 2, SecondFull: 3, SecondEmpty: 4, Events: 5, Acked: 6, EmptyReads: 7,
		CPU: 8 * time.Microsecond, Wall: time.Millisecond, Measured: true,
	}
	for _, tt := range []struct {
		completions uint64
		each        int64 // ns; 0: omitted
		text        string
	}{
		{0, 0, " cpu_us=8 wall_us=1000"}, {1, 8000, " cpu_us=8 wall_us=1000 cpu_ns_per_completion=8000"},
		{4, 2000, " cpu_us=8 wall_us=1000 cpu_ns_per_completion=2000"},
	} {
		st.Completions = tt.completions
		r := reportOf(&st)
		if (r.CPUOfCompletion != nil) != (tt.each > 0) || r.CPUOfCompletion != nil && *r.CPUOfCompletion != tt.each {
			t.Errorf("%d completions: %v ns each, want %d", tt.completions, r.CPUOfCompletion, tt.each)
		}
		if *r.CPU != 8 || *r.Wall != 1000 || r.FirstFull != 1 || r.FirstEmpty != 2 || r.SecondFull != 3 ||
			r.SecondEmpty != 4 || r.Events != 5 || r.Acked != 6 || r.EmptyReads != 7 {
			t.Errorf("%+v", r)
		}
		want := fmt.Sprintf("completions=%d first_poll_nonempty=1 first_poll_empty=2 second_poll_nonempty=3 second_poll_empty=4 events=5 acked=6 empty_reads=7", tt.completions) + tt.text
		if st.String() != want {
			t.Errorf("%s, want %s", &st, want)
		}
	}
}

// TestLookCountsCPU: each look counts the CPU time of the thread since the one before.
func TestLookCountsCPU(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begun, known := threadTime()
	if !known {
		t.Skip("the CPU time of a thread is not available on this system")
	}
	const each = 20 * time.Millisecond
	taker := &taker{s: &core.Session{}, q: &CQ{}, told: time.Now(), cpu: begun, measured: true}
	taker.q.taking.looked = time.Now()
	for n := time.Duration(1); n <= 3; n++ {
		var now time.Duration
		for now < begun+n*each {
			now, _ = threadTime()
		}
		taker.look()
		if c := taker.q.taking.stats[taker.mode]; c.CPU < now-begun || taker.cpu < now || c.CPU != taker.cpu-begun ||
			!c.Measured || c.Wall <= 0 {
			t.Errorf("look %d: %+v of %v", n, c, now-begun)
		}
	}
	taker.measured = false
	cpu := taker.cpu
	for now := cpu; now < cpu+each; now, _ = threadTime() {
	}
	if taker.look(); taker.cpu != cpu {
		t.Error("CPU time was counted although it is not measured")
	}
}

// TestTakingNow: the statistics include the time since the last look while a reader runs.
func TestTakingNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		taking := &taking{mode: core.Busy}
		taking.stats[core.Busy].Wall = time.Second
		time.Sleep(time.Minute)
		if now := taking.Now(); now[core.Busy].Wall != time.Second {
			t.Errorf("without a reader: %v", now[core.Busy].Wall)
		}
		taking.looked = time.Now()
		time.Sleep(time.Minute)
		if now := taking.Now(); now[core.Busy].Wall != time.Minute+time.Second || now[core.Resting].Wall != 0 ||
			taking.stats[core.Busy].Wall != time.Second {
			t.Errorf("%+v", now)
		}
	})
}
