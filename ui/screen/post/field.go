package post

// tourField is what a tour may know. The field "cursor" is the name of the one that
// the cursor is on.
func tourField(s *Screen, name string) string {
	switch name {
	case "cursor":
		return s.form.Name()
	case "opcode":
		return s.req.op
	case "qp":
		return s.req.qp
	}
	return s.req.value(name)
}
