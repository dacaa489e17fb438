package bringup

// tourField returns a field that tours read: "qp" is the queue pair shown.
func tourField(s *Screen, name string) string {
	if name == "qp" {
		return s.move.qp
	}
	return ""
}
