package connections

import (
	"testing"
	"testing/synctest"
	"time"

	"rdmatui/session"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/verbs"
	"rdmatui/verbs/memory"
)

// TestGoOnAfterEarlyEvent: "run all" goes on also if the event came, and was drawn, while its line still ran.
func TestGoOnAfterEarlyEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sess := uitest.NewSession(t, session.Options{Live: true,
			Providers: []verbs.Provider{uitest.Soft(memory.New(1<<24, "the test"))}})
		env := sess.Env(theme.New("none", true))
		s := New(env)
		d := uitest.NewScreen(t, env, s)
		d.Keys("l", "enter", "b")
		d.Await(200, 50, "listener1 is in LISTENING")
		d.Keys("c")
		d.Type("127.0.0.1")
		d.Keys("enter")
		for work := s.Update(uitest.Key("b")); work != nil; {
			done := work()
			time.Sleep(time.Second) // the event comes
			d.Frame()
			work = s.Update(done)
		}
		d.Frame()
		d.Settle()
		d.Await(200, 50, "listener1-1 asks for a connection")
	})
}
