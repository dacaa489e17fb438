package sessiontest

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/scenario"
	"rdmatui/session/script"
	"rdmatui/session/timeline"
	"rdmatui/session/traffic"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// FreePort finds a TCP port that nobody listens on.
func FreePort(t testing.TB) uint16 {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return uint16(l.Addr().(*net.TCPAddr).Port)
}

// Serving runs an exchange line until it waits for a peer on a port; ended receives
// its result.
func Serving(t testing.TB, s *session.Session, line string) (port uint16, ended chan error) {
	t.Helper()
	port, ended = FreePort(t), make(chan error, 1)
	go func() {
		_, err := s.Exec(t.Context(), fmt.Sprintf("%s port=%d", line, port))
		ended <- err
	}()
	Listening(t, s)
	return port, ended
}

// Listening waits until the session reports that it waits for a peer.
func Listening(t testing.TB, s *session.Session) {
	t.Helper()
	marks, stop := s.Timeline().Watch()
	defer stop()
	for {
		for _, e := range s.Timeline().Snapshot() {
			if e.Kind == timeline.KindNote && strings.HasPrefix(e.Note.Text, "waiting for a peer") {
				if !e.Note.Ready {
					t.Errorf("%q is not marked as Ready: no companion would start", e.Note.Text)
				}
				return
			}
		}
		select {
		case <-marks:
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		}
	}
}

// Ended is how one end of a scenario ended.
type Ended struct {
	Result traffic.PingpongResult
	Err    error
}

// BothEnds runs a scenario between two sessions on one provider.
func BothEnds(t testing.TB, p scenario.Params, live bool) (server, client Ended, sessions [2]*session.Session) {
	t.Helper()
	provider := soft.New(soft.Options{})
	for i := range sessions {
		sessions[i] = session.New(core.Options{Providers: []verbs.Provider{provider}, Live: live})
		t.Cleanup(func() {
			if err := sessions[i].Close(); err != nil {
				t.Error(err)
			}
		})
	}
	p.Port = FreePort(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan Ended, 1)
	go func() {
		p := p
		p.Server, p.Device = true, "soft0"
		r, err := RunScenario(ctx, sessions[0], p, EachOnce(t))
		done <- Ended{r, err}
	}()
	Listening(t, sessions[0])
	p.Address, p.Device = "127.0.0.1", "soft1"
	client.Result, client.Err = RunScenario(ctx, sessions[1], p, EachOnce(t))
	if client.Err != nil {
		cancel()
	}
	return <-done, client, sessions
}

// EachOnce checks that the steps of a scenario are told once each, in order.
func EachOnce(t testing.TB) func(*script.Line) {
	last := script.Line{}
	return func(l *script.Line) {
		if l.Step <= last.Step || l.Step > l.Of || l.Text == "" {
			t.Errorf("%+v after %+v", l, last)
		}
		last = *l
	}
}

// RunScenario carries out a scenario and returns its result. before is called with each command before it runs for the
// first time; it may be nil.
func RunScenario(ctx context.Context, s *session.Session, p scenario.Params,
	before func(*script.Line)) (traffic.PingpongResult, error) {
	r, err := s.NewScenarioRun(p)
	if err != nil {
		return traffic.PingpongResult{}, err
	}
	err = script.Rest(ctx, r, func(l *script.Line) error {
		if before != nil && !l.Block && !r.Again() {
			before(l)
		}
		return nil
	})
	if err != nil {
		return traffic.PingpongResult{}, err
	}
	return r.Result(), nil
}
