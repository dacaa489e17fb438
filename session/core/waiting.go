package core

import (
	"context"
	"sync"
	"time"

	"rdmatui/session/timeline"
)

// Wait is the command that is being carried out.
type Wait struct {
	Line     string
	Since    time.Time
	Until    time.Time // when its own limit ends it; zero: it has none
	Progress string    // how far it has come, "" where nothing tells
}

// WaitingError refuses a command since another one is still running.
type WaitingError struct{ Wait Wait }

// Error names the command that is still running.
func (e *WaitingError) Error() string { return "not now: " + e.Wait.Line + " is still running" }

// StopFirst is the hint of a [*WaitingError].
const StopFirst = "stop it, or let it end"

// turn is whose turn it is: the command that is carried out. Every command is
// entered here, so that none can wait without being shown, and stopped.
type turn struct {
	mu   sync.Mutex
	wait Wait
	stop context.CancelFunc // nil where no command is carried out
	far  func() string      // tells how far it has come; may be nil
}

// begin notes the line that is carried out, until end is called.
func (t *turn) begin(line string, stop context.CancelFunc) (end func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wait, t.stop, t.far = Wait{Line: line, Since: time.Now()}, stop, nil
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.stop = nil
	}
}

// limit notes when a command ends at the latest, until end is called: a line may
// hold another, which has a limit of its own. Zero: the command has none.
func (t *turn) limit(span time.Duration) (end func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	outer := t.wait.Until
	if t.wait.Until = (time.Time{}); span > 0 {
		t.wait.Until = time.Now().Add(span)
	}
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.wait.Until = outer
	}
}

// Waiting is the command that is being carried out, if there is one. Most are
// over before anybody can see them.
func (s *Session) Waiting() (Wait, bool) {
	t := &s.Turn
	t.mu.Lock()
	defer t.mu.Unlock()
	w := t.wait
	if t.far != nil {
		w.Progress = t.far()
	}
	return w, t.stop != nil
}

// Report is for a command that can tell how far it has come; end it with what it
// returns.
func (t *turn) Report(far func() string) (end func()) {
	set := func(f func() string) {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.far = f
	}
	set(far)
	return func() { set(nil) }
}

// StopWaiting ends the command that is being carried out; it fails as stopped.
func (s *Session) StopWaiting() {
	t := &s.Turn
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stop != nil {
		t.stop()
	}
}

// WaitGrace is how long a command waits for its turn before it is refused: most
// commands are over sooner.
const WaitGrace = 300 * time.Millisecond

// TakeTurn is acquire, but does not stand in line behind a command that takes
// long where the session is to refuse that.
func (s *Session) TakeTurn(ctx context.Context) error {
	if !s.Opts.RefuseWhileWaiting {
		return s.Acquire(ctx)
	}
	for {
		soon, cancel := context.WithTimeout(ctx, WaitGrace)
		err := s.Acquire(soon)
		cancel()
		if err == nil || ctx.Err() != nil {
			return err
		}
		if w, ok := s.Waiting(); ok && time.Since(w.Since) >= WaitGrace {
			return &WaitingError{w}
		}
	}
}

// Refused is what is told of a line whose turn did not come.
func Refused(line string, err error) timeline.CommandDone {
	done := timeline.CommandDone{Line: line, Err: Wording(err)}
	if _, waits := err.(*WaitingError); waits {
		done.Hint = StopFirst
	}
	return done
}
