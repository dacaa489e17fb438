package post

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/oob"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen/page"
	"rdmatui/verbs"
)

// blockTo maps values of a pasted block to fields.
var blockTo = map[string]string{"addr": "remote_addr", "rkey": "rkey", "length": "length", "qp_num": "remote_qpn"}

// takes names the screen for values that a request has no field for, by whether they
// are a host's.
var takes = map[bool]string{false: "Bring-up (2)", true: "Connections (5)"}

// pasteBlock puts the values of a block such as "addr 0x7f00 rkey 0x1f" into their fields, and reports which.
func pasteBlock(s *Screen, text string) tea.Cmd {
	block, err := oob.ParseBlock(text)
	if err != nil {
		return page.Warn("paste not taken: " + err.Error() + "; " + keymap.Post.Payload.Keys()[0] +
			" opens the payload")
	}
	q := s.req.queue()
	if q == nil {
		return page.Warn("no queue pair yet")
	}
	has := func(name string) bool {
		for _, f := range block {
			if f.Name == name {
				return true
			}
		}
		return false
	}
	if t := s.req.traits(); has("rkey") && !t.Remote && whyNot(&s.snap, q, verbs.WRRDMAWrite.String()) == "" {
		s.req.op = verbs.WRRDMAWrite.String()
	}
	var took, left []string
	for _, f := range block {
		name := blockTo[f.Name]
		if name != "" && s.req.applies(name, q) {
			s.req.set(name, f.Text)
			took = append(took, name+" "+f.Text)
		} else {
			left = append(left, f.Name)
		}
	}
	s.refill()
	switch {
	case len(took) == 0:
		return page.Warn("nothing taken: " + takes[left[0] == "host" || left[0] == "port"] + " takes " +
			strings.Join(left, ", "))
	case len(left) > 0:
		return page.Flash("took " + strings.Join(took, ", ") + "; not " + strings.Join(left, ", "))
	}
	return page.Flash("took " + strings.Join(took, ", "))
}
