package ui

import (
	"slices"
	"testing"

	"rdmatui/ui/uitest"
)

// The queue pair in hand is the same on all screens: the title names it, and each screen shows it and acts on it.
func TestHand(t *testing.T) {
	g := newGuided(t, 120, 40, "", append(slices.Clone(uitest.BenchLines), "connect_qps a b")...)
	shows := func(key, title, text string) {
		t.Helper()
		g.press(key)
		g.app.Beat()
		if !g.Contains(title) || !g.Contains(text) {
			t.Errorf("after %s the screen lacks %q or %q:\n%s", key, title, text, g.View())
		}
	}
	shows("2", "a RTS ⇄ b", "modify_qp a RTS")
	shows("o", "b RTS ⇄ a", "modify_qp b RTS")
	shows("3", "b RTS ⇄ a", "post_send b ")
	shows("o", "a RTS ⇄ b", "post_send a ")
	shows("2", "a RTS ⇄ b", "modify_qp a RTS")
	shows("8", "a RTS ⇄ b", "")
	shows(">", "b RTS ⇄ a", "")
	shows("3", "b RTS ⇄ a", "post_send b ")
	shows("<", "a RTS ⇄ b", "post_send a ")
	shows("2", "a RTS ⇄ b", "modify_qp a RTS")
	shows("n", "c RESET", "c: RESET → INIT") // what is made is in hand
	shows("3", "c RESET", "post_send c ")
	g.typed("connect_qps b a")
	shows("3", "b RTS ⇄ a", "post_send b ") // and what is connected
	g.typed("close b")
	shows("3", "a RTS", "post_send a ") // what is gone is not
}

// Each identifier goes with its queue pair, and a key acts on the identifier that the title's queue pair belongs to,
// also right after another screen.
func TestHandOfConnection(t *testing.T) {
	g := newGuided(t, 120, 40, "")
	g.press("5", "l", "enter", "b")
	g.WaitFor("listen is in LISTENING")
	g.press("c")
	g.Type("127.0.0.1")
	g.press("enter")
	for _, state := range []string{"id is in ADDR_RESOLVED", "id is in ROUTE_RESOLVED", "listen-1 asks for a"} {
		g.press("b")
		g.WaitFor(state)
	}
	g.press("a")
	g.WaitFor("listen-1 is in CONNECTED")
	if hand := g.app.env.Hand.In(&g.app.state.Session); hand != "qp2" {
		t.Errorf("%q is in hand after rdma_accept", hand)
	}
	g.press("3", "o")
	g.app.Beat()
	if !g.Contains("post_send qp ") {
		t.Errorf("o shows\n%s", g.View())
	}
	g.press("5")
	g.WaitFor("id is in CONNECTED")
	g.press("d")
	g.WaitFor("rdma_disconnect(id)")
}
