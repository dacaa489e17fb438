package capture

import (
	"io"
	"slices"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"rdmatui/session/timeline"
)

// Writer writes packets as pcapng, with one interface per device. After the first
// error it writes nothing more.
type Writer struct {
	// Comment describes the file as a whole, at most MaxComment bytes; set it before the first packet.
	Comment string

	out     io.Writer
	file    *pcapgo.NgWriter // nil until the first device is known: a section begins with an interface
	devices []iface          // by the number of their interface
	seen    []Counts         // the same
	buf     []byte
	err     error
}

// iface is an interface of the file.
type iface struct {
	name, about string
	link        layers.LinkType
}

// soft is the interface of a device whose link and IP headers are not seen.
func soft(device string) iface {
	return iface{device, "RDMA device; IP and UDP headers as covered by the ICRC", layers.LinkTypeRaw}
}

// NewWriter makes a writer. The file header is written with the first packet, or by
// Close.
func NewWriter(out io.Writer) *Writer { return &Writer{out: out} }

// MaxComment is the length of the longest comment: the format has 16 bits for it.
const MaxComment = 1<<16 - 1

// Write adds one packet with comments, each of at most MaxComment bytes. It returns the first error so far.
func (w *Writer) Write(p *timeline.Packet, comments ...string) error {
	w.buf = appendDatagram(w.buf[:0], p)
	return w.add(soft(p.Device), p, len(w.buf)+p.Cropped, packetOptions(p, comments))
}

// add writes the packet in buf, of which n bytes were sent.
func (w *Writer) add(on iface, p *timeline.Packet, n int, about pcapgo.NgPacketOptions) error {
	id := w.device(on)
	if w.err != nil {
		return w.err
	}
	w.seen[id].Missed += p.Missed
	w.seen[id].Received++
	at := gopacket.CaptureInfo{Timestamp: p.At, CaptureLength: len(w.buf), Length: n, InterfaceIndex: id}
	return w.keep(w.file.WritePacketWithOptions(at, w.buf, about))
}

// packetOptions tells which way a packet went, and how many are missing before it.
func packetOptions(p *timeline.Packet, comments []string) (o pcapgo.NgPacketOptions) {
	o.Comments = comments
	o.Flags = &pcapgo.NgEpbFlags{Direction: pcapgo.NgEpbFlagDirectionInbound}
	if p.Outgoing {
		o.Flags.Direction = pcapgo.NgEpbFlagDirectionOutbound
	}
	if p.Missed > 0 {
		o.DropCount = &p.Missed
	}
	return o
}

// Close ends the file with the statistics of each device; it does not close the
// underlying writer.
func (w *Writer) Close() error {
	if len(w.devices) == 0 {
		w.device(soft("none"))
	}
	for id, c := range w.seen {
		if w.err == nil {
			w.keep(w.file.WriteInterfaceStats(id,
				pcapgo.NgInterfaceStatistics{PacketsReceived: c.Received + c.Missed, PacketsDropped: c.Missed}))
		}
	}
	return w.err
}

// device returns the number of a device's interface, and describes a new interface in
// the file.
func (w *Writer) device(on iface) int {
	if id := slices.Index(w.devices, on); id >= 0 || w.err != nil {
		return id
	}
	about := pcapgo.NgInterface{Name: on.name, LinkType: on.link, Description: on.about}
	var err error
	if w.file == nil {
		w.file, err = pcapgo.NewNgWriterInterface(w.out, about, pcapgo.NgWriterOptions{
			SectionInfo: pcapgo.NgSectionInfo{Application: "rdmatui", Comment: w.Comment},
		})
	} else {
		_, err = w.file.AddInterface(about)
	}
	w.keep(err)
	w.devices, w.seen = append(w.devices, on), append(w.seen, Counts{})
	return len(w.devices) - 1
}

// keep stores an error, after which nothing more is written. What was written goes out at once: a file that is
// being written can be read at any time.
func (w *Writer) keep(err error) error {
	if err == nil {
		err = w.file.Flush()
	}
	w.err = err
	return err
}
