package wirecheck

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"net/netip"

	"rdmatui/verbs"
)

// Transports: the upper three bits of an opcode; IBA vol 1, 9.2.1.
const (
	transportRC = 0
	transportUC = 1
	transportUD = 3
)

// kind is what a packet does.
type kind byte

const (
	send kind = iota + 1
	write
	read
	readAnswer
	acknowledge
	atomicAnswer
	atomic
	flush
	atomicWrite
)

// answered reports whether a request has its own kind of response.
func (k kind) answered() bool { return k == read || k == atomic || k.placement() }

// placement reports whether a request is one of annex A19, which an empty READ response answers.
func (k kind) placement() bool { return k == flush || k == atomicWrite }

// form is the meaning of an opcode's lower five bits.
type form struct {
	name                         string
	kind                         kind
	starts, ends                 bool
	reth, atomicETH, aeth, value bool // extended headers
	imm, invalidate, feth        bool
	answer                       bool
}

// forms is indexed by the lower five bits of an opcode.
var forms = [32]form{
	0x00: {name: "SEND_FIRST", kind: send, starts: true},
	0x01: {name: "SEND_MIDDLE", kind: send},
	0x02: {name: "SEND_LAST", kind: send, ends: true},
	0x03: {name: "SEND_LAST_IMM", kind: send, ends: true, imm: true},
	0x04: {name: "SEND_ONLY", kind: send, starts: true, ends: true},
	0x05: {name: "SEND_ONLY_IMM", kind: send, starts: true, ends: true, imm: true},
	0x06: {name: "WRITE_FIRST", kind: write, starts: true, reth: true},
	0x07: {name: "WRITE_MIDDLE", kind: write},
	0x08: {name: "WRITE_LAST", kind: write, ends: true},
	0x09: {name: "WRITE_LAST_IMM", kind: write, ends: true, imm: true},
	0x0a: {name: "WRITE_ONLY", kind: write, starts: true, ends: true, reth: true},
	0x0b: {name: "WRITE_ONLY_IMM", kind: write, starts: true, ends: true, reth: true, imm: true},
	0x0c: {name: "READ_REQUEST", kind: read, starts: true, ends: true, reth: true},
	0x0d: {name: "READ_RESPONSE_FIRST", kind: readAnswer, starts: true, aeth: true, answer: true},
	0x0e: {name: "READ_RESPONSE_MIDDLE", kind: readAnswer, answer: true},
	0x0f: {name: "READ_RESPONSE_LAST", kind: readAnswer, ends: true, aeth: true, answer: true},
	0x10: {name: "READ_RESPONSE_ONLY", kind: readAnswer, starts: true, ends: true, aeth: true, answer: true},
	0x11: {name: "ACKNOWLEDGE", kind: acknowledge, starts: true, ends: true, aeth: true, answer: true},
	0x12: {name: "ATOMIC_ACKNOWLEDGE", kind: atomicAnswer, starts: true, ends: true, aeth: true,
		value: true, answer: true},
	0x13: {name: "COMPARE_SWAP", kind: atomic, starts: true, ends: true, atomicETH: true},
	0x14: {name: "FETCH_ADD", kind: atomic, starts: true, ends: true, atomicETH: true},
	0x16: {name: "SEND_LAST_INVALIDATE", kind: send, ends: true, invalidate: true},
	0x17: {name: "SEND_ONLY_INVALIDATE", kind: send, starts: true, ends: true, invalidate: true},
	0x1c: {name: "FLUSH", kind: flush, starts: true, ends: true, feth: true, reth: true},
	0x1d: {name: "ATOMIC_WRITE", kind: atomicWrite, starts: true, ends: true, reth: true},
}

// identity holds the values that must not change when a request is sent again.
type identity struct {
	op            byte
	solicited     bool
	va            uint64
	rkey, dma     uint32
	swap, compare uint64
	imm, key      uint32
	what          uint32 // of a FLUSH
	length        int    // of the payload
}

// packet is one packet, decoded.
type packet struct {
	src, dst  netip.AddrPort
	ip        verbs.IPHeader
	transport byte
	form      form
	identity
	ackReq, migReq bool
	pad            int
	tver           byte
	pkey           uint16
	reserved       bool // a reserved bit is set
	dest, psn      uint32
	qkey, source   uint32 // of a datagram
	syndrome       byte
	msn            uint32
	padded         []byte // payload and pad
	icrcOK         bool
}

// String identifies the packet in violations: "RC SEND_ONLY psn 0x000005 to qp 0x000011".
func (k *packet) String() string {
	return fmt.Sprintf("%s %s psn 0x%06x to qp 0x%06x", [8]string{"RC", "UC", "", "UD"}[k.transport],
		k.form.name, k.psn, k.dest)
}

var errShort = errors.New("too short for its headers")

const (
	bthLen  = 12
	icrcLen = 4
)

// decode reads a packet from its bytes.
func decode(p *verbs.Packet) (*packet, error) {
	b := p.Data
	if len(b) < bthLen+icrcLen {
		return nil, errShort
	}
	be := binary.BigEndian
	k := &packet{src: p.Src, dst: p.Dst, ip: p.IP, transport: b[0] >> 5}
	k.op, k.form = b[0], forms[b[0]&0x1f]
	switch {
	case k.form.name == "",
		k.transport == transportUC && (k.form.answer || k.form.kind.answered() || k.form.invalidate),
		k.transport == transportUD && (k.form.kind != send || !k.form.starts || !k.form.ends || k.form.invalidate),
		k.transport != transportRC && k.transport != transportUC && k.transport != transportUD:
		return nil, fmt.Errorf("opcode 0x%02x is not one that a device sends", b[0])
	}
	k.solicited, k.migReq, k.pad, k.tver = b[1]&0x80 != 0, b[1]&0x40 != 0, int(b[1]>>4&3), b[1]&0xf
	k.pkey, k.dest = be.Uint16(b[2:]), be.Uint32(b[4:])&0xffffff
	k.ackReq, k.psn = b[8]&0x80 != 0, be.Uint32(b[8:])&0xffffff
	k.reserved = b[4] != 0 || b[8]&0x7f != 0
	k.icrcOK = icrc(p) == binary.LittleEndian.Uint32(b[len(b)-icrcLen:])
	return k, k.decodeHeaders(b[bthLen : len(b)-icrcLen])
}

// decodeHeaders reads the extended headers that the opcode requires.
func (k *packet) decodeHeaders(b []byte) error {
	be := binary.BigEndian
	for _, h := range []struct {
		has  bool
		n    int
		read func(b []byte)
	}{
		{k.transport == transportUD, 8, func(b []byte) { k.qkey, k.source = be.Uint32(b), be.Uint32(b[4:]) }},
		{k.form.feth, 4, func(b []byte) { k.what = be.Uint32(b) }},
		{k.form.reth, 16, func(b []byte) { k.va, k.rkey, k.dma = be.Uint64(b), be.Uint32(b[8:]), be.Uint32(b[12:]) }},
		{k.form.atomicETH, 28, func(b []byte) {
			k.va, k.rkey, k.swap, k.compare = be.Uint64(b), be.Uint32(b[8:]), be.Uint64(b[12:]), be.Uint64(b[20:])
		}},
		{k.form.aeth, 4, func(b []byte) { k.syndrome, k.msn = b[0], be.Uint32(b)&0xffffff }},
		{k.form.value, 8, func([]byte) {}},
		{k.form.imm, 4, func(b []byte) { k.imm = be.Uint32(b) }},
		{k.form.invalidate, 4, func(b []byte) { k.key = be.Uint32(b) }},
	} {
		if !h.has {
			continue
		}
		if len(b) < h.n {
			return errShort
		}
		h.read(b)
		b = b[h.n:]
	}
	k.padded, k.length = b, len(b)-k.pad
	if k.length < 0 {
		return fmt.Errorf("a pad of %d bytes, and %d are there", k.pad, len(b))
	}
	return nil
}

// icrc recomputes the invariant CRC, header by header; annex A17.3.3.
func icrc(p *verbs.Packet) uint32 {
	be := binary.BigEndian
	n := len(p.Data) + 8
	b := []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
	src, dst := p.Src.Addr().Unmap(), p.Dst.Addr().Unmap()
	if src.Is4() {
		b = be.AppendUint16(append(b, 0x45, 0xff), uint16(20+n))
		b = append(b, 0, 0, 0x40, 0, 0xff, 17, 0xff, 0xff) // identification 0, don't fragment
	} else {
		b = be.AppendUint16(append(b, 0x6f, 0xff, 0xff, 0xff), uint16(n))
		b = append(b, 17, 0xff)
	}
	b = append(append(b, src.AsSlice()...), dst.AsSlice()...)
	b = be.AppendUint16(be.AppendUint16(b, p.Src.Port()), p.Dst.Port())
	b = append(be.AppendUint16(b, uint16(n)), 0xff, 0xff)
	bth := len(b)
	b = append(b, p.Data[:len(p.Data)-icrcLen]...)
	b[bth+4] = 0xff
	return crc32.ChecksumIEEE(b)
}
