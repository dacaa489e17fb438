package widget

import (
	"time"

	"charm.land/lipgloss/v2"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/keymap"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
)

// DialogGrace is how long a new dialog ignores the keys that screens use too, so that
// one meant for the screen does not answer it. y and n can only be meant for it.
const DialogGrace = 300 * time.Millisecond

// DialogResult is the effect of a key.
type DialogResult int

// Results below zero; an answer is its index in Answers.
const (
	DialogPending  DialogResult = -1
	DialogCanceled DialogResult = -2
)

// Dialog is one question. Make a new one for every question.
type Dialog struct {
	Answers []string // the first is selected at the start and should be harmless
	At      int

	th     *theme.Theme
	title  string
	text   string
	now    func() time.Time
	opened time.Time
}

// NewDialog opens a dialog. A question whose answers are "yes" and "no" also takes y
// and n. now is time.Now in the program.
func NewDialog(th *theme.Theme, now func() time.Time, title, text string, answers ...string) *Dialog {
	if len(answers) == 0 {
		answers = []string{"ok"}
	}
	return &Dialog{Answers: answers, th: th, title: title, text: text, now: now, opened: now()}
}

// Update takes a key. Within the grace period all but y and n are swallowed.
func (d *Dialog) Update(msg tea.KeyPressMsg) DialogResult {
	k, n := &keymap.Dialog, len(d.Answers)
	switch {
	case keymap.Matches(msg, k.Yes):
		return d.answer("yes")
	case keymap.Matches(msg, k.No):
		return d.answer("no")
	case d.now().Sub(d.opened) < DialogGrace:
	case keymap.Matches(msg, k.Accept):
		return DialogResult(d.At)
	case keymap.Matches(msg, k.Cancel):
		return DialogCanceled
	case keymap.Matches(msg, k.Next):
		d.At = (d.At + 1) % n
	case keymap.Matches(msg, k.Prev):
		d.At = (d.At + n - 1) % n
	}
	return DialogPending
}

func (d *Dialog) answer(text string) DialogResult {
	for i, a := range d.Answers {
		if a == text {
			return DialogResult(i)
		}
	}
	return DialogPending
}

// Over draws the dialog in the middle of a finished screen of w times h cells.
// It costs milliseconds: call it only while open and keep what it returns.
func (d *Dialog) Over(base string, w, h int) string {
	inner := min(56, w-4)
	if inner < 8 || h < 5 {
		return base
	}
	var text []string
	for _, l := range splitLines(d.text) {
		text = Wrap(text, l, inner-2)
	}
	rows := min(len(text), h-5)
	body := &Func{Line: func(b *line.Buf, y, _, _ int) {
		b.Space(1)
		switch {
		case y < rows:
			b.Text(text[y], d.th.Value)
		case y == rows+1:
			d.answers(b)
		}
	}}
	box := NewBox(d.th, d.title, body)
	box.Focused = true
	bw, bh := inner+2, rows+4
	return Overlay(base, Render(d.th, box, bw, bh), (w-bw)/2, (h-bh)/2)
}

func (d *Dialog) answers(b *line.Buf) {
	for i, a := range d.Answers {
		st := d.th.Tab
		open, shut := " ", " "
		if i == d.At {
			st, open, shut = d.th.TabActive, "[", "]"
		}
		b.Text(open, st)
		b.Text(a, st)
		b.Text(shut, st)
		b.Space(2)
	}
}

// Overlay puts a finished box over a finished screen at x, y.
func Overlay(base, box string, x, y int) string {
	return lipgloss.NewCompositor(lipgloss.NewLayer(base), lipgloss.NewLayer(box).X(x).Y(y).Z(1)).Render()
}

func splitLines(s string) []string {
	var out []string
	start := 0
	for i := range len(s) {
		if s[i] == '\n' {
			out = append(out, s[start:i])
			start = i + 1
		}
	}
	return append(out, s[start:])
}
