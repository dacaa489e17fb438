package device_test

import (
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
	"rdmatui/verbs"
)

// grace bounds the time that a suggestion may take.
const grace = 20 * time.Millisecond

// slowProvider delays its answers.
type slowProvider struct {
	verbs.Provider
	takes atomic.Int64 // nanoseconds
	asked atomic.Int32
}

func (p *slowProvider) Devices() ([]verbs.DeviceInfo, error) {
	p.asked.Add(1)
	time.Sleep(time.Duration(p.takes.Load()))
	return p.Provider.Devices()
}

// TestSuggestionsDoNotWait: a slow provider does not delay a key press. One query runs at a time, and its result is
// suggested from then on.
func TestSuggestionsDoNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &slowProvider{Provider: sessiontest.NewFake()}
		s := session.New(core.Options{Providers: []verbs.Provider{p}})
		suggested := func(want bool) {
			t.Helper()
			began := time.Now()
			found := s.Complete("open_device ", 12)
			if took := time.Since(began); took > grace {
				t.Errorf("it took %v", took)
			}
			if got := slices.ContainsFunc(found,
				func(c command.Candidate) bool { return c.Text == "fake0" }); got != want {
				t.Errorf("the device is suggested: %v, want %v", got, want)
			}
		}
		suggested(true)
		p.takes.Store(int64(time.Second))
		for range 10 {
			suggested(true) // as before
		}
		if n := p.asked.Load(); n != 2 {
			t.Errorf("asked %d times", n)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		suggested(true) // without asking again
		if p.asked.Load() != 2 {
			t.Error("a closed session asks the provider")
		}
	})
}
