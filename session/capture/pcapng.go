package capture

import (
	"encoding/binary"
	"io"

	"rdmatui/session/timeline"
)

// Blocks of a pcapng file and their options used here (draft-ietf-opsawg-pcapng).
const (
	blockSection    = 0x0a0d0d0a
	blockInterface  = 1
	blockPacket     = 6
	blockStatistics = 5

	byteOrderMagic = 0x1a2b3c4d
	linkTypeRaw    = 101 // packets begin with an IPv4 or IPv6 header

	optEnd           = 0
	optSectionApp    = 4
	optIfName        = 2
	optIfDescription = 3
	optIfTimeRes     = 9
	optPacketFlags   = 2
	optPacketMissed  = 4
	optIfReceived    = 4
	optIfDropped     = 5

	nanoseconds = 9 // of optIfTimeRes: 10^-9 s
	inbound     = 1 // of optPacketFlags
	outbound    = 2
)

// Writer writes packets as pcapng, with one interface per device. After the first
// error it writes nothing more.
type Writer struct {
	out     io.Writer
	devices map[string]uint32
	seen    map[string]*Counts
	names   []string
	buf     []byte
	err     error
}

// NewWriter writes the file header.
func NewWriter(out io.Writer) *Writer {
	w := &Writer{out: out, devices: map[string]uint32{}, seen: map[string]*Counts{}}
	w.block(blockSection, func(b []byte) []byte {
		b = binary.LittleEndian.AppendUint32(b, byteOrderMagic)
		b = binary.LittleEndian.AppendUint16(b, 1) // version 1.0
		b = binary.LittleEndian.AppendUint16(b, 0)
		b = binary.LittleEndian.AppendUint64(b, ^uint64(0)) // section length: unknown
		return option(option(b, optSectionApp, []byte("rdmatui")), optEnd, nil)
	})
	return w
}

// Write adds one packet and returns the first error so far.
func (w *Writer) Write(p *timeline.Packet) error {
	id := w.device(p.Device)
	count := w.seen[p.Device]
	count.Missed += p.Missed
	count.Received++
	w.block(blockPacket, func(b []byte) []byte {
		b = binary.LittleEndian.AppendUint32(b, id)
		b = appendTime(b, p)
		at := len(b)
		b = append(b, 0, 0, 0, 0, 0, 0, 0, 0)
		body := len(b)
		b = appendDatagram(b, p)
		n := uint32(len(b) - body)
		binary.LittleEndian.PutUint32(b[at:], n)
		binary.LittleEndian.PutUint32(b[at+4:], n)
		b = pad(b, body)
		return packetOptions(b, p)
	})
	return w.err
}

func packetOptions(b []byte, p *timeline.Packet) []byte {
	direction := uint32(inbound)
	if p.Outgoing {
		direction = outbound
	}
	b = option(b, optPacketFlags, binary.LittleEndian.AppendUint32(nil, direction))
	if p.Missed > 0 {
		b = option(b, optPacketMissed, binary.LittleEndian.AppendUint64(nil, p.Missed))
	}
	return option(b, optEnd, nil)
}

// Close ends the file with the statistics of each device; it does not close the
// underlying writer.
func (w *Writer) Close() error {
	for _, name := range w.names {
		c := w.seen[name]
		w.block(blockStatistics, func(b []byte) []byte {
			b = binary.LittleEndian.AppendUint32(b, w.devices[name])
			b = binary.LittleEndian.AppendUint64(b, 0) // no timestamp
			b = option(b, optIfReceived, binary.LittleEndian.AppendUint64(nil, c.Received+c.Missed))
			b = option(b, optIfDropped, binary.LittleEndian.AppendUint64(nil, c.Missed))
			return option(b, optEnd, nil)
		})
	}
	return w.err
}

// device returns the number of a device's interface, and describes a new interface in
// the file.
func (w *Writer) device(name string) uint32 {
	if id, ok := w.devices[name]; ok {
		return id
	}
	id := uint32(len(w.names))
	w.devices[name], w.seen[name], w.names = id, &Counts{}, append(w.names, name)
	w.block(blockInterface, func(b []byte) []byte {
		b = binary.LittleEndian.AppendUint16(b, linkTypeRaw)
		b = binary.LittleEndian.AppendUint16(b, 0)
		b = binary.LittleEndian.AppendUint32(b, 0) // no packet length limit
		b = option(b, optIfName, []byte(name))
		b = option(b, optIfDescription, []byte("software RDMA device; IP and UDP headers as covered by the ICRC"))
		b = option(b, optIfTimeRes, []byte{nanoseconds})
		return option(b, optEnd, nil)
	})
	return id
}

// block writes one block: its type, its length at both ends, and in between what body
// appends, padded to 32-bit words.
func (w *Writer) block(kind uint32, body func([]byte) []byte) {
	if w.err != nil {
		return
	}
	b := binary.LittleEndian.AppendUint32(w.buf[:0], kind)
	b = body(append(b, 0, 0, 0, 0))
	n := uint32(len(b) + 4)
	b = binary.LittleEndian.AppendUint32(b, n)
	binary.LittleEndian.PutUint32(b[4:], n)
	w.buf = b
	_, w.err = w.out.Write(b)
}

// appendTime appends a timestamp, high word first.
func appendTime(b []byte, p *timeline.Packet) []byte {
	t := uint64(p.At.UnixNano())
	b = binary.LittleEndian.AppendUint32(b, uint32(t>>32))
	return binary.LittleEndian.AppendUint32(b, uint32(t))
}

func option(b []byte, code uint16, value []byte) []byte {
	b = binary.LittleEndian.AppendUint16(b, code)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(value)))
	at := len(b)
	return pad(append(b, value...), at)
}

// pad pads data that starts at an offset to whole words.
func pad(b []byte, from int) []byte {
	for (len(b)-from)%4 != 0 {
		b = append(b, 0)
	}
	return b
}
