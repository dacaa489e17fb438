package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/screen"
)

// The result of a slow command goes to the screen that ran it. The screen in front
// gets nothing; a failure is reported with the name of its screen.
func TestResultGoesToItsScreen(t *testing.T) {
	r := newRig(t, 120, 40)
	release := r.sess.Hold()
	asked, other := r.screens[screen.BringUp], r.screens[screen.Journal]
	asked.onKey = r.app.env.Exec("alloc_pd pd")
	r.Keys("2", "x", "8")
	release()
	r.WaitFor("Bring-up: no device exists yet")
	if len(other.got) != 0 || len(asked.got) != 1 {
		t.Fatalf("the screen in front got %v, the one that asked %v", other.got, asked.got)
	}
	if done := asked.got[0].(screen.DoneMsg); done.Line != "alloc_pd pd" || done.Typed {
		t.Errorf("it got %+v", done)
	}
	// The result of a typed line goes to the screen over which it was typed.
	release = r.sess.Hold()
	r.Keys(":")
	r.Type("note x")
	r.Keys("enter", "esc", "1")
	release()
	r.WaitFor("note x")
	if len(other.got) != 1 || !other.got[0].(screen.DoneMsg).Typed || len(r.screens[screen.Devices].got) != 0 {
		t.Errorf("typed over the journal, which got %v", other.got)
	}
}

// Work that a frame asks for is addressed too, and so are the messages of a batch or
// a sequence.
func TestWorkOfAFrame(t *testing.T) {
	say := func(text string) tea.Cmd { return screen.Send(text) }
	for name, work := range map[string]tea.Cmd{
		"one": say("a b"), "batch": tea.Batch(say("a"), say("b")),
		"sequence": tea.Sequence(say("a"), tea.Batch(say("b"))),
	} {
		r := newRig(t, 80, 24)
		asked := r.screens[screen.Devices]
		asked.wants = work
		beat := r.app.Beat()
		r.Keys("8")
		r.Send(beat())
		var got []string
		for _, m := range asked.got {
			got = append(got, m.(string))
		}
		if all := strings.Join(got, " "); all != "a b" && all != "b a" || len(r.screens[screen.Journal].got) != 0 {
			t.Errorf("%s: it got %q, the screen in front %v", name, got, r.screens[screen.Journal].got)
		}
	}
}

// Requests to root or to the terminal are not addressed.
func TestRequestsPass(t *testing.T) {
	for _, msg := range []tea.Msg{nil, screen.FlashMsg{Text: "x"}, screen.GotoMsg{}, tea.QuitMsg{},
		tea.SetClipboard("x")()} {
		if got := addressed(screen.Post, msg); got != msg {
			t.Errorf("%T became %T", msg, got)
		}
	}
	if _, ok := addressed(screen.Post, "x").(mail); !ok {
		t.Error("a message of a screen's own has no address")
	}
}
