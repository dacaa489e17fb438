package incident

import (
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/queue"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// TestNote: the history keeps events that may explain an incident, and none of a flood of completions, packets and
// notes.
func TestNote(t *testing.T) {
	b := &book{open: map[string]*opened{"a": {}, "b": {}}}
	for _, tt := range []struct {
		event timeline.Event
		kept  bool
	}{
		{timeline.Event{Kind: timeline.KindWC}, false},
		{timeline.Event{Kind: timeline.KindPacket}, false},
		{timeline.Event{Kind: timeline.KindNote}, false},
		{timeline.Event{Kind: timeline.KindCommand, Command: &timeline.CommandDone{Resolved: "modify_qp a ERR"}},
			false},
		{timeline.Event{Kind: timeline.KindState,
			State: &timeline.StateChange{QP: "a", To: verbs.QPErr, Cause: "modify_qp"}}, true},
		{timeline.Event{Kind: timeline.KindState,
			State: &timeline.StateChange{QP: "a", To: verbs.QPReset, Cause: "failure"}}, true},
		{timeline.Event{Kind: timeline.KindAsync, Async: &timeline.AsyncEvent{}}, true},
		{timeline.Event{Kind: timeline.KindCM, CM: &timeline.CMEvent{}}, true},
	} {
		n := b.history.Len()
		if b.note(&tt.event); b.history.Len() != n && !tt.kept || b.history.Len() != n+1 && tt.kept {
			t.Errorf("kind %d: %d moments, then %d", tt.event.Kind, n, b.history.Len())
		}
	}
	all := b.before()
	if all[0].line != "modify_qp a ERR" || all[1].line != "" {
		t.Errorf("moved by %q and %q", all[0].line, all[1].line)
	}
	if b.open["a"] != nil || b.open["b"] == nil {
		t.Error("a reset must end the incident of its queue pair, and no other")
	}
}

// TestNumber: the first maxBurst incidents of each burst are examined.
func TestNumber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &book{s: &core.Session{Start: time.Now()}}
		for _, wait := range []time.Duration{0, burst, burst + 1, burst + 1} {
			time.Sleep(wait)
			looks := 0
			for range 2 * maxBurst {
				if b.number() <= maxBurst {
					looks++
				}
			}
			want := maxBurst
			if wait == burst { // the first burst is not over yet
				want = 0
			}
			if looks != want {
				t.Errorf("%d examined after %s, want %d", looks, wait, want)
			}
			if wait == burst {
				time.Sleep(time.Nanosecond)
			}
		}
	})
}

// TestMovedSince: counts are compared with the newest reading from before the post, or else with the oldest.
func TestMovedSince(t *testing.T) {
	now := []verbs.HWCounter{{Name: "still", Value: 9}, {Name: "moved", Value: 40}}
	read := func(began, ended time.Duration, moved uint64) reading {
		return reading{began, ended, []uint64{9, moved}}
	}
	first, second, last := read(1, 2, 10), read(3, 4, 20), read(5, 6, 40)
	for _, tt := range []struct {
		name     string
		readings []reading
		at       time.Duration
		moved    uint64 // 0: not shown
		since    time.Duration
	}{
		{"never read", nil, 3, 0, 0},
		{"one reading", []reading{last}, 3, 0, 0},
		{"before and after", []reading{first, second, last}, 5, 20, 4},
		{"ended at the post", []reading{first, second, last}, 4, 20, 4},
		{"in progress at the post", []reading{first, second, last}, 3, 30, 2},
		{"none from before", []reading{first, second, last}, 1, 30, 2},
		{"none from after", []reading{first, second, last}, 6, 0, 0},
		{"other counters then", []reading{{1, 2, []uint64{9}}, last}, 3, 0, 2},
	} {
		m := &meter{now: now}
		for _, r := range tt.readings {
			*m.kept.Keep(maxReadings) = r
		}
		v := (&book{meters: map[string]*meter{"soft0": m}}).movedSince("soft0", tt.at)
		moved := uint64(0)
		for _, c := range v.list {
			if moved = c.Value; c.Name != "moved" {
				t.Errorf("%s: %s has moved", tt.name, c.Name)
			}
		}
		if moved != tt.moved || v.since != tt.since {
			t.Errorf("%s: +%d since %d, want +%d since %d", tt.name, moved, v.since, tt.moved, tt.since)
		}
	}
}

// TestBeside: a moment is shown with its distance from the post, if that is known.
func TestBeside(t *testing.T) {
	s := newScene(verbs.WCRetryExcErr, verbs.WRSend) // posted at 1 s
	for at, want := range map[time.Duration]string{
		time.Second: "1.000000 s, 0 ns before the post", 1500 * time.Millisecond: "1.500000 s, 500 ms after the post",
		500 * time.Millisecond: "0.500000 s, 500 ms before the post",
	} {
		if got := s.beside(at); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	s.known = false
	if got := s.beside(0); got != "0.000000 s" {
		t.Error(got)
	}
}

// TestAwait: await waits for readings in progress, up to hostWait.
func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct{ takes, waits time.Duration }{{0, 0}, {time.Millisecond, time.Millisecond},
			{hostWait + 1, hostWait}} {
			b := &book{meters: map[string]*meter{"idle": {}}}
			if tt.takes > 0 {
				busy := make(chan struct{})
				b.meters["busy"] = &meter{busy: busy}
				time.AfterFunc(tt.takes, func() { close(busy) })
			}
			begun := time.Now()
			if b.await(); time.Since(begun) != tt.waits {
				t.Errorf("a reading of %s: waited %s", tt.takes, time.Since(begun))
			}
			time.Sleep(time.Second)
		}
	})
}

// counterFiles stands for a software device; it counts its readings.
type counterFiles struct{ reads int }

func (f *counterFiles) HWCounters(string) ([]verbs.HWCounter, error) {
	f.reads++
	return []verbs.HWCounter{{Name: "reads", Value: uint64(f.reads)}}, nil
}

// TestFreshOfNIC: each burst of failures has a NIC's counters read once, after the reading under way, for which a
// failure does not wait long.
func TestFreshOfNIC(t *testing.T) {
	const takes = 8 * time.Millisecond
	for _, tt := range []struct {
		name        string
		last        time.Duration // when the last failure had them read
		began       time.Duration // when the reading under way began; 0: there is none
		ends        time.Duration // when it ends
		reads       int
		waits       time.Duration
		failureKept bool
	}{
		{"first", -burst, 0, 0, 1, takes, false},
		{"burst is over", time.Second - burst, 0, 0, 1, takes, false},
		{"in a burst", time.Second - burst + 1, 0, 0, 0, 0, true},
		{"reading under way", -burst, time.Second - hostWait, time.Second + 5*time.Millisecond, 1,
			5*time.Millisecond + takes, false},
		{"reading under way, of this burst", time.Second - burst + 1, time.Second - hostWait,
			time.Second + 5*time.Millisecond, 0, 5 * time.Millisecond, true},
		{"reading that takes long", -burst, time.Second - hostWait - 1, 2 * time.Second, 0, 0, true},
		{"reading that will take long", -burst, time.Second - 1, 2 * time.Second, 0, hostWait, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				reads := 0
				s := &core.Session{Start: time.Now(), Opts: core.Options{Counters: func(string) []verbs.HWCounter {
					reads++
					time.Sleep(takes)
					return []verbs.HWCounter{{Name: "reads", Value: uint64(reads)}}
				}}}
				m := &meter{device: "mlx5_0", failure: tt.last, began: tt.began}
				b := &book{s: s, meters: map[string]*meter{"mlx5_0": m}}
				time.Sleep(time.Second)
				if tt.began > 0 {
					busy := make(chan struct{})
					m.busy = busy
					time.AfterFunc(tt.ends-time.Second, func() {
						b.mu.Lock()
						m.busy = nil
						b.mu.Unlock()
						close(busy)
					})
				}
				b.fresh("mlx5_0", time.Second)
				if waited := time.Since(s.Start) - time.Second; waited != tt.waits || reads != tt.reads ||
					m.kept.Len() != tt.reads {
					t.Errorf("waited %v for %d readings, %d kept", waited, reads, m.kept.Len())
				}
				if kept := m.failure == tt.last; kept != tt.failureKept || !kept && m.failure != time.Second {
					t.Errorf("the last failure was at %v", m.failure)
				}
				time.Sleep(2 * time.Second)
			})
		})
	}
}

// TestFreshOfSoftware: a software device's counters are in memory, and read after each failure.
func TestFreshOfSoftware(t *testing.T) {
	files := &counterFiles{}
	b := &book{
		s:      &core.Session{Start: time.Now()},
		meters: map[string]*meter{"soft0": {device: "soft0", own: files, failure: -burst}},
	}
	for n := range 3 {
		b.fresh("soft0", time.Second)
		if kept := b.meters["soft0"].kept.Len(); files.reads != n+1 || kept != n+1 {
			t.Errorf("failure %d: %d readings, %d kept", n, files.reads, kept)
		}
	}
}

// TestOldest: the request that failed in the same batch, of this queue pair and kind, comes before those outstanding.
func TestOldest(t *testing.T) {
	failure := func(known bool, qp string, recv bool, id uint64) queue.Failure {
		return queue.Failure{
			Known: known, Completion: &timeline.Completion{QP: qp, Recv: recv}, Request: queue.Request{WRID: id},
		}
	}
	s := &core.Session{}
	q := &queue.QP{}
	q.Sends.Push(queue.Request{WRID: 1})
	q.Recvs.Push(queue.Request{WRID: 2})
	shared := &queue.QP{SRQ: &queue.SRQ{}}
	shared.SRQ.Recvs.Push(queue.Request{WRID: 3})
	for name, body := range map[string]core.Body{"a": q, "shared": shared, "idle": &queue.QP{}, "srq": shared.SRQ} {
		s.Graph.Add(&core.Node{Name: name, Body: body})
	}
	for _, tt := range []struct {
		batch []queue.Failure
		qp    string
		recv  bool
		want  uint64 // 0: none
	}{
		{nil, "a", false, 1}, {nil, "a", true, 2}, {nil, "shared", true, 3}, {nil, "shared", false, 0},
		{nil, "idle", true, 0}, {nil, "srq", true, 0}, {nil, "gone", false, 0},
		{[]queue.Failure{failure(true, "a", false, 7), failure(true, "a", false, 8)}, "a", false, 7},
		{[]queue.Failure{failure(true, "a", true, 7), failure(true, "a", false, 8)}, "a", false, 8},
		{[]queue.Failure{failure(true, "a", false, 7)}, "a", true, 2},
		{[]queue.Failure{failure(false, "a", false, 7)}, "a", false, 1},
		{[]queue.Failure{failure(true, "b", false, 7)}, "a", false, 1},
		{[]queue.Failure{failure(true, "gone", false, 7)}, "gone", false, 7},
	} {
		got, ok := oldest(s, tt.batch, tt.qp, tt.recv)
		if got.WRID != tt.want || ok != (tt.want > 0) {
			t.Errorf("%s, recv %v, batch %+v: wr_id %d, %v; want %d", tt.qp, tt.recv, tt.batch, got.WRID, ok, tt.want)
		}
	}
}

// TestSample: a software device's counters are read after ownEvery, a NIC's only after hostEvery.
func TestSample(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		files, nic := &counterFiles{}, 0
		s := &core.Session{Start: time.Now(), Opts: core.Options{Counters: func(string) []verbs.HWCounter {
			nic++
			return []verbs.HWCounter{{Name: "reads", Value: uint64(nic)}}
		}}}
		core.Part(s, func() *book {
			return &book{s: s, meters: map[string]*meter{
				"soft0": {device: "soft0", own: files}, "mlx5_0": {device: "mlx5_0"},
			}}
		})
		for _, name := range []string{"soft0", "mlx5_0"} {
			d := &device.Device{}
			d.Info.Name = name
			s.Graph.Add(&core.Node{Name: name, Kind: command.KindDevice, Body: d})
		}
		for _, tt := range []struct {
			after    time.Duration // since the sample before
			own, nic int           // readings so far
		}{
			{0, 0, 0}, {ownEvery - 1, 0, 0}, {1, 1, 0}, {ownEvery - 1, 1, 0}, {1, 2, 0}, {hostEvery - 2*ownEvery - 1, 3,
				0},
			{1, 3, 1}, {hostEvery - 1, 4, 1}, {1, 4, 2},
		} {
			time.Sleep(tt.after)
			Sample(s)
			synctest.Wait()
			if files.reads != tt.own || nic != tt.nic {
				t.Errorf("after %s: %d and %d readings, want %d and %d", time.Since(s.Start), files.reads, nic, tt.own,
					tt.nic)
			}
		}
	})
}
