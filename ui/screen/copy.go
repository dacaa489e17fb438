package screen

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/widget/line"
)

// CopyText is a named text that can be copied.
type CopyText struct{ Name, Text string }

// CopyTexts lists the texts to copy; empty ones are left out.
func CopyTexts(pairs ...CopyText) (out []CopyText) {
	for _, t := range pairs {
		if t.Text != "" {
			out = append(out, t)
		}
	}
	return out
}

// saidOfCopy is how many bytes of a copied text the bottom line repeats.
const saidOfCopy = 200

// Copy returns the work of putting a text on the terminal's clipboard, by OSC 52.
func Copy(text string) tea.Cmd {
	said := text
	if len(said) > saidOfCopy {
		said = strings.ToValidUTF8(said[:saidOfCopy], "") + "…"
	}
	said = strings.Join(strings.Fields(said), " ")
	return tea.Batch(tea.SetClipboard(text), Send(FlashMsg{Text: "copied: " + line.Escape(said)}))
}
