package ui

import (
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/script"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/format"
)

// pasteDone is the outcome of a pasted text.
type pasteDone struct {
	lines  []string
	failed int // the failed line, from 1; 0: none
	why    string
}

func count(n int) string { return format.Count(uint64(n)) }

// runLines runs lines as a script, loops included, up to the first that fails. A line
// that cannot be parsed ends them before the session sees it.
func (l *typedLines) runLines(lines []string) tea.Cmd {
	done := pasteDone{lines: lines}
	good := len(lines)
	for i, text := range lines {
		if err := mistake(text); err != nil {
			good, done.failed, done.why = i, i+1, err.Error()
			break
		}
		l.Remember(line.Escape(text))
		l.app.env.Store.AddHistory(text)
	}
	l.SetValue("")
	whole := strings.Join(lines[:good], "\n")
	run := l.afterTyped(func() tea.Msg {
		var failed *script.Error
		switch err := l.app.env.Session.RunScript(l.app.env.Ctx, "paste", strings.NewReader(whole)); {
		case errors.As(err, &failed):
			done.failed, done.why = max(failed.Line, 1), failed.Err.Error()
		case err != nil:
			done.failed, done.why = good, err.Error()
		}
		return done
	})
	return tea.Batch(run, l.app.env.Save())
}

// tellPaste reports where a paste has stopped and leaves that line to be corrected.
func (l *typedLines) tellPaste(done pasteDone) {
	n := len(done.lines)
	if done.failed == 0 {
		l.Tell("", "paste: "+format.Counted(n, "line")+" done")
		return
	}
	text := fmt.Sprintf("paste stopped at line %s of %s: %s", count(done.failed), count(n), done.why)
	switch rest := n - done.failed; rest {
	case 0:
	case 1:
		text += "; the line after it did not run"
	default:
		text += fmt.Sprintf("; the %s lines after it did not run", count(rest))
	}
	l.Warn("", text)
	if l.IsOpen() && l.Value() == "" {
		l.SetValue(done.lines[done.failed-1])
	}
}
