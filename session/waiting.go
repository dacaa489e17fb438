package session

import (
	"context"
	"sync"
	"time"

	"rdmatui/session/timeline"
)

// Wait is a command that waits for what a peer or a person does.
type Wait struct {
	Line     string
	Since    time.Time
	Progress string // how far it has come, "" where nothing tells
}

// WaitingError refuses a command since another one waits.
type WaitingError struct{ Wait Wait }

func (e *WaitingError) Error() string { return "not now: " + e.Wait.Line + " is still waiting" }

const stopFirst = "stop the wait, or let it end"

// turn is whose turn it is: the command that is carried out.
type turn struct {
	mu    sync.Mutex
	wait  Wait
	stop  context.CancelFunc // nil where no command is carried out
	waits int                // that it is in: lines may hold lines
	far   func() string      // tells how far it has come; may be nil
}

// begin notes the line that is carried out, until end is called.
func (t *turn) begin(line string, stop context.CancelFunc) (end func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wait, t.stop, t.waits, t.far = Wait{Line: line}, stop, 0, nil
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.stop = nil
	}
}

// waits is for the part of a command that waits for others; end it with what it
// returns.
func (s *Session) waits() (end func()) {
	t := &s.turn
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waits++; t.waits == 1 {
		t.wait.Since = time.Now()
	}
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.waits--
	}
}

// Waiting is the command that waits for others, if one does.
func (s *Session) Waiting() (Wait, bool) {
	t := &s.turn
	t.mu.Lock()
	defer t.mu.Unlock()
	w := t.wait
	if t.far != nil {
		w.Progress = t.far()
	}
	return w, t.stop != nil && t.waits > 0
}

// report is for a command that can tell how far it has come; end it with what it
// returns.
func (t *turn) report(far func() string) (end func()) {
	set := func(f func() string) {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.far = f
	}
	set(far)
	return func() { set(nil) }
}

// StopWaiting ends the command that waits for others; it fails as stopped.
func (s *Session) StopWaiting() {
	t := &s.turn
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stop != nil && t.waits > 0 {
		t.stop()
	}
}

// waitGrace is how long a command waits for its turn before it is refused: most
// waits are over sooner.
const waitGrace = 300 * time.Millisecond

// takeTurn is acquire, but does not stand in line behind a wait where the session
// is to refuse that.
func (s *Session) takeTurn(ctx context.Context) error {
	if !s.opts.RefuseWhileWaiting {
		return s.acquire(ctx)
	}
	for {
		soon, cancel := context.WithTimeout(ctx, waitGrace)
		err := s.acquire(soon)
		cancel()
		if err == nil || ctx.Err() != nil {
			return err
		}
		if w, ok := s.Waiting(); ok && time.Since(w.Since) >= waitGrace {
			return &WaitingError{w}
		}
	}
}

// refused is what is told of a line whose turn did not come.
func refused(line string, err error) timeline.CommandDone {
	done := timeline.CommandDone{Line: line, Err: wording(err)}
	if _, waits := err.(*WaitingError); waits {
		done.Hint = stopFirst
	}
	return done
}
