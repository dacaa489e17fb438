package post

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/assets/explain"
	"rdmatui/ui/screen"
)

// explain explains the field under the cursor; for an opcode and for flags, also
// their values.
func (s *Screen) explain() tea.Cmd {
	if s.req.queue() == nil {
		return screen.Explain()
	}
	name, _, _ := strings.Cut(s.form.Name(), " ") // "sge 2"
	switch name {
	case "qp", "":
		return screen.Explain(explain.Lookup("queue pair")...)
	case "opcode":
		if s.req.op == recv {
			return screen.Explain(explain.Lookup("wc_opcode", recv)...)
		}
		return screen.Explain(explain.Lookup("wr_opcode", s.req.op)...)
	case "send_flags":
		return screen.Explain(explain.Lookup("send_flags", s.req.value(name))...)
	}
	return screen.Explain(explain.Lookup(name)...)
}
