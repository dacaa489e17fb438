package capture

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/bits"
	"slices"
	"time"
)

// Types of pcapng blocks (draft-ietf-opsawg-pcapng).
const (
	kindSection      = 0x0a0d0d0a
	kindInterface    = 1
	kindOldPacket    = 2 // obsolete; like kindPacket but for the interface's number
	kindSimplePacket = 3
	kindStatistics   = 5
	kindPacket       = 6
)

// Codes of options, each in the blocks that its name begins with.
const (
	optionsEnd         = 0
	anyComment         = 1
	sectionProgram     = 4
	interfaceName      = 2
	interfaceAbout     = 3
	interfaceUnit      = 9
	interfaceOffset    = 14
	packetFlags        = 2
	packetsMissed      = 4
	statisticsReceived = 4
	statisticsDropped  = 5
)

const (
	orderMagic   = 0x1a2b3c4d
	sectionMajor = 1

	// blockLen is the length of a block without content: its type (32), its length (32), and the length again.
	blockLen = 12
	// maxBlock is the longest block that is read, in bytes, as in libpcap. Blocks of other types may be longer.
	maxBlock = 16 << 20
	// maxInterfaces bounds the memory of a section's interfaces, in bytes.
	maxInterfaces = 16 << 20

	directionMask = 3 // of packetFlags; its values are those of Way
	microseconds  = 6 // of interfaceUnit: 10^-6 s
	nanoseconds   = 9
	maxUnit       = 19
	binaryUnit    = 0x80 // the unit is a power of 2
)

// ngReader reads the packets of a pcapng file.
type ngReader struct {
	in         *bufio.Reader
	order      binary.ByteOrder
	skip       bool   // the section has an unknown version
	comment    string // of the section
	interfaces []ngInterface
	described  int // bytes of interfaces
	head       [blockLen]byte
	block      []byte
}

// ngInterface is an interface of a section.
type ngInterface struct {
	iface
	decode link
	snap   uint32 // longest packet in simple blocks; 0: any
	unit   uint64 // of times, in fractions of a second
	offset int64  // of times, in seconds
}

// newNgReader reads the header of the first section of a known version.
func newNgReader(in *bufio.Reader) (*ngReader, error) {
	r := &ngReader{in: in, order: binary.LittleEndian, skip: true}
	for r.skip {
		_, body, err := r.next()
		if err != nil {
			return nil, err
		}
		if err := r.section(body); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// nextPacket reads up to the next packet. It fails with io.EOF where the file ends between two blocks.
func (r *ngReader) nextPacket(f *Frame) (packet []byte, of link, n int, err error) {
	for {
		kind, body, err := r.next()
		switch {
		case err != nil:
		case kind == kindSection:
			err = r.section(body)
		case kind == kindInterface:
			err = r.addInterface(body)
		default:
			return r.packet(f, kind, body)
		}
		if err != nil {
			return nil, nil, 0, err
		}
	}
}

// next reads the next block that is needed, and returns what stands between its two lengths.
func (r *ngReader) next() (kind uint32, body []byte, err error) {
	for {
		if _, err := io.ReadFull(r.in, r.head[:]); err != nil {
			return 0, nil, err
		}
		kind = r.order.Uint32(r.head[:]) // that of a section is the same in either order
		needed := kind == kindSection
		switch kind {
		case kindSection:
			if err := r.setOrder(r.head[8:]); err != nil {
				return 0, nil, err
			}
		case kindInterface, kindPacket, kindSimplePacket, kindOldPacket:
			needed = !r.skip
		}
		n := r.order.Uint32(r.head[4:])
		if n < blockLen || needed && n > maxBlock {
			return 0, nil, fmt.Errorf("a block of %d bytes; the capture is damaged", n)
		}
		rest := (int(n) - blockLen + 3) &^ 3 // some writers leave the padding out of the length
		if !needed {
			if _, err := r.in.Discard(rest); err != nil {
				return 0, nil, early(err)
			}
			continue
		}
		r.block = append(r.block[:0], r.head[8:]...)
		r.block = slices.Grow(r.block, rest)[:len(r.block)+rest]
		if err := readAll(r.in, r.block[len(r.block)-rest:]); err != nil {
			return 0, nil, err
		}
		return kind, r.block[:rest], nil
	}
}

// setOrder takes the byte order of a section.
func (r *ngReader) setOrder(b []byte) error {
	switch uint32(orderMagic) {
	case binary.LittleEndian.Uint32(b):
		r.order = binary.LittleEndian
	case binary.BigEndian.Uint32(b):
		r.order = binary.BigEndian
	default:
		return errors.New("a section without byte order; the capture is damaged")
	}
	return nil
}

// errShortBlock means that a block ends before its fields do.
var errShortBlock = errors.New("a block is shorter than its fields; the capture is damaged")

// section reads the header of a section:
//
//	0  byte order (32)
//	4  major version (16), minor version (16)
//	8  length of the section (64)
func (r *ngReader) section(b []byte) error {
	const length = 16
	if len(b) < length {
		return errShortBlock
	}
	minor := r.order.Uint16(b[6:])
	r.skip = r.order.Uint16(b[4:]) != sectionMajor || minor != 0 && minor != 2 // 1.2 is 1.0
	r.interfaces, r.described, r.comment = r.interfaces[:0], 0, ""
	if r.skip {
		return nil
	}
	for code, value := range r.options(b[length:]) {
		if code == anyComment {
			r.comment = string(value)
		}
	}
	return nil
}

// addInterface reads the description of an interface:
//
//	0  link type (16), reserved (16)
//	4  snapshot length (32)
func (r *ngReader) addInterface(b []byte) error {
	const length = 8
	if len(b) < length {
		return errShortBlock
	}
	on := ngInterface{snap: r.order.Uint32(b[4:])}
	on.link = linkType(r.order.Uint16(b))
	// Interfaces of another kind may stand beside that of the network.
	if on.decode = links[on.link]; on.decode == nil {
		on.decode = unknownLink
	}
	unit := byte(microseconds)
	for code, value := range r.options(b[length:]) {
		switch {
		case code == interfaceName:
			on.name = string(value)
		case code == interfaceAbout:
			on.about = string(value)
		case code == interfaceUnit && len(value) >= 1:
			unit = value[0]
		case code == interfaceOffset && len(value) >= 8:
			on.offset = int64(r.order.Uint64(value))
		}
	}
	if on.unit = fractions(unit); on.unit == 0 {
		return fmt.Errorf("interface %d has times of an unknown unit, %#x", len(r.interfaces), unit)
	}
	const size = 128 // of an ngInterface, about
	if r.described += size + len(on.name) + len(on.about); r.described > maxInterfaces {
		return fmt.Errorf("more than %d interfaces; the capture is damaged", len(r.interfaces))
	}
	r.interfaces = append(r.interfaces, on)
	return nil
}

func unknownLink(*Frame, []byte) (uint16, []byte, error) { return 0, nil, errLink }

// fractions returns how many units make a second, 0 if that is unknown.
func fractions(unit byte) uint64 {
	if unit&binaryUnit != 0 {
		return 1 << (unit &^ binaryUnit)
	}
	if unit > maxUnit {
		return 0
	}
	n := uint64(1)
	for range unit {
		n *= 10
	}
	return n
}

// time returns the time that a packet's two words tell.
func (on *ngInterface) time(high, low uint32) time.Time {
	units := uint64(high)<<32 | uint64(low)
	h, l := bits.Mul64(units%on.unit, uint64(time.Second))
	nanos, _ := bits.Div64(h, l, on.unit)
	return time.Unix(int64(units/on.unit)+on.offset, int64(nanos)).UTC()
}

// packet reads a packet's block:
//
//	 0  interface (32); in the obsolete one interface (16), packets lost (16)
//	 4  time (64), high word first
//	12  bytes that follow (32), length as sent (32)
//
// A simple one has only the length as sent (32).
func (r *ngReader) packet(f *Frame, kind uint32, b []byte) (packet []byte, of link, n int, err error) {
	fields := 20
	if kind == kindSimplePacket {
		fields = 4
	}
	if len(b) < fields {
		return nil, nil, 0, errShortBlock
	}
	var id uint32
	switch kind {
	case kindPacket:
		id = r.order.Uint32(b)
	case kindOldPacket:
		id = uint32(r.order.Uint16(b))
	}
	if uint64(id) >= uint64(len(r.interfaces)) {
		return nil, nil, 0, fmt.Errorf("interface %d is not described; the capture is damaged", id)
	}
	on := &r.interfaces[id]
	kept, sent := len(b)-fields, int(r.order.Uint32(b[fields-4:]))
	if kind == kindSimplePacket {
		kept = min(kept, sent)
		if on.snap > 0 {
			kept = min(kept, int(on.snap))
		}
	} else {
		f.At = on.time(r.order.Uint32(b[4:]), r.order.Uint32(b[8:]))
		if n := int(r.order.Uint32(b[12:])); n <= kept {
			kept = n
		} else {
			return nil, nil, 0, errShortBlock
		}
	}
	packet, b = b[fields:][:kept], b[min(len(b), fields+(kept+3)&^3):]
	f.Device, f.Raw.on = on.name, on.iface
	if kind != kindSimplePacket {
		r.takeOptions(f, b)
	}
	return packet, on.decode, max(kept, sent), nil
}

// takeOptions takes the comments, which way a packet went, and how many are missing before it.
func (r *ngReader) takeOptions(f *Frame, b []byte) {
	for code, value := range r.options(b) {
		switch {
		case code == anyComment:
			f.Comments = append(f.Comments, string(value))
		case code == packetFlags && len(value) >= 4:
			if way := Way(r.order.Uint32(value) & directionMask); way <= Out {
				f.Way = way
			}
		case code == packetsMissed && len(value) >= 8:
			f.Missed = r.order.Uint64(value)
		}
	}
}

// options returns the options at the end of a block: code (16), length (16), value. Those of a damaged block end where
// one is longer than the block.
func (r *ngReader) options(b []byte) iter.Seq2[uint16, []byte] {
	return func(yield func(uint16, []byte) bool) {
		for len(b) >= 4 {
			code, n := r.order.Uint16(b), int(r.order.Uint16(b[2:]))
			if b = b[4:]; code == optionsEnd || n > len(b) || !yield(code, b[:n]) {
				return
			}
			b = b[min(len(b), (n+3)&^3):]
		}
	}
}
