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
	shows("2", "a RTS ⇄ b", "next    a is ready to send")
	shows("o", "b RTS ⇄ a", "next    b is ready to send")
	shows("3", "b RTS ⇄ a", "post_send b ")
	shows("o", "a RTS ⇄ b", "post_send a ")
	shows("2", "a RTS ⇄ b", "next    a is ready to send")
	shows("8", "a RTS ⇄ b", "")
	shows(">", "b RTS ⇄ a", "")
	shows("3", "b RTS ⇄ a", "post_send b ")
	shows("<", "a RTS ⇄ b", "post_send a ")
	shows("2", "a RTS ⇄ b", "next    a is ready to send")
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
	g.WaitFor("listener1 is in LISTENING")
	g.press("c")
	g.Type("127.0.0.1")
	g.press("enter")
	g.press("b")
	g.WaitFor("listener1-1 asks for a")
	g.press("a")
	g.WaitFor("listener1-1 is in CONNECTED")
	if hand := g.app.env.Hand.In(&g.app.state.Session); hand != "qp2" {
		t.Errorf("%q is in hand after rdma_accept", hand)
	}
	g.press("3", "o")
	g.app.Beat()
	if !g.Contains("post_send qp1 ") {
		t.Errorf("o shows\n%s", g.View())
	}
	g.press("5")
	g.WaitFor("conn1 is in CONNECTED")
	g.press("d")
	g.WaitFor("rdma_disconnect(conn1)")
}

// twoPairs are the queue pairs a and b, connected and with completions in cq, and c and d with theirs in cq2.
var twoPairs = append(slices.Clone(uitest.BenchLines), "create_comp_channel ch", "create_cq cq2 cqe=64 channel=ch",
	"create_qp c pd=pd send_cq=cq2 recv_cq=cq2 qp_type=RC", "create_qp d pd=pd send_cq=cq2 recv_cq=cq2 qp_type=RC",
	"connect_qps a b", "connect_qps c d")

// sends is a SEND from c to d, and then one from a to b.
var sends = []string{"post_recv d sge=dst:0:64", "post_send c SEND wr_id=33 sge=src:0:8 send_flags=SIGNALED",
	"post_recv b sge=dst:0:64", "post_send a SEND wr_id=11 sge=src:0:8 send_flags=SIGNALED"}

// Completions and Wire mark and show what belongs to the queue pair in hand, and a row chosen there puts its queue pair
// in hand.
func TestHandOfCompletions(t *testing.T) {
	g := newGuided(t, 120, 40, "", twoPairs...)
	for _, l := range sends {
		g.typed(l)
	}
	g.press("4")
	g.WaitFor("a RTS ⇄ b")
	g.press("v")
	if !g.Contains("a only") || g.Contains(" 33  SUCCESS") || !g.Contains(" 11  SUCCESS") {
		t.Errorf("v with a in hand:\n%s", g.View())
	}
	g.press(">", ">")
	if !g.Contains("c only") || !g.Contains(" 33  SUCCESS") || g.Contains(" 11  SUCCESS") {
		t.Errorf("v with c in hand:\n%s", g.View())
	}
	g.press("a")
	g.WaitFor("cq2: armed")
	g.press("esc", "G")
	if hand := g.app.env.Hand.In(&g.app.state.Session); hand != "a" {
		t.Errorf("%q is in hand after the last row, of a, was chosen:\n%s", hand, g.View())
	}
	g.press("a")
	g.WaitFor("no events: the completion queue was created without channel=")
	g.press("tab", "tab", "down") // to the queue cq2
	if hand := g.app.env.Hand.In(&g.app.state.Session); hand != "c" {
		t.Errorf("%q is in hand after its queue was chosen:\n%s", hand, g.View())
	}
}

func TestHandOfWire(t *testing.T) {
	g := newGuided(t, 120, 40, "", twoPairs...)
	g.press("6")
	for _, l := range sends {
		g.typed(l)
	}
	ladder := func(hand string, ends ...string) {
		t.Helper()
		g.app.Beat()
		if got := g.app.env.Hand.In(&g.app.state.Session); got != hand {
			t.Errorf("%q is in hand, want %q", got, hand)
		}
		for _, end := range ends {
			if !g.Contains("qp " + end) {
				t.Errorf("the conversation of %s lacks the end %s:\n%s", hand, end, g.View())
			}
		}
	}
	g.WaitFor("ACK")
	ladder("a", "a", "b")
	g.press("<") // d
	ladder("d", "c", "d")
	g.press("home") // the first packet is from c to d
	ladder("d", "c", "d")
	g.press("end")
	ladder("a", "a", "b")
	g.press("home")
	ladder("c", "c", "d")
	g.press("<")
	ladder("b", "a", "b")
	g.press("v", ">")
	ladder("c", "c", "d")
	if !g.Contains("one conversation") || g.Contains("  a  ") {
		t.Errorf("v does not follow the queue pair in hand:\n%s", g.View())
	}
}

// The region in use at each end is that which the user registered, chose in a memory pane or typed, on whatever screen;
// the forms' defaults follow it.
func TestHandOfRegions(t *testing.T) {
	g := newGuided(t, 120, 40, "", append(slices.Clone(uitest.BenchLines), "alloc_pd pd2", "connect_qps a b")...)
	shows := func(when string, texts ...string) {
		t.Helper()
		g.press("3")
		g.app.Beat()
		for _, text := range texts {
			if !g.Contains(text) {
				t.Errorf("%s: no %q\n%s", when, text, g.View())
			}
		}
	}
	shows("at first", "src:0:5", " src ", " dst ")
	g.press("2")
	g.typed("reg_mr m pd=pd length=4096 access=LOCAL_WRITE")
	shows("registered on another screen", "m:0:5", "╭ m ", "╭ dst ")
	g.typed("reg_mr other pd=pd2 length=4096") // of neither end
	shows("of another domain", "m:0:5", "╭ m ", "╭ dst ")
	g.press("]", "]", "right") // b's pane: from dst to m
	g.press("esc", "t", "t")   // RDMA_WRITE
	shows("chosen at the far end", "m.addr", "m.rkey")
	g.press("o")
	shows("of b, whose region m was chosen", "m:0:")
	g.press("o", "t")
	g.typed("dereg_mr m")
	shows("gone", "src:0:", "╭ src ", "╭ dst ")
}
