package post

import (
	"fmt"
	"strings"

	"rdmatui/ui/widget/input"
)

// complete lists candidates for an open field: regions and their pieces for an SGE,
// and the peer's values for an address or key.
func (s *Screen) complete(name, text string, cursor int) []input.Candidate {
	if cursor != len(text) {
		return nil
	}
	field, _, _ := strings.Cut(name, " ") // "sge 2"
	var list []input.Candidate
	add := func(value, help string) {
		if strings.HasPrefix(value, text) && value != text {
			list = append(list, input.Candidate{Text: value, Help: help, To: len(text)})
		}
	}
	q := s.req.queue()
	for i := range s.snap.MRs {
		m := &s.snap.MRs[i]
		switch {
		case field == "sge" && q != nil && m.PD == q.PD:
			add(fmt.Sprintf("%s:0:%d", m.Name, m.Length), m.Access.String())
		case field == "mr":
			add(m.Name, m.Access.String())
		case field == "remote_addr":
			add(m.Name+".addr", fmt.Sprintf("0x%x", m.Addr))
		case field == "rkey" || field == "invalidate_rkey":
			add(m.Name+".rkey", fmt.Sprintf("0x%x", m.RKey))
		}
	}
	for i := range s.snap.MWs {
		w := &s.snap.MWs[i]
		switch field {
		case "mw":
			add(w.Name, w.Type.String())
		case "remote_addr":
			add(w.Name+".addr", fmt.Sprintf("window 0x%x", windowStart(w)))
		case "rkey", "invalidate_rkey":
			add(w.Name+".rkey", fmt.Sprintf("window 0x%x", w.RKey))
		}
	}
	for _, p := range s.snap.Peers {
		for _, m := range p.Regions {
			switch name := p.Name + "." + m.Name; field {
			case "remote_addr":
				add(name+".addr", fmt.Sprintf("0x%x at the peer", m.Addr))
			case "rkey":
				add(name+".rkey", fmt.Sprintf("0x%x at the peer", m.RKey))
			}
		}
	}
	for i := range s.snap.AHs {
		if field == "ah" {
			add(s.snap.AHs[i].Name, s.snap.AHs[i].Attr.GRH.DGID.String())
		}
	}
	return list
}
