package completions

import "strings"

// tourField returns a field that tours read: "running" is the line under way, "incident" the status of the completion
// whose incident is shown, "toward STATUS" the direction of the nearest completion with that status from the cursor.
func tourField(s *Screen, name string) string {
	if name == "running" {
		return s.runner.Running()
	}
	c := s.selected()
	if status, ok := strings.CutPrefix(name, "toward "); ok && c != nil && c.WC.Status.String() != status {
		return s.toward(status)
	}
	if name == "incident" && s.page != nil && c != nil {
		return c.WC.Status.String()
	}
	return ""
}

// toward returns "up" or "down", or "" if no completion in the list has the status.
func (s *Screen) toward(status string) string {
	has := func(i int) bool {
		return i >= 0 && i < s.list().Len() && s.list().at(i).WC.WC.Status.String() == status
	}
	for at, d := s.table.Cursor(), 1; d < s.list().Len(); d++ {
		switch {
		case has(at - d):
			return "up"
		case has(at + d):
			return "down"
		}
	}
	return ""
}
