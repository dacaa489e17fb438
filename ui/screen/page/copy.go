package page

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/screen"
	"rdmatui/ui/widget/line"
)

// Text is something that can be copied, with what it is.
type Text struct{ Name, Text string }

// Texts lists what can be copied; empty ones are left out.
func Texts(pairs ...Text) (out []Text) {
	for _, t := range pairs {
		if t.Text != "" {
			out = append(out, t)
		}
	}
	return out
}

// saidOfCopy is how much of a copied text the bottom line repeats, in bytes.
const saidOfCopy = 200

// Copy is the work of putting a text on the terminal's clipboard, by OSC 52.
func Copy(text string) tea.Cmd {
	said := text
	if len(said) > saidOfCopy {
		said = strings.ToValidUTF8(said[:saidOfCopy], "") + "…"
	}
	said = strings.Join(strings.Fields(said), " ")
	return tea.Batch(tea.SetClipboard(text), screen.Send(screen.FlashMsg{Text: "copied: " + line.Escape(said)}))
}
