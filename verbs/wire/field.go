package wire

import "math/bits"

// Field is one field of a header (IBA vol 1, chapter 9).
type Field struct {
	Name  string // in snake case: "dest_qp"; unique among the headers of a packet
	Short string // for a line with many fields
	At    string // bytes in the header, with bits if it is less than a byte: "1[5:4]"
	Bits  int    // width
	Hex   bool   // usually written in hexadecimal
	Of    func(*Packet) uint64
	Text  func(*Packet) string // names the value of an enumeration; nil for a plain number
}

// Header is one header with its fields, in display order.
type Header struct {
	Bit    Headers // 0 for the BTH
	Name   string  // as the specification abbreviates it
	Len    int     // bytes
	Fields []Field
}

// HeaderTable lists every header, in the order on the wire.
func HeaderTable() []Header { return headerTable[:] }

// fieldsOf returns the fields of one extended header.
func fieldsOf(h Headers) []Field { return headerTable[1+bits.TrailingZeros16(uint16(h))].Fields }

var headerTable = [...]Header{
	{0, "BTH", BTHLen, []Field{
		hexField("opcode", "0", 8, func(p *Packet) uint64 { return uint64(p.BTH.Opcode) }),
		flagField("se", "1[7]", func(p *Packet) bool { return p.BTH.Solicited }),
		flagField("migreq", "1[6]", func(p *Packet) bool { return p.BTH.MigReq }),
		countField("pad", "1[5:4]", 2, func(p *Packet) uint64 { return uint64(p.BTH.Pad) }),
		countField("tver", "1[3:0]", 4, func(p *Packet) uint64 { return uint64(p.BTH.TVer) }),
		hexField("pkey", "2-3", 16, func(p *Packet) uint64 { return uint64(p.BTH.PKey) }),
		flagField("fecn", "4[7]", func(p *Packet) bool { return p.BTH.FECN }),
		flagField("becn", "4[6]", func(p *Packet) bool { return p.BTH.BECN }),
		hexField("dest_qp", "5-7", 24, func(p *Packet) uint64 { return uint64(p.BTH.DestQP) }),
		flagField("ack_req", "8[7]", func(p *Packet) bool { return p.BTH.AckReq }),
		hexField("psn", "9-11", 24, func(p *Packet) uint64 { return uint64(p.BTH.PSN) }),
	}},
	{HasDETH, "DETH", DETHLen, []Field{
		hexField("qkey", "0-3", 32, func(p *Packet) uint64 { return uint64(p.DETH.QKey) }),
		hexField("src_qp", "5-7", 24, func(p *Packet) uint64 { return uint64(p.DETH.SrcQP) }),
	}},
	{HasFETH, "FETH", FETHLen, []Field{
		hexField("plt", "3[3:0]", 4, func(p *Packet) uint64 { return uint64(p.FETH.Type) }).
			named(func(p *Packet) string { return p.FETH.Type.String() }),
		countField("sel", "3[5:4]", 2, func(p *Packet) uint64 { return uint64(p.FETH.Level) }).
			named(func(p *Packet) string { return p.FETH.Level.String() }),
	}},
	{HasRETH, "RETH", RETHLen, []Field{
		hexField("va", "0-7", 64, func(p *Packet) uint64 { return p.RETH.VA }),
		hexField("rkey", "8-11", 32, func(p *Packet) uint64 { return uint64(p.RETH.RKey) }),
		countField("dma_len", "12-15", 32, func(p *Packet) uint64 { return uint64(p.RETH.DMALen) }),
	}},
	{HasAtomicETH, "AtomicETH", AtomicETHLen, []Field{
		hexField("va", "0-7", 64, func(p *Packet) uint64 { return p.AtomicETH.VA }),
		hexField("rkey", "8-11", 32, func(p *Packet) uint64 { return uint64(p.AtomicETH.RKey) }),
		hexField("swap_add", "12-19", 64, func(p *Packet) uint64 { return p.AtomicETH.SwapAdd }),
		hexField("compare", "20-27", 64, func(p *Packet) uint64 { return p.AtomicETH.Compare }),
	}},
	{HasAETH, "AETH", AETHLen, []Field{
		hexField("syndrome", "0", 8, func(p *Packet) uint64 { return uint64(p.AETH.Syndrome) }).
			named(func(p *Packet) string { return p.AETH.Syndrome.String() }),
		countField("msn", "1-3", 24, func(p *Packet) uint64 { return uint64(p.AETH.MSN) }),
	}},
	{HasAtomicAckETH, "AtomicAckETH", AtomicAckETHLen, []Field{
		hexField("orig", "0-7", 64, func(p *Packet) uint64 { return p.AtomicAckETH.Orig }),
	}},
	{HasImmDt, "ImmDt", ImmDtLen, []Field{
		hexField("imm_data", "0-3", 32, func(p *Packet) uint64 { return uint64(p.ImmDt.Data) }).short("imm"),
	}},
	{HasIETH, "IETH", IETHLen, []Field{
		hexField("invalidate_rkey", "0-3", 32, func(p *Packet) uint64 { return uint64(p.IETH.RKey) }).short("inv_rkey"),
	}},
}

func hexField(name, at string, bits int, of func(*Packet) uint64) Field {
	return Field{Name: name, Short: name, At: at, Bits: bits, Hex: true, Of: of}
}

func countField(name, at string, bits int, of func(*Packet) uint64) Field {
	return Field{Name: name, Short: name, At: at, Bits: bits, Of: of}
}

func flagField(name, at string, get func(*Packet) bool) Field {
	return countField(name, at, 1, func(p *Packet) uint64 {
		if get(p) {
			return 1
		}
		return 0
	})
}

// named gives the field a text for its value.
func (f Field) named(text func(*Packet) string) Field { f.Text = text; return f }

func (f Field) short(name string) Field { f.Short = name; return f }
