package capture

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// Magic numbers of pcap: the unit of times in little-endian order, and in the other.
const (
	magicMicros     = 0xa1b2c3d4
	magicNanos      = 0xa1b23c4d
	magicMicrosSwap = 0xd4c3b2a1
	magicNanosSwap  = 0x4d3cb2a1

	// Those of a modified format (Kuznetzov): packets have an interface, a protocol and a type in 8 bytes more.
	magicPatched     = 0xa1b2cd34
	magicPatchedSwap = 0x34cdb2a1
)

const (
	pcapHeaderLen = 24
	pcapRecordLen = 16
	pcapMoreLen   = 8 // of the modified format
	pcapMajor     = 2
	pcapDGUX      = 543 // major version of DG/UX, whose lengths are swapped
	pcapSwapped   = 3   // up to this minor version, some programs swapped a record's two lengths

	// maxRecord is the longest record that is read, in bytes; libpcap reads none that is longer either.
	maxRecord = 262144
)

// pcapReader reads the packets of a pcap file (draft-ietf-opsawg-pcap). Its header:
//
//	 0  magic number (32)
//	 4  major version (16), minor version (16)
//	 8  unused (64)
//	16  snapshot length (32), which some writers exceed
//	20  frame check sequence (16), link type (16)
//
// and that of each packet:
//
//	0  seconds (32), microseconds or nanoseconds (32)
//	8  bytes that follow (32), length as sent (32)
type pcapReader struct {
	in      io.Reader
	order   binary.ByteOrder
	unit    time.Duration
	swapped bool
	more    int // bytes of a packet's header that are skipped
	on      iface
	link    link
	head    [pcapRecordLen]byte
	rest    [pcapMoreLen]byte
	packet  []byte
}

// newPcapReader reads the header of a pcap file.
func newPcapReader(in io.Reader) (*pcapReader, error) {
	var head [pcapHeaderLen]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, err
	}
	r := &pcapReader{in: in, order: binary.LittleEndian, unit: time.Microsecond}
	switch magic := binary.LittleEndian.Uint32(head[:]); magic {
	case magicNanos:
		r.unit = time.Nanosecond
	case magicNanosSwap:
		r.order, r.unit = binary.BigEndian, time.Nanosecond
	case magicMicrosSwap:
		r.order = binary.BigEndian
	case magicPatched:
		r.more = pcapMoreLen
	case magicPatchedSwap:
		r.order, r.more = binary.BigEndian, pcapMoreLen
	}
	major, minor := r.order.Uint16(head[4:]), r.order.Uint16(head[6:])
	if major != pcapMajor && (major != pcapDGUX || minor != 0) {
		return nil, fmt.Errorf("version %d.%d of pcap is not supported", major, minor)
	}
	r.swapped = minor <= pcapSwapped
	r.on.link = linkType(r.order.Uint32(head[20:]))
	if r.link = links[r.on.link]; r.link == nil {
		return nil, fmt.Errorf("link type %d is not supported; capture on an Ethernet interface, or with -i any",
			r.on.link)
	}
	return r, nil
}

// next reads a packet. It fails with io.EOF where the file ends between two packets.
func (r *pcapReader) next(f *Frame) (packet []byte, of link, n int, err error) {
	if _, err := io.ReadFull(r.in, r.head[:]); err != nil {
		return nil, nil, 0, err
	}
	if r.more > 0 {
		if err := readAll(r.in, r.rest[:r.more]); err != nil {
			return nil, nil, 0, err
		}
	}
	kept, sent := r.order.Uint32(r.head[8:]), r.order.Uint32(r.head[12:])
	if r.swapped {
		kept, sent = min(kept, sent), max(kept, sent)
	}
	if kept > maxRecord {
		return nil, nil, 0, fmt.Errorf("a packet of %d bytes; the capture is damaged", kept)
	}
	r.packet = slices.Grow(r.packet[:0], int(kept))[:kept]
	if err := readAll(r.in, r.packet); err != nil {
		return nil, nil, 0, err
	}
	f.At = time.Unix(int64(r.order.Uint32(r.head[:])), int64(r.order.Uint32(r.head[4:]))*int64(r.unit)).UTC()
	f.Raw.on = r.on
	return r.packet, r.link, int(max(kept, sent)), nil
}

// readAll fills b from within a part of the file.
func readAll(in io.Reader, b []byte) error {
	_, err := io.ReadFull(in, b)
	return early(err)
}

// early returns the error of a read within a part of the file, where its end is too early.
func early(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
