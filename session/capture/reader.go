package capture

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"rdmatui/verbs/wire"
)

// Totals counts what a reader has come past.
type Totals struct {
	Packets uint64 // of any kind; a segmented datagram counts as the packets that it is split into
	RoCE    uint64 // of them decoded as RoCE
	Cut     uint64 // of the RoCE packets, those of which the capture holds the beginning only
	Dropped uint64 // packets that the capturing side says it lost

	Segmented  uint64        // datagrams that were split into packets
	Tunneled   uint64        // of the RoCE packets, those that were encapsulated
	InfiniBand uint64        // of the RoCE packets, those of an InfiniBand link
	Skipped    [skips]uint64 // packets that were not looked at to their end, by the reason
}

// Plus returns the sum of two captures' totals.
func (t Totals) Plus(o *Totals) Totals {
	t.Packets, t.RoCE, t.Cut, t.Dropped = t.Packets+o.Packets, t.RoCE+o.RoCE, t.Cut+o.Cut, t.Dropped+o.Dropped
	t.Segmented, t.Tunneled, t.InfiniBand = t.Segmented+o.Segmented, t.Tunneled+o.Tunneled, t.InfiniBand+o.InfiniBand
	for i, n := range o.Skipped {
		t.Skipped[i] += n
	}
	return t
}

// Reader reads the RoCE packets of a capture in the pcap or pcapng format, plain or
// compressed by gzip, zstd, xz or bzip2.
type Reader struct {
	Totals
	next   func(*Frame) ([]byte, link, int, error) // a packet, its link header and its length as sent
	start  time.Time                               // of the first packet
	whole  []byte                                  // room to decode packets that were cut
	checks map[wire.Path]wire.ICRC
	live   source // nil: a file

	records uint64 // of the capture
	comment string
	walk    walk
	segments
}

// Comment is what a pcapng file says of its first section.
func (r *Reader) Comment() string { return r.comment }

// source is where live packets come from.
type source interface {
	io.Closer
	stop()
	lost() uint64
	caughtUp() bool
}

// Stop ends reading from a network interface: once Next has returned what had arrived by
// then it fails with io.EOF. It may be called from any goroutine.
func (r *Reader) Stop() {
	if r.live != nil {
		r.live.stop()
	}
}

// CaughtUp reports whether a goroutine that calls Next again and again has handled every packet of a network interface
// that has arrived. It may be called from any goroutine.
func (r *Reader) CaughtUp() bool { return r.live == nil || r.live.caughtUp() }

// Close releases a network interface, after the last call of Next. The reader of a file
// has nothing to release.
func (r *Reader) Close() error {
	if r.live == nil {
		return nil
	}
	r.Dropped += r.live.lost()
	return r.live.Close()
}

// maxPaths bounds the prepared ICRCs: addresses in a capture are a stranger's.
const maxPaths = 4096

// lossPeriod is after how many packets of an interface the kernel is asked for those
// that it dropped.
const lossPeriod = 256

// NewReader reads the head of a capture. The reader's memory is bounded, whatever r holds.
func NewReader(r io.Reader) (*Reader, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	in, err := plain(in)
	if err != nil {
		return nil, headerError(err)
	}
	head, err := in.Peek(4)
	switch {
	case len(head) == 0 && errors.Is(err, io.EOF):
		return nil, errors.New("no data; even a capture without packets has a header")
	case err != nil && !errors.Is(err, io.EOF):
		return nil, headerError(err)
	case len(head) < 4:
		return nil, errNoCapture
	}
	reader := &Reader{checks: map[wire.Path]wire.ICRC{}}
	switch binary.LittleEndian.Uint32(head) {
	case kindSection:
		var file *ngReader
		if file, err = newNgReader(in); err == nil {
			reader.comment, reader.next = file.comment, file.nextPacket
		}
	case magicMicros, magicNanos, magicMicrosSwap, magicNanosSwap, magicPatched, magicPatchedSwap:
		var file *pcapReader
		if file, err = newPcapReader(in); err == nil {
			reader.next = file.next
		}
	default:
		head, _ = in.Peek(magicLen)
		return nil, strange(head)
	}
	if err != nil {
		return nil, headerError(err)
	}
	return reader, nil
}

var errNoCapture = errors.New("not a pcap or pcapng file; write one with tcpdump -w, dumpcap or the capture command")

// Next reads up to the next RoCE packet. The bytes of f are valid until the next
// call. It fails with io.EOF at the end, and with an error that says what was read
// where the capture is damaged or ends within a packet.
func (r *Reader) Next(f *Frame) error {
	if len(r.rest) > 0 {
		r.nextSegment(f)
		return nil
	}
	for {
		*f = Frame{}
		b, of, n, err := r.next(f)
		if errors.Is(err, io.EOF) {
			return io.EOF
		}
		if err != nil {
			return fmt.Errorf("packet %d: %w", r.records+1, plainEnd(err))
		}
		r.Packets++
		if r.records++; r.records == 1 {
			r.start = f.At
		}
		err = r.walk.decode(f, of, b, n)
		if r.Dropped += f.Missed; err != nil {
			if r.walk.skip != NotSkipped {
				r.Skipped[r.walk.skip]++
			}
			continue
		}
		if r.live != nil && r.RoCE%lossPeriod == 0 {
			f.Missed = r.live.lost()
			r.Dropped += f.Missed
		}
		r.count(f)
		f.Seq, f.T = r.records, f.At.Sub(r.start)
		f.Outgoing = f.Way == Out
		r.read(f)
		return nil
	}
}

// headerError is why a capture's header cannot be read.
func headerError(err error) error {
	var file *fs.PathError
	if errors.As(err, &file) { // a directory
		return file.Err
	}
	return fmt.Errorf("capture header: %w", plainEnd(err))
}

// plainEnd describes a capture that ends too early.
func plainEnd(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errors.New("the input ends too early")
	}
	return err
}

// read decodes the RoCE packet of a frame and checks its ICRC.
func (r *Reader) read(f *Frame) {
	if f.Cut() {
		r.Cut++
		r.whole = f.DecodeCut(r.whole)
		return
	}
	if f.Decode(); len(f.Data) < wire.BTHLen || f.options {
		return
	}
	if r.icrc(f).Verify(f.ID, f.Data) {
		f.ICRC = Right
	} else if size := r.segmentSize(f); size > 0 {
		r.split(f, size)
	} else {
		f.ICRC = Wrong
	}
}

// icrc returns the prepared check of a frame's path.
func (r *Reader) icrc(f *Frame) wire.ICRC {
	path := wire.Path{Src: f.Src, Dst: f.Dst, DF: f.DF, GRH: f.V1}
	check, known := r.checks[path]
	if known {
		return check
	}
	check, _ = wire.NewICRC(path) // both addresses come from one header
	if len(r.checks) >= maxPaths {
		clear(r.checks)
	}
	r.checks[path] = check
	return check
}

// A sender may leave it to the network interface to cut one long datagram into packets
// (UDP_SEGMENT, udp(7)), as the software device does. On the loopback interface and on
// virtual ones nobody cuts it, and a capture holds it whole: packets of one length, but
// for the last, one behind the other.

// maxSegmentTries bounds how many lengths are tried for one packet.
const maxSegmentTries = 64

// segments are the packets of such a datagram that have not been returned yet.
type segments struct {
	frame Frame // with what all have in common
	rest  []byte
	size  int
}

// segmentSize finds the length of the packets in a datagram whose ICRC is wrong as a whole: the
// one with which the first is right, and another begins behind it. It returns 0 if there
// is none.
func (r *Reader) segmentSize(f *Frame) int {
	if f.V1 {
		return 0 // no UDP
	}
	b, check := f.Data, r.icrc(f)
	tries := 0
	for size := wire.BTHLen + wire.ICRCLen; size+wire.BTHLen+wire.ICRCLen <= len(b) &&
		tries < maxSegmentTries; size += 4 {
		next := b[size:]
		if _, known := wire.Opcode(next[0]).Info(); !known || !bytes.Equal(next[2:4], b[2:4]) { // the P_Key
			continue
		}
		tries++
		if check.Verify(f.ID, b[:size]) {
			return size
		}
	}
	return 0
}

// split begins to return a datagram's packets one by one, with f as the first.
func (r *Reader) split(f *Frame, size int) {
	f.Raw.part = true
	r.Segmented++
	r.segments = segments{frame: *f, rest: f.Data, size: size}
	r.segment(f)
}

// nextSegment counts and returns the next packet of a datagram.
func (r *Reader) nextSegment(f *Frame) {
	r.segment(f)
	r.Packets++
	r.count(f)
}

// count counts a RoCE packet.
func (r *Reader) count(f *Frame) {
	r.RoCE++
	if f.Outer != nil {
		r.Tunneled++
	}
	if f.IB {
		r.InfiniBand++
	}
}

// segment returns the next packet of a datagram; each has the IPv4 identification
// after that of the one before.
func (r *Reader) segment(f *Frame) {
	s := &r.segments
	*f = s.frame
	n := min(s.size, len(s.rest))
	f.Data, f.Len, s.rest = s.rest[:n], n, s.rest[n:]
	if f.Src.Addr().Is4() {
		s.frame.ID++
	}
	s.frame.Missed, s.frame.Comments = 0, nil
	if f.Decode(); f.Err != nil {
		return
	}
	if f.ICRC = Wrong; r.icrc(f).Verify(f.ID, f.Data) {
		f.ICRC = Right
	}
}
