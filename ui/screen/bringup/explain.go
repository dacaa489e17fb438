package bringup

import (
	tea "charm.land/bubbletea/v2"

	"rdmatui/assets/explain"
	"rdmatui/ui/screen"
)

// explain asks for all that is known of the attribute under the cursor, or in the
// list of queue pairs of the state and of the transition that is prepared.
func (s *Screen) explain() tea.Cmd {
	if s.Focus == paneForm {
		for i := range s.move.plan.Rows {
			if r := &s.move.plan.Rows[i]; r.Field.Name == s.form.Name() {
				return screen.Explain(s.move.explain(r))
			}
		}
	}
	q := s.current()
	if q == nil {
		return screen.Explain()
	}
	entries := explain.Lookup("state", q.State.String())
	if s.move.to != q.State {
		entries = append(entries, explain.Lookup("transition", q.State.String(), s.move.to.String())...)
	}
	return screen.Explain(entries...)
}
