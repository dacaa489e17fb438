package ui

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/screen"
)

// questions is a command that asks for lines one after the other, with the answers it got.
type questions struct {
	*rig
	t       *testing.T
	answers []string
}

// asked shows an app of w by h cells in which a command asks for input.
func asked(t *testing.T, w, h int, test func(*questions)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		a := &questions{rig: newRig(t, w, h, "open_device soft0", "alloc_pd pd", "reg_mr send length=64"), t: t}
		a.now = time.Now()
		defer a.End()
		a.ask("say")
		test(a)
	})
}

// ask begins an input; the command asks, or reads what was typed ahead.
func (a *questions) ask(prompt string) {
	synctest.Wait() // the previous question has been answered
	go func() {
		done, err := a.sess.Exec(a.t.Context(), "input send prompt="+prompt)
		_, text, _ := strings.Cut(done.Result, ": ")
		if text, _ = strconv.Unquote(text); err != nil {
			text = err.Error()
		}
		a.answers = append(a.answers, text)
	}()
	a.beat()
}

// beat draws a frame once every answer has been read.
func (a *questions) beat() {
	synctest.Wait()
	a.app.Beat()
}

const inputEnded = "the input has ended; end=TEXT sets the text to use then"

// TestAnswer: while a command asks, every key goes to the answer line; enter on an
// empty line sends nothing, esc ends the input.
func TestAnswer(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {80, 24}, {40, 10}} {
		asked(t, size[0], size[1], func(a *questions) {
			if !a.Contains("say: ") || size[0] >= 80 && !a.Contains("enter send  esc end") {
				t.Fatalf("%v: nothing asks:\n%s", size, a.View())
			}
			a.Keys("enter")
			a.Type(" ")
			a.Keys("enter")
			a.Type("q:? 12x")
			if !a.Contains("q:? 12x") {
				t.Errorf("%v: what is typed does not show:\n%s", size, a.View())
			}
			a.Keys("backspace", "enter")
			a.beat()
			a.Type("ahead") // the peer's answer is on its way
			a.Keys("enter")
			a.ask("say")
			a.ask("say")
			a.Keys("esc")
			a.beat()
			if want := []string{" q:? 12", "ahead", inputEnded}; !slices.Equal(a.answers, want) {
				t.Errorf("%v: answers %q", size, a.answers)
			}
			if keys := a.screens[screen.Devices].keys; len(keys) > 0 {
				t.Errorf("%v: the screen got %q", size, keys)
			}
			a.sess.WantLines(slices.Repeat([]string{"input send prompt=say"}, 3)...)
		})
	}
}

// The line stays while anything is under way and closes a moment later, dropping what
// was typed ahead: keys then act on the screen again.
func TestAnswerGoes(t *testing.T) {
	asked(t, 80, 24, func(a *questions) {
		a.Type("hi")
		a.Keys("enter")
		synctest.Wait()
		a.sess.Hold()
		a.now = time.Now().Add(time.Minute)
		if a.beat(); !a.Contains("waiting for the peer  esc stop") {
			t.Errorf("the peer is not waited for:\n%s", a.View())
		}
		a.Keys("esc")
		synctest.Wait()
		if _, waits := a.sess.Waiting(); waits || len(a.answers) != 1 {
			t.Errorf("esc does not end the wait for the peer: answers %q", a.answers)
		}
		a.Type("ahead")
		a.Keys("enter")
		a.Type("lost")
		a.beat()
		a.now = a.now.Add(askedOn - time.Millisecond)
		if a.beat(); !a.Contains("say: lost") {
			t.Errorf("it goes between two commands:\n%s", a.View())
		}
		a.now = a.now.Add(time.Millisecond)
		if a.beat(); a.Contains("say:") {
			t.Errorf("it stays:\n%s", a.View())
		}
		if a.Keys("x"); strings.Join(a.screens[screen.Devices].keys, "") != "x" {
			t.Error("keys do not come back to the screen")
		}
		if a.ask("again"); !a.Contains("again: ") || len(a.answers) != 1 {
			t.Errorf("what was typed ahead is an answer: %q", a.answers)
		}
	})
}

// Other screens can be used while a command asks; an open help, dialog or console
// keeps its keys; a prompt is escaped.
func TestAnswerBesideTheRest(t *testing.T) {
	asked(t, 80, 24, func(a *questions) {
		a.Keys("tab")
		if a.app.at != screen.BringUp || !a.Contains("say:") {
			t.Errorf("screen %d:\n%s", a.app.at, a.View())
		}
		a.Keys("up", "pgdown")
		if got := strings.Join(a.screens[screen.BringUp].keys, " "); got != "up pgdown" {
			t.Errorf("the screen got %q", got)
		}
		a.Type("x")
		a.Keys("enter")
		a.ask(`"a\x1b[2J\xe2\x80\xaeb"`)
		if strings.Contains(a.View(), "\x1b[2J") || !a.Contains(`a\x1b[2J\u202eb: `) {
			t.Errorf("the prompt is not escaped:\n%q", a.View())
		}
		a.app.openHelp()
		if a.Keys("esc"); a.app.help != nil || len(a.answers) != 1 {
			t.Errorf("the help does not get its key: %q", a.answers)
		}
	})
}

// Each complete line of a paste is sent; a last line without a line end waits for enter.
func TestAnswerPasted(t *testing.T) {
	asked(t, 80, 24, func(a *questions) {
		a.Send(tea.PasteMsg{Content: "one\r\ntwo\n\nthr\x1bee"})
		a.ask("say")
		if !slices.Equal(a.answers, []string{"one", "two"}) || !a.Contains("say: three") {
			t.Errorf("answers %q:\n%s", a.answers, a.View())
		}
	})
}
