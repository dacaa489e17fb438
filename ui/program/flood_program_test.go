//go:build linux

package program

import (
	"sync"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/ui/uitest"
	"rdmatui/verbs/soft"
)

// terminal reads the program's output, and records how long after it was due each key
// was followed by output drawn later.
type terminal struct {
	mu      sync.Mutex
	pending []time.Time // keys the program has taken
	keys    []time.Duration
}

func (t *terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, due := range t.pending {
		t.keys = append(t.keys, time.Since(due))
	}
	t.pending = t.pending[:0]
	return len(p), nil
}

// pressed is a key with the time at which it was due.
type pressed struct {
	due     time.Time
	key     string
	counted bool // the program has drawn its first frames
}

// startUp is how long the program may take for its first frames.
const startUp = time.Second

// typist is the program's model, which tells the terminal about keys it has taken.
type typist struct {
	tea.Model
	t *terminal
}

func (m typist) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	p, isKey := msg.(pressed)
	if isKey {
		msg = uitest.Key(p.key)
	}
	next, cmd := m.Model.Update(msg)
	if isKey && p.counted {
		m.t.mu.Lock()
		m.t.pending = append(m.t.pending, p.due)
		m.t.mu.Unlock()
	}
	return typist{next, m.t}, cmd
}

// BenchmarkFloodedProgram is BenchmarkFloodedScreen with the whole program drawing,
// down to the bytes for the terminal. The screen's share is all CPU time of the
// process, garbage collector included, except that of the thread that polls
// completions.
func BenchmarkFloodedProgram(b *testing.B) {
	for b.Loop() {
		f := &flooded{Provider: soft.New(soft.Options{}), limit: uint64(floodTime.Seconds() * floodRate)}
		x := newScreened(b, f, "open_device soft0", "alloc_pd", "create_cq cq cqe=4096")
		t := &terminal{}
		p := tea.NewProgram(typist{x.app, t}, tea.WithContext(b.Context()), tea.WithInput(nil), tea.WithOutput(t),
			tea.WithoutSignalHandler(), tea.WithWindowSize(120, 40),
			tea.WithEnvironment([]string{"TERM=xterm-256color"}))
		ended := make(chan error, 1)
		go func() {
			_, err := p.Run()
			ended <- err
		}()
		m := &measured{}
		begin, cpu := time.Now(), x.besidesPoller()
		f.begin = begin
		if _, err := x.s.Exec(b.Context(), "create_qp qp"); err != nil {
			b.Fatal(err)
		}
		x.typeKeys(b, p, m, begin, f.limit)
		m.cpu = x.besidesPoller() - cpu
		p.Kill()
		<-ended
		m.keys = t.keys
		if counts := x.s.Timeline().Counts(); counts.WCOK != f.limit || counts.WCFailed > 0 || len(m.keys) == 0 {
			b.Fatalf("the counts are wrong, or no key was taken: %+v", counts)
		}
		m.heaps[1] = heap()
		m.report(b, f.limit)
		if err := x.s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// typeKeys presses a key at intervals until all completions have been counted.
func (x *screened) typeKeys(b *testing.B, p *tea.Program, m *measured, begin time.Time, limit uint64) {
	b.Helper()
	for due, i := begin, 0; ; i++ {
		due = due.Add(keyEvery)
		time.Sleep(time.Until(due))
		p.Send(pressed{due, floodKeys[i%len(floodKeys)], due.Sub(begin) > startUp})
		if m.heaps[0] == 0 && time.Since(begin) > *floodTime/4 {
			m.heaps[0] = heap()
			due = time.Now()
		}
		m.took = time.Since(begin)
		if x.s.Timeline().Counts().WCOK >= limit {
			return
		}
		if m.took > 10*(*floodTime)+time.Minute {
			b.Fatal("the completions do not come")
		}
	}
}

// besidesPoller is the CPU time of the process, without the thread that polls
// completions.
func (x *screened) besidesPoller() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // the call cannot fail
	}
	return time.Duration(u.Utime.Nano()+u.Stime.Nano()) - x.s.Snapshot().CQs[0].Stats[session.Resting].CPU
}
