package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/session/command"
	"rdmatui/session/timeline"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/store"
	"rdmatui/ui/widget"
	"rdmatui/verbs/format"
)

// replayed says in messages what a text is that came from the session that ended last.
const replayed = "last session"

// lastSession returns the lines of the session that ended last.
func lastSession(f store.Folders) (*store.Session, error) {
	last, err := store.LastSession(f, func(line string) error {
		cmd, err := command.Parse(line)
		if err == nil && cmd.MakesFile() {
			err = errors.New("a session that is run again makes no files")
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("--resume: %w", err)
	}
	return last, nil
}

// keepSession keeps what a closed session has done, for the next run. Like the last save of the settings it reports no
// error: a folder that cannot be written was reported before.
func keepSession(kept *store.Store, s *session.Session) {
	ctx, cancel := context.WithTimeout(context.Background(), saveTime)
	defer cancel()
	if lines, cut, err := s.Again(ctx); err == nil {
		_ = kept.KeepSession(lines, cut)
	}
}

// lastLines is the lines of the session that ended last, laid over a screen. They run after a yes.
type lastLines struct {
	*widget.TextPage
	last *store.Session
}

// layLast shows the lines of the session that ended last.
func layLast(a *App, last *store.Session) {
	var text strings.Builder
	for i, l := range last.Lines {
		fmt.Fprintf(&text, "%4d  %s\n", i+1, l)
	}
	title := "run the " + format.Counted(len(last.Lines), "line") + " of the last session?"
	if last.Cut {
		title = "run the first " + format.Counted(len(last.Lines), "line") + " of the last session?"
	}
	shown := widget.NewTextPage(a.env.Theme, strings.TrimSuffix(text.String(), "\n"), a.env.Theme.Value)
	a.lay(title, &lastLines{shown, last})
	a.helpFull = true
}

// context implements keyed.
func (q *lastLines) context() keymap.Context { return keymap.ResumeOpen }

// key implements keyed.
func (q *lastLines) key(a *App, k tea.KeyPressMsg) tea.Cmd {
	switch {
	case keymap.Matches(k, keymap.Resume.Yes):
		a.help, a.helpBox = nil, nil
		a.env.Store.KeepLonger(len(q.last.Lines)) // until all have run
		return a.console.runAll(pasteDone{pasted: pasted{lines: q.last.Lines, of: replayed}}, len(q.last.Lines))
	case keymap.Matches(k, keymap.Resume.No):
		a.help, a.helpBox = nil, nil
	default:
		q.Update(k)
	}
	return nil
}

// tellReplay reports how far the lines of the session that ended last have run.
func tellReplay(a *App, done pasteDone) {
	n := len(done.lines)
	if done.failed == 0 {
		a.env.Store.KeepLonger(0)
		snap := a.env.Session.Snapshot()
		a.env.Hand.Ran(&snap, command.ReadAll(done.lines...)...)
		a.say(screen.FlashMsg{Text: replayed + ": " + format.Counted(n, "line") + " done"})
		return
	}
	a.say(screen.FlashMsg{Level: timeline.LevelError, Text: fmt.Sprintf("%s stopped at line %s of %s: %s", replayed,
		count(done.failed), count(n), oneLine(done.why))})
}
