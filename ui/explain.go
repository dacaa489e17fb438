package ui

import (
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/assets/explain"
	"rdmatui/ui/explained"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

// explainWord begins a console line that the session does not handle: it changes
// nothing and is not recorded.
const explainWord = "explain"

// fewEntries is the largest number of entries shown in full.
const fewEntries = 4

// explainTyped answers an explain line of the console.
func (l *typedLines) explainTyped(asked string) (tea.Cmd, error) {
	entries, text, err := explainText(asked, l.app.w-4)
	if err != nil {
		return nil, err
	}
	l.app.tours.tell(entries)
	l.Tell(explainWord+" "+asked, text)
	return nil, nil
}

// explainText returns what a question or a log asks for, and its text in w cells.
func explainText(asked string, w int) ([]explain.Entry, string, error) {
	answer := explain.Read(asked)
	if len(answer.Entries) == 0 {
		return nil, "", errors.New(unknown(asked))
	}
	for i := range answer.Entries {
		answer.Entries[i] = explained.Asked(answer.Entries[i])
	}
	if answer.Log || explain.Leads(answer.Entries, asked) {
		return answer.Entries, logText(answer, w), nil
	}
	return answer.Entries, entriesText(answer.Entries, w), nil
}

// explainPasted answers log lines. It is work for a goroutine: a long log takes seconds.
func explainPasted(asked string, w int) tea.Cmd {
	line := fmt.Sprintf("%s (%s lines)", explainWord, count(strings.Count(strings.TrimSpace(asked), "\n")+1))
	return func() tea.Msg {
		_, text, err := explainText(asked, w)
		return told{line, text, err}
	}
}

// lineEnds unifies line ends: a terminal may paste a carriage return for each.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// pasteLog explains log lines pasted after explain, or into an empty line: the console has only one line, so
// pasted there they would run together.
func (l *typedLines) pasteLog(content string) (work tea.Cmd, done bool) {
	if !strings.ContainsAny(strings.TrimSpace(content), "\r\n") {
		return nil, false
	}
	word, begun, asks := strings.Cut(l.Value(), " ")
	content = lineEnds.Replace(content)
	switch {
	case len(content) > maxPaste && asks:
		l.Fail(fmt.Sprintf("paste not taken: it has %s bytes, the console takes %s; save it to a file: rdmatui explain - < FILE",
			count(len(content)), count(maxPaste)), len(l.Value()), nil)
		return nil, true
	case len(content) > maxPaste:
		return nil, false
	case asks && strings.TrimSpace(word) == explainWord:
	case l.Value() == "" && isLog(content):
	default:
		return nil, false
	}
	l.SetValue("")
	return explainPasted(begun+content, l.app.w-4), true
}

// shortLog is the bytes of a log that are read at once. The screen waits meanwhile.
const shortLog = 4 << 10

// isLog reports that no line of a text is one of the session, and that the text, if it is short, tells something as
// a log.
func isLog(text string) bool {
	for l := range strings.Lines(text) {
		if l = strings.TrimSpace(l); l != "" && (strings.HasPrefix(l, "#") || mistake(l) == nil) {
			return false
		}
	}
	return len(text) > shortLog || tellsAsLog(text)
}

func tellsAsLog(text string) bool {
	answer := explain.Read(text)
	return answer.Log && len(answer.Entries) > 0
}

// logText formats what is known of a log, or of a call: the first entry in full, the
// others in one line each.
func logText(answer explain.Answer, w int) string {
	var b strings.Builder
	for i, e := range answer.Entries {
		if i == 0 {
			b.WriteString(explained.Text(e, w) + "\n")
			continue
		}
		if e.Line > 0 {
			fmt.Fprintf(&b, "line %d: ", e.Line)
		}
		fmt.Fprintf(&b, "%s: %s\n", line.Escape(e.Ask()), line.Escape(e.Short))
	}
	return b.String()
}

// fewWords is the most words of a question; a longer text is a log line.
const fewWords = 5

func unknown(asked string) string {
	switch words := strings.Fields(asked); {
	case len(words) == 0:
		return "explain WORD: give a name, or a number after a word: explain status 12, explain modify_qp EINVAL, explain INIT RTR"
	case len(words) > fewWords:
		return "nothing in this log is known; give the lines with a status, an errno, an event or the verb that failed"
	}
	word := explain.Unknown(asked)
	if word == "" {
		word = asked
	}
	text := fmt.Sprintf("%q is unknown", word)
	if near := explain.Nearest(word, fewEntries); len(near) > 0 {
		text += "; did you mean " + strings.Join(near, ", ") + "?"
	}
	return text
}

// layExplained shows entries over the screen.
func (a *App) layExplained(entries []explain.Entry) {
	a.tours.tell(entries)
	a.layText(entriesText(entries, a.helpWide()-2))
}

// entriesText formats a few entries in full, or many in one line each.
func entriesText(entries []explain.Entry, w int) string {
	var b strings.Builder
	for i := range entries {
		switch e := entries[i]; {
		case len(entries) > fewEntries:
			fmt.Fprintf(&b, "%s: %s\n", line.Escape(e.Ask()), line.Escape(e.Short))
		case i > 0:
			b.WriteByte('\n')
			fallthrough
		default:
			b.WriteString(explained.Text(e, w))
		}
	}
	return b.String()
}

func (a *App) layText(s string) {
	a.lay("explained", widget.NewTextPage(a.env.Theme, strings.TrimSuffix(s, "\n"), a.env.Theme.Value))
}

// explainCandidates completes names after explain.
func explainCandidates(text string, cursor int) (out []widget.Candidate) {
	before := text[:min(cursor, len(text))]
	rest, named := strings.CutPrefix(before, explainWord+" ")
	if !named {
		return nil
	}
	begun := rest[strings.LastIndexByte(rest, ' ')+1:]
	for _, n := range explain.Names() {
		if len(out) == maxCandidates {
			break
		}
		if begun != "" && !strings.Contains(n, " ") && len(n) >= len(begun) &&
			strings.EqualFold(n[:len(begun)], begun) {
			found := explain.Lookup(n)
			out = append(out, widget.Candidate{
				Text: n, Help: found[0].Short, From: len(before) - len(begun), To: len(before),
			})
		}
	}
	return out
}

// maxCandidates is more than the console shows.
const maxCandidates = 50
