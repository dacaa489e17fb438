package ui

import (
	"io"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/keymap"
	"rdmatui/ui/widget/input"
	"rdmatui/ui/widget/line"
)

// askedOn is how long the foot stays the line to type in when neither a question
// nor a command waits: between two commands of a scenario it must not go away, or
// what is typed would act on the screen.
const askedOn = 300 * time.Millisecond

// answerLine is the line in which the person answers a command that asks. It opens
// with the first question and stays until what has asked is over, so that one can
// type while the peer's answer is on its way.
type answerLine struct {
	open    bool
	waits   bool // a question waits for its answer
	prompt  string
	quietAt time.Time // since when nothing has been under way; zero: something is
	in      *input.Input
}

// lookAtQuestion reports whether the foot has something else to show.
func (a *App) lookAtQuestion() (changed bool) {
	k := &a.reply
	prompt, waits := a.env.Asks.Asked()
	changed = waits != k.waits || waits && prompt != k.prompt
	k.waits = waits
	switch {
	case waits:
		if k.prompt = prompt; !k.open {
			k.open = true
			k.in = input.New(a.env.Theme)
		}
		k.quietAt = time.Time{}
	case !k.open:
	case a.underWay():
		k.quietAt = time.Time{}
	case k.quietAt.IsZero():
		k.quietAt = a.now()
	case a.now().Sub(k.quietAt) >= askedOn:
		k.open, changed = false, true
		a.env.Asks.Forget()
	}
	return changed
}

func (a *App) underWay() bool {
	_, waits := a.env.Session.Waiting()
	return waits
}

// keyInAnswer edits and sends the answer; taken is false for keys that the line
// has no use for, such as those that go to the next screen.
func (a *App) keyInAnswer(k tea.KeyPressMsg) (taken bool) {
	m := &keymap.Answer
	switch {
	case keymap.Matches(k, m.Send):
		if text := a.reply.in.Value(); strings.TrimSpace(text) != "" {
			a.env.Asks.Answer(text, nil)
			a.reply.in.SetValue("")
		}
	case keymap.Matches(k, m.End):
		a.endAnswers()
	default:
		return a.reply.in.Update(k)
	}
	a.lookAtQuestion()
	return true
}

// endAnswers tells whoever asks that nothing more comes. While the peer is waited
// for, that wait is stopped.
func (a *App) endAnswers() {
	if !a.reply.waits && a.wait.shown {
		a.stopWait()
		return
	}
	a.env.Asks.Answer("", io.EOF)
}

// pasteAnswer sends the lines of a paste, and leaves the last one to be edited where
// no line end follows it.
func (a *App) pasteAnswer(text string) {
	lines := strings.Split(strings.ReplaceAll(text, "\r", "\n"), "\n")
	for i, l := range lines {
		a.reply.in.Insert(l)
		if i < len(lines)-1 {
			a.keyInAnswer(tea.KeyPressMsg{Code: tea.KeyEnter})
		}
	}
}

// answering reports whether what is typed answers a command.
func (a *App) answering() bool {
	return a.reply.open && a.ask == nil && a.help == nil && !a.palette.IsOpen()
}

func (a *App) drawAnswer(b *line.Buf) {
	th, m := a.env.Theme, &keymap.Answer
	ends := m.Send.Help().Key + " " + m.Send.Help().Desc + "  " + m.End.Help().Key + " " + m.End.Help().Desc + "  tab next screen"
	if !a.reply.waits && a.wait.shown {
		ends = "waiting for the peer  " + m.End.Help().Key + " stop"
	}
	b.Space(1)
	b.Text(a.reply.prompt+": ", th.Label)
	room := max(b.Room()-len(ends)-3, 10)
	r := b.BeginCell(room, line.Left)
	a.reply.in.Draw(b, room)
	b.End(r)
	b.Space(2)
	b.Text(ends, th.Dim)
}
