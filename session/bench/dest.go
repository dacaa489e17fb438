package bench

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"

	"rdmatui/verbs"
)

// Dest is what each end tells the other about one queue pair.
type Dest struct {
	LID      uint16
	OutReads uint32 // READs and atomics that it responds to at a time
	QPN      verbs.QPN
	PSN      verbs.PSN // its sq_psn
	RKey     uint32
	VAddr    uint64 // where the peer writes to and reads from
	GID      verbs.GID
	SRQN     uint32 // XRC only; 0 otherwise
}

// Lengths of a Dest. Over TCP it is a line of hexadecimal columns joined by colons
// and ended by a NUL, with the GID only where the ends address each other by GIDs:
// always on RoCE. Over a queue pair it is the C struct, with its numbers big-endian.
const (
	LineLen    = 59
	LineLenGID = 108
	StructLen  = 56
)

// Columns of a line.
const (
	columnsBefore = 6 // LID, OUT_READS, QPN, PSN, RKEY, VADDR
	gidColumns    = 16
)

// Line encodes d as over TCP.
func (d *Dest) Line(gid bool) []byte {
	b := fmt.Appendf(nil, "%04x:%04x:%06x:%06x:%08x:%016x:", d.LID, d.OutReads&0xffff, uint32(d.QPN&verbs.MaxQPN),
		uint32(d.PSN&verbs.MaxPSN), d.RKey, d.VAddr)
	if !gid {
		return append(fmt.Appendf(b, "%08x", d.SRQN), 0)
	}
	for _, part := range d.GID {
		b = fmt.Appendf(b, "%02x:", part)
	}
	return append(fmt.Appendf(b, "%08x:", d.SRQN), 0)
}

// ParseLine decodes a line of either length.
func ParseLine(line []byte) (d Dest, err error) {
	gid := len(line) == LineLenGID
	if !gid && len(line) != LineLen {
		return d, fmt.Errorf("an address line has %d or %d bytes, not %d", LineLen, LineLenGID, len(line))
	}
	text, _, ended := bytes.Cut(line, []byte{0})
	columns := bytes.Split(bytes.TrimSuffix(text, []byte(":")), []byte(":"))
	want := columnsBefore + 1
	if gid {
		want += gidColumns
	}
	if !ended || len(columns) != want {
		return d, fmt.Errorf("the peer sent %q instead of an address line", clip(line))
	}
	number := func(column, bits int) uint64 {
		v, perr := strconv.ParseUint(string(columns[column]), 16, bits)
		if perr != nil && err == nil {
			err = fmt.Errorf("the peer sent an address line with %q in column %d, which is not a number of %d bits",
				clip(columns[column]), column+1, bits)
		}
		return v
	}
	d.LID = uint16(number(0, 16))
	d.OutReads = uint32(number(1, 32))
	d.QPN = verbs.QPN(number(2, 24))
	d.PSN = verbs.PSN(number(3, 24))
	d.RKey = uint32(number(4, 32))
	d.VAddr = number(5, 64)
	if gid {
		for i := range d.GID {
			d.GID[i] = byte(number(columnsBefore+i, 8))
		}
	}
	d.SRQN = uint32(number(want-1, 32))
	return d, err
}

// clip bounds the peer's bytes in a message.
func clip(b []byte) []byte { return b[:min(len(b), 40)] }

// Offsets of the C struct pingpong_dest on a 64-bit machine.
const (
	atLID, atOutReads, atQPN, atPSN, atRKey = 0, 4, 8, 12, 16
	atVAddr, atGID, atSRQN                  = 24, 32, 48
)

// Struct encodes d as over a queue pair.
func (d *Dest) Struct() []byte {
	b := make([]byte, StructLen)
	put := binary.BigEndian.PutUint32
	put(b[atLID:], uint32(d.LID))
	put(b[atOutReads:], d.OutReads)
	put(b[atQPN:], uint32(d.QPN))
	put(b[atPSN:], uint32(d.PSN))
	put(b[atRKey:], d.RKey)
	binary.BigEndian.PutUint64(b[atVAddr:], d.VAddr)
	copy(b[atGID:], d.GID[:])
	put(b[atSRQN:], d.SRQN)
	return b
}

// ParseStruct decodes a C struct.
func ParseStruct(b []byte) (d Dest, err error) {
	if len(b) != StructLen {
		return d, fmt.Errorf("the peer sent %d bytes instead of an address of %d", len(b), StructLen)
	}
	get := binary.BigEndian.Uint32
	if get(b[atLID:]) > 0xffff || get(b[atQPN:]) > uint32(verbs.MaxQPN) || get(b[atPSN:]) > uint32(verbs.MaxPSN) {
		return d, fmt.Errorf("the peer sent LID %#x, QPN %#x, PSN %#x: one is too large", get(b[atLID:]),
			get(b[atQPN:]), get(b[atPSN:]))
	}
	d = Dest{
		LID: uint16(get(b[atLID:])), OutReads: get(b[atOutReads:]),
		QPN: verbs.QPN(get(b[atQPN:])), PSN: verbs.PSN(get(b[atPSN:])), RKey: get(b[atRKey:]),
		VAddr: binary.BigEndian.Uint64(b[atVAddr:]), SRQN: get(b[atSRQN:]),
	}
	copy(d.GID[:], b[atGID:])
	return d, nil
}

// Check reports an address at which the peer cannot have size bytes.
func (d *Dest) Check(size uint64) error {
	if d.VAddr+size < d.VAddr {
		return fmt.Errorf("the peer's buffer at %#x would end beyond the last address", d.VAddr)
	}
	return nil
}
