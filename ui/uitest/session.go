package uitest

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rdmatui/devices"
	"rdmatui/session"
	"rdmatui/session/scenario"
	"rdmatui/session/script"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/verbs"
	"rdmatui/verbs/memory"
	"rdmatui/verbs/soft"
)

// Session is a session on the software device in memory. Queue pair numbers, keys and PSNs repeat.
type Session struct {
	*session.Session
	Asker     *script.Asker // answers commands that ask
	t         testing.TB
	providers []verbs.Provider
	told      uint64 // the newest event that Lines has seen
}

// Soft makes the provider of soft0 and soft1; their memory comes from the budget,
// nil: that of the process.
func Soft(budget *memory.Budget) *soft.Provider {
	return soft.New(soft.Options{Rand: locked(rand.New(rand.NewPCG(1, 2)).Uint64), Memory: budget, Settle: true})
}

// NewSession makes a session, by default on [Soft], and runs lines. The test fails if a
// line fails or if the session cannot be closed at the end.
func NewSession(t testing.TB, opts session.Options, lines ...string) *Session {
	t.Helper()
	if opts.Providers == nil {
		opts.Providers = []verbs.Provider{Soft(nil)}
	}
	s := &Session{t: t, providers: opts.Providers, Asker: &script.Asker{}}
	opts.Rand, opts.Input = locked(rand.New(rand.NewPCG(3, 4)).Uint32), s.Asker.Input
	s.Session = session.New(opts)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	s.Do(lines...)
	return s
}

func locked[T any](next func() T) func() T {
	var mu sync.Mutex
	return func() T {
		mu.Lock()
		defer mu.Unlock()
		return next()
	}
}

// Do runs lines as preparation: the test fails if one fails, and Lines does not list them.
func (s *Session) Do(lines ...string) {
	s.t.Helper()
	for _, l := range lines {
		if d, err := s.Exec(s.t.Context(), l); err != nil {
			s.t.Fatalf("%s: %v (%s)", l, err, d.Hint)
		}
	}
	s.Lines()
}

// Lines lists the commands run since its last call, including those that failed. A command that
// runs others, such as connect_qps, is listed alone: its number is lower than theirs, and its
// event comes after theirs.
func (s *Session) Lines() (lines []string) {
	events, _ := s.Timeline().Since(s.told, nil)
	var numbers []uint64
	for i := range events {
		s.told = events[i].Seq
		if c := events[i].Command; c != nil {
			for len(numbers) > 0 && numbers[len(numbers)-1] > c.Number {
				numbers, lines = numbers[:len(numbers)-1], lines[:len(lines)-1]
			}
			numbers, lines = append(numbers, c.Number), append(lines, c.Line)
		}
	}
	return lines
}

// Hold starts a long command; later commands wait until release stops it.
func (s *Session) Hold() (release func()) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = s.Exec(s.t.Context(), "sleep 1h") // release stops it
	}()
	for w, _ := s.Waiting(); w.Line != "sleep 1h"; w, _ = s.Waiting() {
		time.Sleep(time.Millisecond)
	}
	return func() {
		s.StopWaiting()
		<-ended
	}
}

// WantLines fails unless exactly these commands ran since the last call of Lines.
func (s *Session) WantLines(want ...string) {
	s.t.Helper()
	if got := s.Lines(); !slices.Equal(got, want) {
		s.t.Errorf("carried out\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Env returns the environment that the program gives a screen.
func (s *Session) Env(th *theme.Theme) *screen.Env {
	return &screen.Env{Ctx: s.t.Context(), Theme: th, Session: s.Session,
		Inventory: devices.New(s.providers, devices.Host()),
		Asks:      s.Asker}
}

// Still is an inventory whose devices never change.
type Still struct{ screen.Inventory }

// Watch reports no change.
func (Still) Watch(context.Context) <-chan struct{} {
	over := make(chan struct{})
	close(over)
	return over
}

// BenchLines create two queue pairs on soft0, as Bring-up does.
var BenchLines = []string{
	"open_device soft0",
	"alloc_pd pd",
	"reg_mr src pd=pd length=4096 access=LOCAL_WRITE",
	"reg_mr dst pd=pd length=4096 access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ",
	"create_cq cq cqe=64",
	"create_qp a pd=pd send_cq=cq recv_cq=cq qp_type=RC max_send_wr=16 max_recv_wr=16 max_send_sge=4 max_recv_sge=4",
	"create_qp b pd=pd send_cq=cq recv_cq=cq qp_type=RC max_send_wr=16 max_recv_wr=16 max_send_sge=4 max_recv_sge=4",
}

// RunScenario carries out a scenario in a session. before is called with each command before it runs; it may be nil.
func RunScenario(ctx context.Context, s *session.Session, p scenario.Params, before func(*script.Line)) error {
	r, err := s.NewScenarioRun(p)
	if err != nil {
		return err
	}
	return script.Rest(ctx, r, func(l *script.Line) error {
		if before != nil && !r.Again() {
			before(l)
		}
		return nil
	})
}
