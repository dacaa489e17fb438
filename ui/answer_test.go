package ui

import (
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/ui/screen"
)

// fakeAsks is a command that asks for lines, or none.
type fakeAsks struct {
	prompt  string
	asks    bool
	answers []string
	forgot  int
}

func (f *fakeAsks) Asked() (string, bool) { return f.prompt, f.asks }
func (f *fakeAsks) Forget()               { f.forgot++ }
func (f *fakeAsks) Answer(line string, err error) {
	if err == io.EOF {
		line = "EOF"
	}
	f.asks = false
	f.answers = append(f.answers, line)
}

func asked(t *testing.T, w, h int) (*rig, *fakeAsks, *fakeWaits) {
	t.Helper()
	r := newRig(t, w, h)
	f, waits := &fakeAsks{prompt: "say", asks: true}, &fakeWaits{wait: session.Wait{Line: "input send", Since: r.now}, waits: true}
	r.app.env.Asks, r.app.env.Waits = f, waits
	r.app.Beat()
	return r, f, waits
}

// TestAnswer: while a command asks, what is typed goes to it whatever it means
// elsewhere; enter on an empty line sends nothing, esc is the end of the input.
func TestAnswer(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {80, 24}, {40, 10}} {
		r, f, waits := asked(t, size[0], size[1])
		if !r.Contains("say: ") || size[0] >= 80 && !r.Contains("enter send  esc end") {
			t.Fatalf("%v: nothing asks:\n%s", size, r.View())
		}
		r.Keys("enter")
		r.Type(" ")
		r.Keys("enter")
		r.Type("q:? 12x")
		if !r.Contains("q:? 12x") {
			t.Errorf("%v: what is typed does not show:\n%s", size, r.View())
		}
		r.Keys("backspace", "enter")
		if !slices.Equal(f.answers, []string{" q:? 12"}) {
			t.Errorf("%v: answers %q", size, f.answers)
		}
		r.Type("ahead") // the peer's answer is on its way
		r.Keys("enter")
		f.asks = true
		r.app.Beat()
		r.Keys("esc")
		if got := f.answers[len(f.answers)-2:]; !slices.Equal(got, []string{"ahead", "EOF"}) || waits.stops != 0 {
			t.Errorf("%v: answers %q, %d stops", size, got, waits.stops)
		}
		if keys := r.screens[screen.Devices].keys; len(keys) > 0 || len(r.session.lines) > 0 {
			t.Errorf("%v: the screen got %q, the session %q", size, keys, r.session.lines)
		}
	}
}

// The line stays while anything is under way, and goes when nothing has been for a
// while: keys then act on the screen again.
func TestAnswerGoes(t *testing.T) {
	r, f, waits := asked(t, 80, 24)
	r.Type("hi")
	r.Keys("enter")
	r.now = r.now.Add(time.Minute)
	if r.app.Beat(); !r.Contains("waiting for the peer  esc stop") {
		t.Errorf("the peer is not waited for:\n%s", r.View())
	}
	if r.Keys("esc"); waits.stops != 1 || len(f.answers) != 1 {
		t.Errorf("esc does not end the wait for the peer: %d stops, answers %q", waits.stops, f.answers)
	}
	r.Type("lost")
	waits.waits = false
	r.app.Beat()
	r.now = r.now.Add(askedOn - time.Millisecond)
	if r.app.Beat(); !r.Contains("say: lost") {
		t.Errorf("it goes between two commands:\n%s", r.View())
	}
	r.now = r.now.Add(time.Millisecond)
	if r.app.Beat(); r.Contains("say:") || f.forgot != 1 {
		t.Errorf("it stays, or what was typed ahead does:\n%s", r.View())
	}
	if r.Keys("x"); strings.Join(r.screens[screen.Devices].keys, "") != "x" {
		t.Error("keys do not come back to the screen")
	}
}

// Other screens can be looked at while something asks; help, questions and the
// command line that are open keep their keys; a prompt is escaped.
func TestAnswerBesideTheRest(t *testing.T) {
	r, f, _ := asked(t, 80, 24)
	r.Keys("tab")
	if r.app.at != screen.BringUp || !r.Contains("say:") {
		t.Errorf("screen %d:\n%s", r.app.at, r.View())
	}
	r.Keys("up", "pgdown")
	if got := strings.Join(r.screens[screen.BringUp].keys, " "); got != "up pgdown" {
		t.Errorf("the screen got %q", got)
	}
	f.prompt = "a\x1b[2J\u202eb"
	if r.app.Beat(); strings.Contains(r.View(), "\x1b[2J") || !r.Contains(`a\x1b[2J\u202eb: `) {
		t.Errorf("the prompt is not escaped:\n%q", r.View())
	}
	r.app.openHelp()
	if r.Keys("esc"); r.app.help != nil || len(f.answers) > 0 {
		t.Errorf("the help does not get its key: %q", f.answers)
	}
}

// Each line of a paste is sent; what has no line end waits for enter.
func TestAnswerPasted(t *testing.T) {
	r, f, _ := asked(t, 80, 24)
	r.Send(tea.PasteMsg{Content: "one\r\ntwo\n\nthr\x1bee"})
	if !slices.Equal(f.answers, []string{"one", "two"}) || !r.Contains("say: three") {
		t.Errorf("answers %q:\n%s", f.answers, r.View())
	}
}
