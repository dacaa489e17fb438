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

// pasted are lines of a paste, and how many of its lines have run before them.
type pasted struct {
	lines  []string
	before int
	of     string // where the lines came from; "": a paste
}

// pasteDone is the outcome of a pasted text.
type pasteDone struct {
	pasted
	failed int // the failed line, from 1; 0: none
	why    string
}

func count(n int) string { return format.Count(uint64(n)) }

// runLines runs lines as a script, loops included, up to the first that fails. A line
// that cannot be parsed ends them before the session sees it.
func (l *typedLines) runLines(p pasted) tea.Cmd {
	done, lines := pasteDone{pasted: p}, p.lines
	l.held = pasted{}
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
	return tea.Batch(l.runAll(done, good), l.app.env.Save())
}

// runAll runs the first lines as a script, and reports the outcome.
func (l *typedLines) runAll(done pasteDone, good int) tea.Cmd {
	whole := strings.Join(done.lines[:good], "\n")
	return l.afterTyped(func() tea.Msg {
		var failed *script.Error
		switch err := l.app.env.Session.RunScript(l.app.env.Ctx, "paste", strings.NewReader(whole)); {
		case errors.As(err, &failed):
			done.failed, done.why = max(failed.Line, 1), failed.Err.Error()
		case err != nil:
			done.failed, done.why = good, err.Error()
		}
		return done
	})
}

// tellPaste reports where a paste has stopped and leaves that line to be corrected.
func (l *typedLines) tellPaste(done pasteDone) {
	n := len(done.lines)
	if done.of == replayed {
		tellReplay(l.app, done)
		return
	}
	if done.failed == 0 {
		l.Tell("", "paste: "+format.Counted(done.before+n, "line")+" done")
		return
	}
	text := fmt.Sprintf("paste stopped at line %s of %s: %s", count(done.before+done.failed),
		count(done.before+n), done.why)
	rest := "line after it"
	if n-done.failed > 1 {
		rest = count(n-done.failed) + " lines after it"
	}
	again := l.IsOpen() && l.Value() == ""
	switch {
	case n == done.failed:
	case again && !inLoop(done.lines[:done.failed]):
		text += "; enter runs it and the " + rest
		l.held = pasted{lines: done.lines[done.failed:], before: done.before + done.failed - 1}
	default:
		text += "; the " + rest + " did not run"
	}
	l.Warn("", text)
	if again {
		l.SetValue(done.lines[done.failed-1])
	}
}

// inLoop reports whether lines end within a loop, which cannot be entered in its middle.
func inLoop(lines []string) bool {
	depth := 0
	for _, l := range lines {
		switch word, _, _ := strings.Cut(strings.TrimSpace(l), " "); word {
		case "loop":
			depth++
		case "end":
			depth--
		}
	}
	return depth > 0
}
