package wire

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"rdmatui/assets/explain"
	"rdmatui/ui/screen"
	"rdmatui/verbs/format"
	"rdmatui/verbs/wire"
)

// A note explains a field's value, on the same line after it.
type note func(*wire.Packet) string

// either returns a note with one text for a set bit and another for a clear one.
func either(get func(*wire.Packet) bool, yes, no string) note {
	return func(p *wire.Packet) string {
		if get(p) {
			return yes
		}
		return no
	}
}

func always(text string) note { return func(p *wire.Packet) string { return text } }

func solicited(p *wire.Packet) bool { return p.BTH.Solicited }
func migReq(p *wire.Packet) bool    { return p.BTH.MigReq }
func fecn(p *wire.Packet) bool      { return p.BTH.FECN }
func becn(p *wire.Packet) bool      { return p.BTH.BECN }
func ackReq(p *wire.Packet) bool    { return p.BTH.AckReq }

// notes are the notes of each header's fields, by header and field.
var notes = map[string]struct {
	title  string
	fields map[string]note
}{
	"BTH": {"base transport header", map[string]note{
		"opcode": sayOpcode, "se": either(solicited, "solicited: raises an event", "no solicited event"),
		"migreq": either(migReq, "migrated: no path migration", "path migration under way"),
		"pad":    always("pad bytes at the end of the payload"), "tver": always("transport header version; always 0"),
		"pkey":    sayPKey,
		"fecn":    either(fecn, "a switch was congested", "no congestion seen"),
		"becn":    either(becn, "the peer saw congestion", "no congestion reported"),
		"dest_qp": sayDestQP, "ack_req": either(ackReq, "an ACK is requested", "no ACK is requested"), "psn": sayPSN,
	}},
	"DETH": {"datagram",
		map[string]note{"qkey": always("must be the receiver's"), "src_qp": always("the sender's QPN")}},
	"RETH": {"RDMA: remote memory", map[string]note{
		"va": always("first byte at the responder"), "rkey": always("grants the access"),
		"dma_len": always("bytes of the whole message"),
	}},
	"FETH": {"flush type and range", nil},
	"AtomicETH": {"atomic operation", map[string]note{
		"va": always("address of the 8 bytes; a multiple of 8"), "rkey": always("grants the access"),
		"swap_add": always("the new value, or the value to add"),
		"compare":  always("swap only if the 8 bytes equal this"),
	}},
	"AETH": {"acknowledgement",
		map[string]note{"syndrome": saySyndrome, "msn": always("messages completed so far")}},
	"AtomicAckETH": {"response to an atomic", map[string]note{"orig": always("the value before the operation")}},
	"ImmDt":        {"immediate data", map[string]note{"imm_data": always("for the receiver's completion")}},
	"IETH": {"invalidate",
		map[string]note{"invalidate_rkey": always("the rkey to invalidate at the responder")}},
}

// say returns the note of a field, or if there is none the name of its value.
func say(h *wire.Header, f *wire.Field, p *wire.Packet) string {
	if n := notes[h.Name].fields[f.Name]; n != nil {
		return n(p)
	}
	if f.Text != nil {
		return f.Text(p)
	}
	return ""
}

var places = map[wire.Position]string{wire.First: "first of several packets", wire.Middle: "one of several packets",
	wire.Last: "last of several packets", wire.Only: "the only packet"}

func sayOpcode(p *wire.Packet) string {
	info, ok := p.BTH.Opcode.Info()
	if !ok {
		return "unknown opcode"
	}
	return fmt.Sprintf("%s: %s", info.Name, places[info.Position])
}

func sayPKey(p *wire.Packet) string {
	member := "limited"
	if p.BTH.PKey&0x8000 != 0 {
		member = "full"
	}
	if p.BTH.PKey&0x7fff == 0x7fff {
		return "default partition, " + member + " member"
	}
	return "partition, " + member + " member"
}

func sayDestQP(p *wire.Packet) string {
	switch p.BTH.DestQP {
	case 1:
		return "the management queue pair"
	case 0xffffff:
		return "a multicast group"
	}
	return "the destination queue pair"
}

func sayPSN(p *wire.Packet) string {
	info, _ := p.BTH.Opcode.Info()
	if info.Response {
		return fmt.Sprintf("%d, of its request", p.BTH.PSN)
	}
	return fmt.Sprintf("%d in the sequence", p.BTH.PSN)
}

func saySyndrome(p *wire.Packet) string {
	s := p.AETH.Syndrome
	switch s.Kind() {
	case wire.SyndromeACK:
		if n, limited := s.Credits(); limited {
			return fmt.Sprintf("ACK; credits for %d more", n)
		}
		return "ACK; no end-to-end credits"
	case wire.SyndromeRNR:
		return s.String() + ": no RECV is posted"
	case wire.SyndromeNAK:
		return s.String()
	}
	return "reserved"
}

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
