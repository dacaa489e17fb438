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

// explainWord begins a line of the palette that is no command of the session: it changes nothing and is not recorded.
const explainWord = "explain"

// fewEntries is how many are told in full.
const fewEntries = 4

// execExplain answers a line that was typed into the palette; done is false where it is for the session.
func (a *App) execExplain(text string) (done bool) {
	words := strings.Fields(text)
	if len(words) == 0 || words[0] != explainWord {
		return false
	}
	found := explain.Lookup(words[1:]...)
	if len(found) == 0 {
		a.say(screen.FlashMsg{Level: timeline.LevelWarn, Text: unknown(words[1:])})
		return true
	}
	for i := range found {
		found[i] = explained.Asked(found[i])
	}
	a.layExplained(found)
	return true
}

func unknown(words []string) string {
	if len(words) == 0 {
		return "explain WORD: a name, or a number with a word before it: explain status 12, explain modify_qp EINVAL, explain INIT RTR"
	}
	word := explain.Unknown(words...)
	if word == "" {
		word = strings.Join(words, " ")
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
	text := pager.New(a.env.Theme)
	text.SetText(strings.TrimSuffix(b.String(), "\n"), a.env.Theme.Value)
	a.lay("explained", text)
}

// explainCandidates offers explain as a first word, and after it names.
func explainCandidates(text string, cursor int) (out []input.Candidate) {
	before := text[:min(cursor, len(text))]
	rest, named := strings.CutPrefix(before, explainWord+" ")
	if !named {
		if before != "" && strings.HasPrefix(explainWord, before) {
			out = append(out, input.Candidate{Text: explainWord, Help: "what a name, a number or an errno means", To: len(before)})
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
