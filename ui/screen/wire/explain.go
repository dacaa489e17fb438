package wire

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"rdmatui/assets/explain"
	"rdmatui/ui/screen"
	"rdmatui/verbs/format"
	"rdmatui/verbs/wire"
)

// entry names an explanation.
type entry struct{ family, name string }

// about are the explanations of what a header or its field carries, by the header's name
// or the field's.
var about = map[string][]entry{
	"BTH": {{"word", "BTH"}}, "ImmDt": {{"wc_field", "imm_data"}}, "IETH": {{"wr_field", "invalidate_rkey"}},
	"RETH": {{"word", "one-sided"}}, "AETH": {{"word", "ACK"}, {"word", "NAK"}},

	"opcode": {{"word", "BTH"}}, "se": {{"send_flag", "SOLICITED"}}, "migreq": {{"qp_attr", "path_mig_state"}},
	"pkey": {{"word", "P_Key"}}, "fecn": {{"word", "ECN"}}, "becn": {{"word", "ECN"}},
	"dest_qp": {{"word", "QPN"}, {"qp_attr", "dest_qp_num"}}, "ack_req": {{"word", "ACK"}}, "psn": {{"word", "PSN"}},
	"qkey": {{"qp_attr", "qkey"}}, "src_qp": {{"wc_field", "src_qp"}},
	"va": {{"wr_field", "remote_addr"}}, "rkey": {{"word", "rkey"}}, "dma_len": {{"wr_field", "length"}},
	"swap_add": {{"wr_field", "swap"}}, "compare": {{"wr_field", "compare_add"}}, "msn": {{"word", "ACK"}},
	"imm_data": {{"wc_field", "imm_data"}}, "invalidate_rkey": {{"wr_field", "invalidate_rkey"}},
}

// answers are the explanations of an AETH syndrome.
var answers = map[wire.SyndromeKind][]entry{
	wire.SyndromeACK: {{"word", "ACK"}},
	wire.SyndromeRNR: {{"word", "RNR"}, {"qp_attr", "min_rnr_timer"}, {"qp_attr", "rnr_retry"}},
	wire.SyndromeNAK: {{"word", "NAK"}},
}

// onHeader reports whether the cursor is on a header of the packet, or on a field of one.
func onHeader(s *Screen) bool {
	i := s.detail.Cursor()
	return s.Focus == paneDetail && i >= 0 && i < len(s.detail.lines) && s.detail.lines[i].header != nil
}

// explainField tells what the header or the field under the cursor is, where it is, and
// what its value means.
func explainField(s *Screen) tea.Cmd {
	if !onHeader(s) {
		return screen.Explain()
	}
	p, l := &s.detail.row.Wire, &s.detail.lines[s.detail.Cursor()]
	first := explain.Entry{
		Name: l.header.Name, What: "header of a packet", Source: "IBA 9",
		Short: notes[l.header.Name].title,
		Means: fmt.Sprintf("Bytes %d to %d of the packet.", l.at, l.at+l.header.Len-1),
	}
	links := about[l.header.Name]
	if f := l.field; f != nil {
		value := fmt.Sprintf("%d", f.Of(p))
		if f.Hex {
			value = fmt.Sprintf("0x%0*x", (f.Bits+3)/4, f.Of(p))
		}
		first.Name, first.What = l.header.Name+"."+f.Name, "field of a packet header"
		first.Short = value + ": " + say(l.header, f, p)
		first.Means = fmt.Sprintf("Byte and bits in the %s: %s, %s wide. The %s begins at byte %d of the packet.",
			l.header.Name, f.At, format.Counted(f.Bits, "bit"), l.header.Name, l.at)
		if links = about[f.Name]; f.Name == "syndrome" {
			links = answers[p.AETH.Syndrome.Kind()]
		}
	}
	entries := []explain.Entry{first}
	for _, e := range links {
		if found, ok := explain.Find(e.family, e.name); ok {
			entries = append(entries, found)
		}
	}
	return screen.Explain(entries...)
}
