package ui

import (
	"fmt"
	"time"

	"rdmatui/session"
	"rdmatui/ui/keymap"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/format"
)

// waitShown is how long a command waits before the foot tells of it: most waits
// are over sooner, and would only flicker.
const waitShown = 500 * time.Millisecond

// waiting is the command that is being carried out, as the foot shows it.
type waiting struct {
	session.Wait
	shown bool
	whole time.Duration // that it has taken, in seconds
	left  time.Duration // until its own limit ends it, in seconds; 0: it has none, or it is over
}

// lookAtWait reports whether the foot has something else to show.
func (a *App) lookAtWait() (changed bool) {
	var now waiting
	if w, ok := a.env.Session.Waiting(); ok {
		at := a.now()
		waited := at.Sub(w.Since)
		now = waiting{w, waited >= waitShown, waited.Truncate(time.Second), 0}
		if !w.Until.IsZero() {
			now.left = max(w.Until.Sub(at).Truncate(time.Second), 0)
		}
	}
	if !now.shown {
		now = waiting{}
	}
	changed = now != a.wait
	a.wait = now
	if changed {
		a.console.SetBusy(a.busyText())
	}
	return changed
}

func (a *App) stopWait() {
	a.env.Session.StopWaiting()
}

func (a *App) drawWait(b *line.Buf) {
	th, help := a.env.Theme, keymap.Waiting.Stop.Help()
	ends := fmt.Sprintf("%s %s", help.Key, help.Desc)
	b.Space(1)
	r := b.BeginCell(max(b.Room()-len(ends)-3, 0), line.Left)
	b.Text(a.wait.text(), th.Warn)
	b.End(r)
	b.Space(2)
	b.Text(ends, th.Value)
}

// text says what waits, and how long.
func (w *waiting) text() string {
	far := w.Progress
	if far != "" {
		far = " (" + far + ")"
	}
	since := ""
	if w.whole > 0 {
		since = " " + format.Span(w.whole)
	}
	left := ""
	if w.left > 0 {
		left = ", " + format.Span(w.left) + " left"
	}
	return fmt.Sprintf("waiting%s%s%s: %s", since, left, far, w.Line)
}

// busyText is what an open console shows of the wait.
func (a *App) busyText() string {
	switch {
	case !a.wait.shown:
		return ""
	case a.console.typedWaits():
		return a.wait.text() + " (esc stops it)"
	}
	return a.wait.text()
}
