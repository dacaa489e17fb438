package bringup

// tourField returns a field that tours read: "qp" is the queue pair shown, "running"
// the line that runs.
func tourField(s *Screen, name string) string {
	switch name {
	case "qp":
		return s.move.qp
	case "running":
		return s.runner.Running()
	}
	return ""
}
