package scenarios

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/session/scenario"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/verbs"
	"rdmatui/verbs/memory"
)

// bench is a screen over a session, in virtual time, that records which scenarios were
// started.
type bench struct {
	*uitest.ScreenDriver
	t      *testing.T
	s      *Screen
	sess   *uitest.Session
	budget *memory.Budget // of the devices
	asked  []scenario.Params
	theirs []scenario.Params
	refuse bool // starts nothing
}

var plain = theme.New("none", true)

// run tests the screen.
func run(t *testing.T, th *theme.Theme, test func(*bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		x := &bench{t: t, budget: memory.New(1<<24, "the test")}
		x.sess = uitest.NewSession(t, session.Options{Providers: []verbs.Provider{uitest.Soft(x.budget)}, Live: true})
		_, _ = x.sess.WatchPackets(true) // as the Wire screen does
		env := x.sess.Env(th)
		x.s = New(env)
		x.s.runner.asked = func(p scenario.Params, companion bool) error {
			if companion {
				x.theirs = append(x.theirs, p)
				return nil
			}
			if err := p.Check(); err != nil {
				return err
			}
			if x.asked = append(x.asked, p); x.refuse {
				return errors.New("not now")
			}
			return nil
		}
		x.ScreenDriver = uitest.NewScreen(t, env, x.s)
		test(x)
	})
}

// press gives the screen a key whose work does not end, and waits until the work blocks.
func (x *bench) press(name string) {
	x.t.Helper()
	var carryOut func(cmd tea.Cmd)
	carryOut = func(cmd tea.Cmd) {
		if cmd == nil {
			return
		}
		if list, ok := cmd().(tea.BatchMsg); ok {
			for _, c := range list {
				go carryOut(c)
			}
		}
	}
	go carryOut(x.s.Update(uitest.Key(name)))
	time.Sleep(time.Millisecond)
	x.Frame()
}

// alone starts a client of hello without a server.
func (x *bench) alone() {
	x.hello()
	x.Keys("b", "e", "home", "down", "down", "e")
	x.Type("127.0.0.1")
	x.Keys("enter", "enter")
}

// left counts the existing objects.
func (x *bench) left() int { return len(x.sess.Snapshot().Objects) }
