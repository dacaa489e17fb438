package screen

import (
	tea "charm.land/bubbletea/v2"

	"rdmatui/assets/explain"
)

// ExplainMsg asks root to lay what is known of something over the screen.
type ExplainMsg struct{ Entries []explain.Entry }

// Explain is the work of asking for an explanation of what the cursor is on; where
// nothing known about it, a line says so.
func Explain(entries ...explain.Entry) tea.Cmd {
	if len(entries) == 0 {
		return Send(FlashMsg{Text: "nothing to explain here; :explain WORD explains any name or number"})
	}
	return Send(ExplainMsg{entries})
}
