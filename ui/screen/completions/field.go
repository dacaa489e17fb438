package completions

// tourField returns a field that tours read: the status of the completion whose incident
// is shown.
func tourField(s *Screen, name string) string {
	if c := s.selected(); name == "incident" && s.page != nil && c != nil {
		return c.WC.Status.String()
	}
	return ""
}
