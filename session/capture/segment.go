package capture

import (
	"bytes"

	"rdmatui/verbs/wire"
)

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
	r.segments = segments{frame: *f, rest: f.Data, size: size}
	r.nextSegment(f)
}

// nextSegment returns the next packet of a datagram; each has the IPv4 identification
// after that of the one before.
func (r *Reader) nextSegment(f *Frame) {
	s := &r.segments
	*f = s.frame
	n := min(s.size, len(s.rest))
	f.Data, f.Len, s.rest = s.rest[:n], n, s.rest[n:]
	if f.Src.Addr().Is4() {
		s.frame.ID++
	}
	s.frame.Missed, s.frame.Comments = 0, nil
	r.RoCE++
	if f.Decode(); f.Err != nil {
		return
	}
	if f.ICRC = Wrong; r.icrc(f).Verify(f.ID, f.Data) {
		f.ICRC = Right
	}
}
