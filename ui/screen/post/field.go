package post

// tourField returns a field that tours read. The field "cursor" is the name of the
// one under the cursor, "running" the line that runs.
func tourField(s *Screen, name string) string {
	switch name {
	case "cursor":
		return s.form.Name()
	case "opcode":
		return s.req.op
	case "qp":
		return s.req.qp
	case "running":
		return s.runner.Running()
	}
	return s.req.value(name)
}
