package bringup

// tourField is what a tour may know: "qp" is the queue pair that is shown.
func tourField(s *Screen, name string) string {
	if name == "qp" {
		return s.move.qp
	}
	return ""
}
