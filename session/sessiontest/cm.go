package sessiontest

import (
	"runtime"
	"strings"
	"sync"
	"testing"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// NewManaged makes a session on a fake with a connection manager, and checks at the
// end that no object is left.
func NewManaged(t *testing.T) (*session.Session, *fakeCM, *CMLog) {
	t.Helper()
	before := runtime.NumGoroutine()
	f, log := NewFakeCM(), &CMLog{}
	s := session.New(core.Options{Providers: []verbs.Provider{f}, Out: log.Add})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
		if n := f.Alive.Load(); n != 0 {
			t.Errorf("%d objects left", n)
		}
		settle(t, before)
	})
	return s, f, log
}

// CMLog holds the recorded events of the connection manager.
type CMLog struct {
	Mu     sync.Mutex
	Events []*timeline.CMEvent
}

// Add keeps an event of the connection manager.
func (l *CMLog) Add(e timeline.Event) {
	if e.Kind == timeline.KindCM {
		l.Mu.Lock()
		l.Events = append(l.Events, e.CM)
		l.Mu.Unlock()
	}
}

// Find returns the first event of an identifier and a type, which must have been recorded.
func (l *CMLog) Find(t *testing.T, id string, typ verbs.CMEventType) *timeline.CMEvent {
	t.Helper()
	l.Mu.Lock()
	defer l.Mu.Unlock()
	for _, e := range l.Events {
		if e.ID == id && e.Type == typ {
			return e
		}
	}
	t.Fatalf("%s of %s was not recorded", typ, id)
	return nil
}

// RunLines runs a script and fails the test with it.
func RunLines(t *testing.T, s *session.Session, script string) {
	t.Helper()
	if err := s.RunScript(t.Context(), "test", strings.NewReader(script)); err != nil {
		t.Fatal(err)
	}
}
