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
	far := a.wait.Progress
	if far != "" {
		far = " (" + far + ")"
	}
	since := ""
	if a.wait.whole > 0 {
		since = " " + format.Span(a.wait.whole)
	}
	left := ""
	if a.wait.left > 0 {
		left = ", " + format.Span(a.wait.left) + " left"
	}
	b.Text(fmt.Sprintf("waiting%s%s%s: %s", since, left, far, a.wait.Line), th.Warn)
	b.End(r)
	b.Space(2)
	b.Text(ends, th.Value)
}
