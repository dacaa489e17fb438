package ui

import (
	"io"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/keymap"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

// askedOn is how long the answer line stays open while neither a question nor a
// command waits. Between two commands of a scenario it must stay, or the keys typed
// would act on the screen.
const askedOn = 300 * time.Millisecond

// answerLine is the line in which the user answers a command that asks. It opens with
// the first question and stays until the command has finished, so that the user can
// type ahead while the peer's answer is on its way.
type answerLine struct {
	app     *App
	open    bool
	waits   bool // a question waits for its answer
	prompt  string
	quietAt time.Time // since when nothing has been under way; zero while something is
	in      *widget.Input
}

// refresh reports whether the answer line has changed.
func (r *answerLine) refresh() (changed bool) {
	prompt, waits := r.app.env.Asks.Asked()
	changed = waits != r.waits || waits && prompt != r.prompt
	r.waits = waits
	switch {
	case waits:
		if r.prompt = prompt; !r.open {
			r.open = true
			if r.app.console.Value() == "" { // the command that was typed there asks
				r.app.console.Close()
			}
			r.in = widget.NewInput(r.app.env.Theme)
		}
		r.quietAt = time.Time{}
	case !r.open:
	case r.underWay():
		r.quietAt = time.Time{}
	case r.quietAt.IsZero():
		r.quietAt = r.app.now()
	case r.app.now().Sub(r.quietAt) >= askedOn:
		r.open, changed = false, true
		r.app.env.Asks.Forget()
	}
	return changed
}

func (r *answerLine) underWay() bool {
	_, waits := r.app.env.Session.Waiting()
	return waits
}

// key edits and sends the answer; taken is false for keys that the line does not use,
// such as those that change the screen.
func (r *answerLine) key(k tea.KeyPressMsg) (taken bool) {
	m := &keymap.Answer
	switch {
	case keymap.Matches(k, m.Send):
		if text := r.in.Value(); strings.TrimSpace(text) != "" {
			r.app.env.Asks.Answer(text, nil)
			r.in.SetValue("")
		}
	case keymap.Matches(k, m.End):
		r.end()
	default:
		return r.in.Update(k)
	}
	r.refresh()
	return true
}

// end ends the input of the command that asks. If the command waits for the peer,
// that wait is stopped.
func (r *answerLine) end() {
	if !r.waits && r.app.wait.shown {
		r.app.stopWait()
		return
	}
	r.app.env.Asks.Answer("", io.EOF)
}

// paste sends the complete lines of a paste; a last line without a line end stays to
// be edited.
func (r *answerLine) paste(text string) {
	lines := strings.Split(strings.ReplaceAll(text, "\r", "\n"), "\n")
	for i, l := range lines {
		r.in.Insert(l)
		if i < len(lines)-1 {
			r.key(tea.KeyPressMsg{Code: tea.KeyEnter})
		}
	}
}

func (r *answerLine) draw(b *line.Buf) {
	th, m := r.app.env.Theme, &keymap.Answer
	ends := m.Send.Help().Key + " " + m.Send.Help().Desc + "  " + m.End.Help().Key + " " +
		m.End.Help().Desc + "  tab next screen"
	if !r.waits && r.app.wait.shown {
		ends = "waiting for the peer  " + m.End.Help().Key + " stop"
	}
	b.Space(1)
	b.Text(r.prompt+": ", th.Label)
	room := max(b.Room()-len(ends)-3, 10)
	cell := b.BeginCell(room, line.Left)
	r.in.Draw(b, room)
	b.End(cell)
	b.Space(2)
	b.Text(ends, th.Dim)
}
