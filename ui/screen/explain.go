package screen

import (
	tea "charm.land/bubbletea/v2"

	"rdmatui/assets/explain"
)

// ExplainMsg asks root to show entries over the screen.
type ExplainMsg struct{ Entries []explain.Entry }

// Explain returns the work of showing entries; if there are none, a message says so.
func Explain(entries ...explain.Entry) tea.Cmd {
	if len(entries) == 0 {
		return Send(FlashMsg{Text: "nothing to explain here; :explain WORD explains any name or number"})
	}
	return Send(ExplainMsg{entries})
}
