package connections

import (
	"testing"

	"rdmatui/session"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
)

// Both ends of a connection on the software device, by keys alone: listen, connect,
// accept, disconnect; then a request that is rejected.
func TestJourneyOnSoft(t *testing.T) {
	sess := uitest.NewSession(t, session.Options{Live: true})
	env := sess.Env(theme.New("none", true))
	s := New(env)
	d := uitest.NewScreen(t, env, s)
	until := func(texts ...string) {
		t.Helper()
		d.Await(200, 50, texts...)
	}
	d.Keys("l", "enter", "b")
	until("listener1 is in LISTENING")
	d.Keys("c")
	d.Type("127.0.0.1")
	d.Keys("enter", "P")
	d.Type("hello")
	d.Keys("enter", "b") // up to the request, past both events
	until("listener1-1 asks for a connection", `with "hello"`)
	d.Keys("a")
	until("listener1-1 is in CONNECTED", "accept ")
	d.Keys("d")
	until("disconnect", "under way")
	d.Keys("o", "o")
	until("conn1 is in DISCONNECTED", "enter  rdma_disconnect conn1")
	d.Keys("b")
	until("listener1-1 is in DISCONNECTED")
	d.Keys("b")
	until("listener1 is in LISTENING")
	d.Keys("c")
	d.Type("127.0.0.1")
	d.Keys("enter", "b")
	until("listener1-2 asks for a connection")
	d.Keys("R")
	d.Type("busy")
	d.Keys("enter")
	until("The peer rejected the request")
	d.Keys("o", "o")
	until(`REJECTED: reason 28 CONSUMER_DEFINED: "busy"`)
}
