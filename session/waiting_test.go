package session_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
)

// syncServer is a listening identifier in mode sync, whose calls wait.
const syncServer = "rdma_create_id listen mode=sync\nrdma_bind_addr listen port=7471\nrdma_listen listen\n"

// testRefused runs a line that waits, for up to limit (0: no limit), and stops it once it waits. Meanwhile the session
// reports the wait and refuses other commands.
func testRefused(t *testing.T, s *session.Session, line string, limit time.Duration, untilItWaits func()) {
	t.Helper()
	ended := sessiontest.Begin(t.Context(), s, line)
	untilItWaits()
	w, ok := s.Waiting()
	if !ok || w.Line != line || w.Since.After(time.Now()) {
		t.Errorf("%s: the wait is %+v, %v", line, w, ok)
	}
	if until := w.Until; until.IsZero() != (limit == 0) || limit > 0 && until.Sub(w.Since).Round(time.Minute) != limit {
		t.Errorf("%s: the wait ends after %v, want %v", line, until.Sub(w.Since), limit)
	}
	done, err := s.Exec(t.Context(), "note x")
	var waits *core.WaitingError
	if !errors.As(err, &waits) || waits.Wait.Line != line || done.Hint != core.StopFirst ||
		done.Err != "not now: "+line+" is still running" {
		t.Errorf("%s: meanwhile %v, %+v", line, err, done)
	}
	s.StopWaiting()
	if end := <-ended; !strings.Contains(end.Err, "stopped") {
		t.Errorf("%s ended with %q", line, end.Err)
	}
	if w, ok := s.Waiting(); ok {
		t.Errorf("%+v still shown after its end", w)
	}
	s.StopWaiting() // nothing to stop
	sessiontest.Execute(t, s, "live off")
}

// TestShortWaitsAreWaitedFor: a command waits for a running one that ends soon; in a session that refuses nothing, it
// waits for any.
func TestShortWaitsAreWaitedFor(t *testing.T) {
	for _, refuse := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			s := session.New(core.Options{Providers: []verbs.Provider{sessiontest.NewFakeCM()},
				RefuseWhileWaiting: refuse})
			defer func() { _ = s.Close() }()
			sessiontest.RunLines(t, s, syncServer)
			wait := core.WaitGrace / 2
			if !refuse {
				wait = time.Hour
			}
			ended := sessiontest.Begin(t.Context(), s, "sleep "+wait.String())
			synctest.Wait()
			sessiontest.Execute(t, s, "live off")
			if end := <-ended; end.Err != "" {
				t.Error(end.Err)
			}
		})
	}
}
