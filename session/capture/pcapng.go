package capture

import (
	"encoding/binary"
	"io"
	"slices"

	"rdmatui/session/timeline"
)

// Writer writes packets as pcapng (draft-ietf-opsawg-pcapng), with one interface per device. After the first
// error it writes nothing more.
type Writer struct {
	// Comment describes the file as a whole, at most MaxComment bytes; set it before the first packet.
	Comment string

	out     io.Writer
	devices []iface  // by the number of their interface
	seen    []Counts // the same
	packet  []byte
	blocks  []byte // not yet written
	err     error
}

// iface is an interface of the file.
type iface struct {
	name, about string
	link        linkType
}

// soft is the interface of a device whose link and IP headers are not seen.
func soft(device string) iface {
	return iface{device, "RDMA device; IP and UDP headers as covered by the ICRC", linkRaw}
}

// NewWriter makes a writer. The file header is written with the first packet, or by
// Close.
func NewWriter(out io.Writer) *Writer { return &Writer{out: out} }

// MaxComment is the length of the longest comment: the format has 16 bits for it.
const MaxComment = 1<<16 - 1

// Write adds one packet with comments, each of at most MaxComment bytes. It returns the first error so far.
func (w *Writer) Write(p *timeline.Packet, comments ...string) error {
	w.packet = appendDatagram(w.packet[:0], p)
	way := In
	if p.Outgoing {
		way = Out
	}
	return w.add(soft(p.Device), p, way, len(w.packet)+p.Cropped, comments)
}

// add writes what is in w.packet, of which n bytes were sent, with the time of p and how many are missing before it.
func (w *Writer) add(on iface, p *timeline.Packet, way Way, n int, comments []string) error {
	id := w.device(on)
	w.seen[id].Missed += p.Missed
	w.seen[id].Received++
	w.block(kindPacket, func(b []byte) []byte {
		at := uint64(p.At.UnixNano())
		b = appendWords(b, uint32(id), uint32(at>>32), uint32(at), uint32(len(w.packet)), uint32(n))
		b = appendPadded(b, w.packet)
		options := len(b)
		for _, text := range comments {
			b = appendOption(b, anyComment, []byte(text))
		}
		if way != Unknown {
			b = appendOption(b, packetFlags, appendWords(nil, uint32(way)))
		}
		if p.Missed > 0 {
			b = appendOption(b, packetsMissed, binary.LittleEndian.AppendUint64(nil, p.Missed))
		}
		if len(b) == options {
			return b
		}
		return appendOption(b, optionsEnd, nil)
	})
	return w.flush()
}

// Close ends the file with the statistics of each device; it does not close the
// underlying writer.
func (w *Writer) Close() error {
	if len(w.devices) == 0 {
		w.device(soft("none"))
	}
	for id, c := range w.seen {
		w.block(kindStatistics, func(b []byte) []byte {
			b = appendWords(b, uint32(id), 0, 0) // without a time
			b = appendOption(b, statisticsDropped, binary.LittleEndian.AppendUint64(nil, c.Missed))
			b = appendOption(b, statisticsReceived, binary.LittleEndian.AppendUint64(nil, c.Received+c.Missed))
			return appendOption(b, optionsEnd, nil)
		})
	}
	return w.flush()
}

// device returns the number of a device's interface. It describes a new interface in the file, and the section before
// the first.
func (w *Writer) device(on iface) int {
	if id := slices.Index(w.devices, on); id >= 0 {
		return id
	}
	if len(w.devices) == 0 {
		w.block(kindSection, func(b []byte) []byte {
			const unknown = 1<<32 - 1 // length
			b = appendWords(b, orderMagic, sectionMajor, unknown, unknown)
			b = appendOption(b, sectionProgram, []byte("rdmatui"))
			if w.Comment != "" {
				b = appendOption(b, anyComment, []byte(w.Comment))
			}
			return appendOption(b, optionsEnd, nil)
		})
	}
	w.block(kindInterface, func(b []byte) []byte {
		b = appendWords(b, uint32(on.link), 0) // packets of any length
		if on.name != "" {
			b = appendOption(b, interfaceName, []byte(on.name))
		}
		if on.about != "" {
			b = appendOption(b, interfaceAbout, []byte(on.about))
		}
		b = appendOption(b, interfaceUnit, []byte{nanoseconds})
		return appendOption(b, optionsEnd, nil)
	})
	w.devices, w.seen = append(w.devices, on), append(w.seen, Counts{})
	return len(w.devices) - 1
}

// block adds a block: its type, its length, what body appends, and the length again.
func (w *Writer) block(kind uint32, body func([]byte) []byte) {
	from := len(w.blocks)
	b := body(appendWords(w.blocks, kind, 0))
	n := uint32(len(b) - from + 4)
	binary.LittleEndian.PutUint32(b[from+4:], n)
	w.blocks = appendWords(b, n)
}

// flush writes the blocks at once: a file that is being written can be read at any time. It keeps an error, after which
// nothing more is written.
func (w *Writer) flush() error {
	if w.err == nil {
		_, w.err = w.out.Write(w.blocks)
	}
	w.blocks = w.blocks[:0]
	return w.err
}

func appendWords(b []byte, words ...uint32) []byte {
	for _, v := range words {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

func appendOption(b []byte, code uint16, value []byte) []byte {
	return appendPadded(appendWords(b, uint32(code)|uint32(len(value))<<16), value)
}

// appendPadded appends data and zeros up to the next word.
func appendPadded(b, data []byte) []byte {
	return append(append(b, data...), make([]byte, -len(data)&3)...)
}

// WriteFrame copies a packet of a capture, with its link header, IP and UDP headers, time,
// direction, length and comments. A packet of a segmented datagram gets headers of its own, without what encapsulates
// the datagram.
func (w *Writer) WriteFrame(f *Frame) error {
	n, on := f.Raw.n, f.Raw.on
	switch {
	case !f.Raw.part:
		w.packet = append(w.packet[:0], f.Raw.bytes...)
		return w.add(on, &f.Packet, f.Way, n, f.Comments)
	case f.Outer != nil: // whose lengths and checksums are those of the datagram
		on.link = linkRaw
		w.packet = f.appendPart(w.packet[:0], f.Raw.ip)
	default:
		w.packet = f.appendPart(w.packet[:0], 0)
	}
	return w.add(on, &f.Packet, f.Way, len(w.packet), f.Comments)
}

// appendPart appends one packet of a segmented datagram, as an interface sends it: lengths,
// checksums and the IPv4 identification are its own. Its headers begin with those that are captured from a byte on.
func (f *Frame) appendPart(b []byte, from int) []byte {
	b = append(append(b, f.Raw.bytes[from:f.Raw.bth]...), f.Data...)
	ip, udp := b[f.Raw.ip-from:], b[f.Raw.bth-from-udpLen:]
	v4 := ip[0]>>4 == 4
	header := len(ip) - len(udp)
	if v4 {
		binary.BigEndian.PutUint16(ip[2:], uint16(len(ip)))
		binary.BigEndian.PutUint16(ip[4:], f.ID)
		clear(ip[10:12])
		binary.BigEndian.PutUint16(ip[10:], fold(addWords(0, ip[:header])))
	} else {
		binary.BigEndian.PutUint16(ip[4:], uint16(len(udp)))
	}
	binary.BigEndian.PutUint16(udp[4:], uint16(len(udp)))
	putUDPSum(ip[:header], udp, v4)
	return b
}
