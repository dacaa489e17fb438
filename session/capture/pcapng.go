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
	out     io.Writer
	file    *pcapgo.NgWriter // nil until the first device is known: a section begins with an interface
	devices []string         // by the number of their interface
	seen    []Counts         // the same
	buf     []byte
	err     error
}

// NewWriter makes a writer. The file header is written with the first packet, or by
// Close.
func NewWriter(out io.Writer) *Writer { return &Writer{out: out} }

// Write adds one packet and returns the first error so far.
func (w *Writer) Write(p *timeline.Packet) error {
	id := w.device(p.Device)
	if w.err != nil {
		return w.err
	}
	w.seen[id].Missed += p.Missed
	w.seen[id].Received++
	w.buf = appendDatagram(w.buf[:0], p)
	at := gopacket.CaptureInfo{Timestamp: p.At, CaptureLength: len(w.buf), Length: len(w.buf), InterfaceIndex: id}
	return w.keep(w.file.WritePacketWithOptions(at, w.buf, packetOptions(p)))
}

// packetOptions tells which way a packet went, and how many are missing before it.
func packetOptions(p *timeline.Packet) (o pcapgo.NgPacketOptions) {
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
		w.device("none")
	}
	for id, c := range w.seen {
		if w.err == nil {
			w.keep(w.file.WriteInterfaceStats(id, pcapgo.NgInterfaceStatistics{PacketsReceived: c.Received + c.Missed, PacketsDropped: c.Missed}))
		}
	}
	return w.err
}

// device returns the number of a device's interface, and describes a new interface in
// the file.
func (w *Writer) device(name string) int {
	if id := slices.Index(w.devices, name); id >= 0 || w.err != nil {
		return id
	}
	about := pcapgo.NgInterface{
		Name: name, LinkType: layers.LinkTypeRaw, Description: "RDMA device; IP and UDP headers as covered by the ICRC",
	}
	var err error
	if w.file == nil {
		w.file, err = pcapgo.NewNgWriterInterface(w.out, about, pcapgo.NgWriterOptions{SectionInfo: pcapgo.NgSectionInfo{Application: "rdmatui"}})
	} else {
		_, err = w.file.AddInterface(about)
	}
	w.keep(err)
	w.devices, w.seen = append(w.devices, name), append(w.seen, Counts{})
	return len(w.devices) - 1
}

// keep stores the first error. What was written goes out at once: a file that is
// being written can be read at any time.
func (w *Writer) keep(err error) error {
	if err == nil {
		err = w.file.Flush()
	}
	if w.err == nil {
		w.err = err
	}
	return w.err
}
