package wire

import (
	"fmt"

	"rdmatui/verbs/wire"
)

// field is one field of a header: where its bits are, what they hold, and what
// that means.
type field struct {
	name string
	at   string // byte in the header, with bits where it is less than a byte
	of   func(*wire.Packet) uint64
	hex  int // digits; 0: decimal
	says func(*wire.Packet) string
}

// header is one header as the packet holds it.
type header struct {
	bit    wire.Headers // 0: the BTH
	name   string
	title  string
	length int
	fields []field
}

func number[T ~uint8 | ~uint16 | ~uint32 | ~uint64](get func(*wire.Packet) T) func(*wire.Packet) uint64 {
	return func(p *wire.Packet) uint64 { return uint64(get(p)) }
}

func flagBit(get func(*wire.Packet) bool) func(*wire.Packet) uint64 {
	return func(p *wire.Packet) uint64 {
		if get(p) {
			return 1
		}
		return 0
	}
}

// either says one thing for a bit that is set and another for one that is not.
func either(get func(*wire.Packet) bool, yes, no string) func(*wire.Packet) string {
	return func(p *wire.Packet) string {
		if get(p) {
			return yes
		}
		return no
	}
}

func always(text string) func(*wire.Packet) string { return func(*wire.Packet) string { return text } }

func solicited(p *wire.Packet) bool { return p.BTH.Solicited }
func migReq(p *wire.Packet) bool    { return p.BTH.MigReq }
func fecn(p *wire.Packet) bool      { return p.BTH.FECN }
func becn(p *wire.Packet) bool      { return p.BTH.BECN }
func ackReq(p *wire.Packet) bool    { return p.BTH.AckReq }

// headers is every header with every field (IBA vol 1, chapter 9), in the order
// in which they stand in a packet.
var headers = []header{
	{0, "BTH", "base transport header", wire.BTHLen, []field{
		{"opcode", "0", number(func(p *wire.Packet) wire.Opcode { return p.BTH.Opcode }), 2, sayOpcode},
		{"se", "1[7]", flagBit(solicited), 0, either(solicited, "solicited: raises an event", "no solicited event")},
		{"migreq", "1[6]", flagBit(migReq), 0, either(migReq, "migrated: no path migration", "path migration under way")},
		{"pad", "1[5:4]", number(func(p *wire.Packet) uint8 { return p.BTH.Pad }), 0, always("bytes that fill the last word")},
		{"tver", "1[3:0]", number(func(p *wire.Packet) uint8 { return p.BTH.TVer }), 0, always("only version 0 exists")},
		{"pkey", "2-3", number(func(p *wire.Packet) uint16 { return p.BTH.PKey }), 4, sayPKey},
		{"fecn", "4[7]", flagBit(fecn), 0, either(fecn, "a switch was congested", "no congestion met")},
		{"becn", "4[6]", flagBit(becn), 0, either(becn, "the far end met congestion", "none reported back")},
		{"dest_qp", "5-7", number(func(p *wire.Packet) uint32 { return p.BTH.DestQP }), 6, sayDestQP},
		{"ack_req", "8[7]", flagBit(ackReq), 0, either(ackReq, "an ACK is asked for", "no ACK is asked for")},
		{"psn", "9-11", number(func(p *wire.Packet) wire.PSN { return p.BTH.PSN }), 6, sayPSN},
	}},
	{wire.HasDETH, "DETH", "datagram", wire.DETHLen, []field{
		{"qkey", "0-3", number(func(p *wire.Packet) uint32 { return p.DETH.QKey }), 8, always("must be the receiver's")},
		{"src_qp", "5-7", number(func(p *wire.Packet) uint32 { return p.DETH.SrcQP }), 6, always("who sent it, for the answer")},
	}},
	{wire.HasRETH, "RETH", "RDMA: remote memory", wire.RETHLen, []field{
		{"va", "0-7", func(p *wire.Packet) uint64 { return p.RETH.VA }, 1, always("first byte at the responder")},
		{"rkey", "8-11", number(func(p *wire.Packet) uint32 { return p.RETH.RKey }), 8, always("grants the access")},
		{"dma_len", "12-15", number(func(p *wire.Packet) uint32 { return p.RETH.DMALen }), 0, always("bytes of the whole message")},
	}},
	{wire.HasFETH, "FETH", "what a FLUSH is about", wire.FETHLen, []field{
		{"sel", "3[5:4]", number(func(p *wire.Packet) wire.FlushLevel { return p.FETH.Level }), 0, func(p *wire.Packet) string { return p.FETH.Level.String() }},
		{"plt", "3[3:0]", number(func(p *wire.Packet) wire.FlushType { return p.FETH.Type }), 1, func(p *wire.Packet) string { return p.FETH.Type.String() }},
	}},
	{wire.HasAtomicETH, "AtomicETH", "atomic operation", wire.AtomicETHLen, []field{
		{"va", "0-7", func(p *wire.Packet) uint64 { return p.AtomicETH.VA }, 1, always("of the word, a multiple of 8")},
		{"rkey", "8-11", number(func(p *wire.Packet) uint32 { return p.AtomicETH.RKey }), 8, always("grants the access")},
		{"swap_add", "12-19", func(p *wire.Packet) uint64 { return p.AtomicETH.SwapAdd }, 1, always("the new value, or what is added")},
		{"compare", "20-27", func(p *wire.Packet) uint64 { return p.AtomicETH.Compare }, 1, always("swapped where the word is this")},
	}},
	{wire.HasAETH, "AETH", "acknowledgement", wire.AETHLen, []field{
		{"syndrome", "0", number(func(p *wire.Packet) wire.Syndrome { return p.AETH.Syndrome }), 2, saySyndrome},
		{"msn", "1-3", number(func(p *wire.Packet) uint32 { return p.AETH.MSN }), 0, always("messages completed so far")},
	}},
	{wire.HasAtomicAckETH, "AtomicAckETH", "answer to an atomic", wire.AtomicAckETHLen, []field{
		{"orig", "0-7", func(p *wire.Packet) uint64 { return p.AtomicAckETH.Orig }, 1, always("what the word was before")},
	}},
	{wire.HasImmDt, "ImmDt", "immediate data", wire.ImmDtLen, []field{
		{"imm_data", "0-3", number(func(p *wire.Packet) uint32 { return p.ImmDt.Data }), 8, always("for the receiver's completion")},
	}},
	{wire.HasIETH, "IETH", "invalidate", wire.IETHLen, []field{
		{"rkey", "0-3", number(func(p *wire.Packet) uint32 { return p.IETH.RKey }), 8, always("the responder's key that ends")},
	}},
}

var places = map[wire.Position]string{wire.First: "first of several packets", wire.Middle: "one of several packets",
	wire.Last: "last of several packets", wire.Only: "the only packet"}

func sayOpcode(p *wire.Packet) string {
	info, ok := p.BTH.Opcode.Info()
	if !ok {
		return "no opcode that this program knows"
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
	return "the queue pair it is for"
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
