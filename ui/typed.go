package ui

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/command"
	"rdmatui/session/command/syntax"
	"rdmatui/session/timeline"
	"rdmatui/ui/console"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/widget"
)

// typedLines is the console with the handling of the lines typed into it.
type typedLines struct {
	*console.Console
	app  *App
	last <-chan struct{} // closed when the last typed line has ended; nil if there was none
	held pasted          // the lines of a paste after one that failed, run once that line is corrected
}

func newTypedLines(a *App) *typedLines {
	l := &typedLines{app: a}
	l.Console = console.New(a.env.Theme, a.env.Session.Timeline(), l.complete)
	l.SetHistory(a.env.Store.History())
	return l
}

// complete lists the candidates at the cursor: commands of the session, and of the
// program.
func (l *typedLines) complete(text string, cursor int) (out []widget.Candidate) {
	for _, c := range l.app.env.Session.Complete(text, cursor) {
		out = append(out, widget.Candidate{Text: c.Text, Help: c.Doc, From: c.From, To: c.To})
	}
	return append(out, l.ownCandidates(text, cursor)...)
}

// Close closes the console. It forgets the rest of a paste.
func (l *typedLines) Close() {
	l.held = pasted{}
	l.Console.Close()
}

func (l *typedLines) key(k tea.KeyPressMsg) tea.Cmd {
	if l.Value() == "" && l.typedWaits() && keymap.Matches(k, keymap.Waiting.Stop) {
		l.app.stopWait()
		return nil
	}
	if k.Text == ":" && l.Value() == "" { // some users type the key before each line
		return nil
	}
	result := l.Update(k)
	if !l.IsOpen() { // esc
		l.Close()
	}
	switch result {
	case console.Accept:
		return l.accept(l.Value())
	case console.Copy:
		if text := l.LastResult(); text != "" {
			l.app.say(screen.FlashMsg{Text: "copied the last result"})
			return tea.SetClipboard(text)
		}
	}
	return nil
}

// accept takes the console's line: enter on an empty line closes the console. A line
// that cannot be parsed stays to be corrected, and the session never sees it.
func (l *typedLines) accept(text string) tea.Cmd {
	if strings.TrimSpace(text) == "" {
		l.Close()
		return nil
	}
	if own, arg, ok := ownWord(text); ok {
		return l.acceptOwn(own, text, arg)
	}
	if held := l.held; len(held.lines) > 0 && !l.Once() {
		held.lines = append([]string{text}, held.lines...)
		return l.runLines(held)
	}
	if err := mistake(text); err != nil {
		if len(strings.Fields(text)) > fewWords && tellsAsLog(text[:min(len(text), shortLog)]) {
			l.Fail("a line of a log? put "+explainWord+" before it", 0, &widget.Candidate{Text: explainWord + " "})
			return nil
		}
		l.failLine(err)
		return nil
	}
	l.ran(text)
	return tea.Batch(l.execTyped(text), l.app.env.Save())
}

// ran records an accepted line.
func (l *typedLines) ran(text string) {
	l.Remember(text)
	l.app.env.Store.AddHistory(text)
	if l.Once() {
		l.Close()
	}
	l.SetValue("")
}

// mistake returns the syntax error of a line, before the session sees it.
func mistake(text string) *syntax.Error {
	_, err := command.Parse(text)
	var wrong *syntax.Error
	if errors.As(err, &wrong) {
		return wrong
	}
	return nil
}

// failLine shows what is wrong with the line in the console; tab inserts the
// suggested word.
func (l *typedLines) failLine(err *syntax.Error) {
	text, at := err.Msg, err.Column-1
	if err.Hint != "" {
		text += ": " + err.Hint
	}
	var meant *widget.Candidate
	if word := err.Meant(); word != "" {
		at += len(err.Token)
		meant = &widget.Candidate{Text: word, Help: "instead of " + err.Token, From: err.Column - 1, To: at}
	}
	l.Fail(text, at, meant)
}

// inTurn is how long a typed line waits for the previous one to end. A longer one
// waits for something itself, and the session then says so.
const inTurn = 300 * time.Millisecond

// execTyped runs a line. Its result goes to the screen over which it was typed.
func (l *typedLines) execTyped(text string) tea.Cmd {
	exec := l.app.env.Exec(text)
	return from(l.app.at, l.afterTyped(func() tea.Msg {
		done := exec().(screen.DoneMsg)
		done.Typed = true
		return done
	}))
}

// afterTyped delays work until the previous line has ended. Each runs in its own
// goroutine, so two started together could run in the wrong order.
func (l *typedLines) afterTyped(work tea.Cmd) tea.Cmd {
	before, ended := l.last, make(chan struct{})
	l.last = ended
	return func() tea.Msg {
		defer close(ended)
		if before != nil {
			late := time.NewTimer(inTurn)
			defer late.Stop()
			select {
			case <-before:
			case <-late.C:
			case <-l.app.env.Ctx.Done():
			}
		}
		return work()
	}
}

// typedWaits reports whether the last typed line is waiting and the bottom line says so.
func (l *typedLines) typedWaits() bool {
	if !l.app.wait.shown || l.last == nil {
		return false
	}
	select {
	case <-l.last:
		return false
	default:
		return true
	}
}

// done reports the result of a typed line, and a failure on any screen: a failure of
// another screen carries its name. An open console shows both; the bottom line
// reappears when it closes.
func (a *App) done(of screen.ID, msg screen.DoneMsg) tea.Cmd {
	if msg.Typed {
		a.tellResult(msg.Done)
	}
	if msg.Typed && msg.Err == nil {
		snap := a.env.Session.Snapshot()
		a.env.Hand.Ran(&snap, command.ReadAll(msg.Line)...)
	}
	if msg.Err != nil {
		text := oneLine(cmp.Or(msg.Done.Err, msg.Err.Error())) // the first is written for people
		if of != a.at && !msg.Typed {
			text = a.tabs[of].name + ": " + text
		}
		if msg.Done.Hint != "" && !strings.Contains(text, msg.Done.Hint) {
			text += " — " + msg.Done.Hint
		}
		a.flashUp(screen.FlashMsg{Level: timeline.LevelError, Text: text})
		a.answered = of == a.at
	}
	return a.refresh()
}

func (a *App) tellResult(done timeline.CommandDone) {
	if strings.Contains(done.Result, "\n") && !a.console.IsOpen() {
		a.lay(done.Line, widget.NewTextPage(a.env.Theme, done.Result, a.env.Theme.Value))
		return
	}
	a.flashUp(screen.FlashMsg{Text: oneLine(done.Line, done.Result)})
}

func oneLine(parts ...string) string {
	var kept []string
	for _, p := range parts {
		if p != "" {
			kept = append(kept, strings.ReplaceAll(p, "\n", " "))
		}
	}
	return strings.Join(kept, " → ")
}

// maxPaste bounds a paste of several lines, in bytes.
const maxPaste = 256 << 10

// paste takes a paste and runs each of several lines.
func (l *typedLines) paste(content string) tea.Cmd {
	if work, isLog := l.pasteLog(content); isLog {
		return work
	}
	lines := strings.Split(strings.TrimRight(lineEnds.Replace(content), "\n"), "\n")
	most := maxPaste
	if len(lines) == 1 { // cutting it would make another line
		most = widget.MaxInput
	}
	switch n := len(content); {
	case n > most:
		l.Fail(fmt.Sprintf(
			"paste not taken: it has %s bytes, the console takes %s; save it to a file and start rdmatui run FILE",
			count(n), count(most)), len(l.Value()), nil)
	case len(lines) == 1:
		l.Update(tea.PasteMsg{Content: lines[0]})
	default:
		lines[0] = l.Value() + lines[0]
		return l.runLines(pasted{lines: lines})
	}
	return nil
}
