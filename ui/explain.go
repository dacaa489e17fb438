package ui

import (
	"fmt"
	"strings"

	"rdmatui/assets/explain"
	"rdmatui/session/timeline"
	"rdmatui/ui/explained"
	"rdmatui/ui/screen"
	"rdmatui/ui/widget/input"
	"rdmatui/ui/widget/line"
	"rdmatui/ui/widget/pager"
)

// explainWord begins a line of the palette that is no command of the session: it
// changes nothing and is not recorded.
const explainWord = "explain"

// fewEntries is how many are told in full.
const fewEntries = 4

// execExplain answers a line that was typed into the palette; done is false where it
// is for the session.
func (a *App) execExplain(text string) (done bool) {
	word, asked, _ := strings.Cut(strings.TrimSpace(text), " ")
	if word != explainWord {
		return false
	}
	answer := explain.Read(asked)
	if len(answer.Entries) == 0 {
		a.say(screen.FlashMsg{Level: timeline.LevelWarn, Text: unknown(asked)})
		return true
	}
	for i := range answer.Entries {
		answer.Entries[i] = explained.Asked(answer.Entries[i])
	}
	a.layAnswer(answer)
	return true
}

// lineEnds makes the ends of lines alike: a terminal may paste a carriage return for each.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// pasteLog explains lines of a log that are pasted after explain: the palette has
// one line, in which they would run together.
func (a *App) pasteLog(content string) (done bool) {
	text := a.palette.Value() + content
	word, _, asks := strings.Cut(text, " ")
	if !asks || strings.TrimSpace(word) != explainWord || !strings.ContainsAny(strings.TrimSpace(content), "\r\n") {
		return false
	}
	a.palette.Close()
	return a.execExplain(lineEnds.Replace(text))
}

// layAnswer lays what is known over the screen: of a log the first entry in full, of
// the others a line each.
func (a *App) layAnswer(answer explain.Answer) {
	if !answer.Log {
		a.layExplained(answer.Entries)
		return
	}
	var b strings.Builder
	for i, e := range answer.Entries {
		if e.Line > 0 {
			fmt.Fprintf(&b, "line %d: ", e.Line)
		}
		if i == 0 {
			b.WriteString(explained.Text(e, a.helpWide()-2) + "\n")
			continue
		}
		fmt.Fprintf(&b, "%s: %s\n", line.Escape(e.Ask()), line.Escape(e.Short))
	}
	a.layText(b.String())
}

// fewWords is how many words a question may have whose first unknown word is named;
// more are a line of a log.
const fewWords = 5

func unknown(asked string) string {
	switch words := strings.Fields(asked); {
	case len(words) == 0:
		return "explain WORD: a name, or a number with a word before it: explain status 12, explain modify_qp EINVAL, explain INIT RTR"
	case len(words) > fewWords:
		return "nothing is known of this log; give the lines that tell a status, an errno, an event or the verb that failed"
	}
	word := explain.Unknown(asked)
	if word == "" {
		word = asked
	}
	text := fmt.Sprintf("nothing is known of %q", word)
	if near := explain.Nearest(word, fewEntries); len(near) > 0 {
		text += "; near: " + strings.Join(near, ", ")
	}
	return text
}

// layExplained lays entries over the screen: few in full, many with a line of each.
func (a *App) layExplained(entries []explain.Entry) {
	w := a.helpWide() - 2
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
	a.layText(b.String())
}

func (a *App) layText(s string) {
	text := pager.New(a.env.Theme)
	text.SetText(strings.TrimSuffix(s, "\n"), a.env.Theme.Value)
	a.lay("explained", text)
}

// explainCandidates offers explain as a first word, and after it names.
func explainCandidates(text string, cursor int) (out []input.Candidate) {
	before := text[:min(cursor, len(text))]
	rest, named := strings.CutPrefix(before, explainWord+" ")
	if !named {
		if before != "" && strings.HasPrefix(explainWord, before) {
			out = append(out, input.Candidate{Text: explainWord, Help: "what a name, a number, an errno or a log means", To: len(before)})
		}
		return out
	}
	begun := rest[strings.LastIndexByte(rest, ' ')+1:]
	for _, n := range explain.Names() {
		if len(out) == maxCandidates {
			break
		}
		if begun != "" && !strings.Contains(n, " ") && len(n) >= len(begun) && strings.EqualFold(n[:len(begun)], begun) {
			found := explain.Lookup(n)
			out = append(out, input.Candidate{Text: n, Help: found[0].Short, From: len(before) - len(begun), To: len(before)})
		}
	}
	return out
}

// maxCandidates are more than the palette shows.
const maxCandidates = 50
