package core

import (
	"context"
	"sync"
	"time"

	"rdmatui/session/timeline"
)

// Wait describes the running command.
type Wait struct {
	Line     string
	Since    time.Time
	Until    time.Time // when its own limit expires; zero: no limit
	Progress string    // how far it is, "" if unknown
}

// WaitingError refuses a command because another one is still running.
type WaitingError struct{ Wait Wait }

// Error names the command that is still running.
func (e *WaitingError) Error() string { return "not now: " + e.Wait.Line + " is still running" }

// StopFirst is the hint of a [*WaitingError].
const StopFirst = "stop it, or let it end"

// turn holds the running command. Every command is registered here, so that each wait
// is shown and can be stopped.
type turn struct {
	mu   sync.Mutex
	wait Wait
	stop context.CancelCauseFunc // nil if no command is running
	far  func() string           // reports progress; may be nil
}

// begin registers the running line until end is called.
func (t *turn) begin(line string, stop context.CancelCauseFunc) (end func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wait, t.stop, t.far = Wait{Line: line, Since: time.Now()}, stop, nil
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.stop = nil
	}
}

// Limit registers a deadline for the running command until end is called: a nested
// line has its own limit. Zero: no limit.
func (t *turn) Limit(span time.Duration) (end func()) {
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

// Waiting returns the command that is running, if any. Most end too quickly to be
// seen.
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

// Report registers a progress function for the running command; call the returned
// function at its end.
func (t *turn) Report(far func() string) (end func()) {
	set := func(f func() string) {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.far = f
	}
	set(far)
	return func() { set(nil) }
}

// StopWaiting stops the running command, which fails as stopped.
func (s *Session) StopWaiting() { s.StopFor(nil) }

// StopFor stops the running command, which fails for a reason; nil: as stopped.
func (s *Session) StopFor(why error) {
	t := &s.Turn
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stop != nil {
		t.stop(why)
	}
}

// WaitGrace is how long a command waits for its turn before it is refused: most
// commands take less.
const WaitGrace = 300 * time.Millisecond

// TakeTurn is Acquire, but if the session refuses commands while another one takes
// long, it returns a [*WaitingError] after WaitGrace.
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

// Refused returns the result of a line whose turn did not come.
func Refused(line string, err error) timeline.CommandDone {
	done := timeline.CommandDone{Line: line, Err: Wording(err)}
	if _, waits := err.(*WaitingError); waits {
		done.Hint = StopFirst
	}
	return done
}
