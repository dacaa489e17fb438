package sessiontest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/scenario"
	"rdmatui/verbs"
)

// Own makes objects with names that scenarios also use.
const Own = "open_device soft0\nopen_device soft1\nalloc_pd pd device=soft0\nreg_mr buf length=64\ncreate_cq cq device=soft0\nrdma_create_event_channel events"

// stepper is one end of a scenario in a live session that also has other objects.
type stepper struct {
	s   *session.Session
	run *scenario.Run
}

func newStepper(t *testing.T, p verbs.Provider, params scenario.Params) *stepper {
	t.Helper()
	s := session.New(core.Options{Providers: []verbs.Provider{p}, Live: true})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	RunLines(t, s, Own)
	r, err := s.NewScenarioRun(params)
	if err != nil {
		t.Fatal(err)
	}
	return &stepper{s, r}
}

// Gone destroys what the run made and checks that exactly the user's objects remain.
func (x *stepper) Gone(t *testing.T) {
	t.Helper()
	if err := x.run.Destroy(context.Background()); err != nil {
		t.Error(err)
	}
	var left []string
	for _, o := range x.s.Snapshot().Objects {
		left = append(left, o.Name)
	}
	if want := []string{"soft0", "soft1", "pd", "buf", "cq", "events"}; !slices.Equal(left, want) {
		t.Errorf("left are %v", left)
	}
	if alive := x.run.Alive(); len(alive) != 0 {
		t.Errorf("%v still alive", alive)
	}
}

// waitsForPeer reports whether the peer may connect during or after the line.
func waitsForPeer(line string) bool {
	for _, begin := range []string{"rdma_get_request", "rdma_get_cm_event CONNECT_REQUEST", "exchange", "poll_cq"} {
		if strings.HasPrefix(line, begin) {
			return true
		}
	}
	return false
}

// RunBoth runs a scenario between two sessions with other objects, and returns both.
func RunBoth(t *testing.T, p verbs.Provider, sc scenario.Scenario) (server, client *stepper) {
	t.Helper()
	as := scenario.DefaultParams(sc.Name)
	as.Count, as.Wait, as.Port = 3, 20*time.Second, FreePort(t)
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	if as.Server = true; sc.Group {
		as.Address, as.Bind = "239.1.2.3", "127.0.0.1" // there may be no multicast route
	}
	server = newStepper(t, p, as)
	ready, ended := make(chan struct{}, 1), make(chan error, 1)
	go func() {
		_, err := Walked(ctx, server.run, func(line string) {
			if waitsForPeer(line) {
				select {
				case ready <- struct{}{}:
				default:
				}
			}
		})
		ended <- err
	}()
	<-ready
	if !sc.CM {
		Listening(t, server.s)
	}
	if as.Server, as.Address = false, "127.0.0.1"; sc.Group {
		as.Address = "239.1.2.3"
	}
	if sc.Name == "serve" {
		as.Name = "hello"
	}
	client = newStepper(t, p, as)
	lines, err := Walked(ctx, client.run, func(string) {})
	if err != nil {
		t.Error("client:", err)
	}
	for i, l := range lines {
		if strings.Contains(l, " pd") && !strings.Contains(l, as.Name+"-pd") {
			t.Errorf("line %d uses the user's object: %s", i, l)
		}
	}
	if sc.Forever {
		cancel()
	}
	if err := <-ended; err != nil && !(sc.Forever && errors.Is(err, context.Canceled)) {
		t.Error("server:", err)
	}
	return server, client
}
