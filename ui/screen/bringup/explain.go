package bringup

import (
	"cmp"

	tea "charm.land/bubbletea/v2"

	"rdmatui/assets/explain"
	"rdmatui/ui/explained"
	"rdmatui/ui/screen"
)

// explain explains the attribute under the cursor, or in the list of queue pairs the
// state and the planned transition. After a failed call the failure comes first,
// until another line is prepared.
func (s *Screen) explain() tea.Cmd {
	var entries []explain.Entry
	if hasFailed(s) || s.Focus == paneCall && s.failed.Err != "" {
		if entries = explained.Command(&s.failed); len(entries) > 0 {
			entries[0].Cause = cmp.Or(s.failed.Check, s.failed.Hint)
		}
	}
	if s.Focus != paneCall || len(entries) == 0 {
		entries = append(entries, underCursor(s)...)
	}
	return screen.Explain(entries...)
}

// hasFailed reports whether the prepared line is the one that failed last.
func hasFailed(s *Screen) bool {
	return s.failed.Err != "" && s.move.ready && s.failed.Line == s.move.line()
}

func underCursor(s *Screen) []explain.Entry {
	if s.Focus == paneForm {
		for i := range s.move.plan.Rows {
			if r := &s.move.plan.Rows[i]; r.Field.Name == s.form.Name() {
				return []explain.Entry{s.move.explain(r)}
			}
		}
	}
	q := s.current()
	if q == nil {
		return nil
	}
	entries := explain.Lookup("state", q.State.String())
	if s.move.to != q.State {
		entries = append(entries, explain.Lookup("transition", q.State.String(), s.move.to.String())...)
	}
	return entries
}
