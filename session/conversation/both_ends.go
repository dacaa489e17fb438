package conversation

import (
	"hash/maphash"
	"net/netip"
	"time"

	"rdmatui/session/capture"
	"rdmatui/verbs/wire"
)

// SentPacket is what is kept of a captured packet.
type SentPacket struct {
	Seq    uint64 // its number in its capture
	At     time.Time
	Opcode wire.Opcode
	DestQP uint32
	PSN    wire.PSN
	Len    int // bytes from BTH to ICRC
}

// Way is the direction of packets.
type Way struct{ Src, Dst netip.Addr }

// joinKey finds the same packet in both captures.
type joinKey struct {
	way  Way
	hash uint64
}

// Join collects two captures of the same traffic, one taken near each end. It tells of each packet whether it arrived,
// and so on which way packets are lost.
//
// A packet is known again by its bytes: a router changes only the IP header and the
// congestion bits of the BTH, which do not count here. The two clocks may differ: their
// offset follows from the shortest delays of both ways, as if these were equal.
type Join struct {
	seed maphash.Seed
	seen map[joinKey]*[2][]SentPacket // by key, for each capture in the order of the capture
	ways []Way                        // in the order in which they were seen
	know map[Way]bool
	span [2]struct{ first, last time.Time }

	Skipped uint64 // packets that were cut by a capture, and so cannot be known again
}

// NewJoin makes an empty join.
func NewJoin() *Join {
	return &Join{seed: maphash.MakeSeed(), seen: map[joinKey]*[2][]SentPacket{}, know: map[Way]bool{}}
}

// congestionByte is the byte of the BTH that a router may change.
const congestionByte = 4

// Add takes the next packet of the first (0) or the second (1) capture.
func (j *Join) Add(at int, f *capture.Frame) {
	if f.Cut() || len(f.Data) < wire.BTHLen {
		j.Skipped++
		return
	}
	var h maphash.Hash
	h.SetSeed(j.seed)
	ports := [4]byte{byte(f.Src.Port() >> 8), byte(f.Src.Port()), byte(f.Dst.Port() >> 8), byte(f.Dst.Port())}
	h.Write(ports[:])
	h.Write(f.Data[:congestionByte])
	h.Write(f.Data[congestionByte+1:])
	k := joinKey{Way{f.Src.Addr().Unmap(), f.Dst.Addr().Unmap()}, h.Sum64()}
	if !j.know[k.way] {
		j.know[k.way] = true
		j.ways = append(j.ways, k.way)
	}
	both := j.seen[k]
	if both == nil {
		both = new([2][]SentPacket)
		j.seen[k] = both
	}
	b := &f.Wire.BTH
	both[at] = append(both[at], SentPacket{f.Seq, f.At, b.Opcode, b.DestQP, b.PSN, f.Len})
	span := &j.span[at]
	if span.first.IsZero() {
		span.first = f.At
	}
	span.last = f.At
}

// Fate is what became of a packet.
type Fate uint8

// The fates.
const (
	PacketArrived Fate = iota
	PacketLate         // arrived after packets that were sent later
	PacketLost
	PacketOutside // sent before the other capture began or after it ended
)

// String names the fate.
func (f Fate) String() string { return [...]string{"arrived", "late", "lost", "outside"}[f] }

// Crossing is a sent packet with its arrival, both by the first clock.
type Crossing struct {
	SentPacket
	Fate    Fate
	Sent    time.Time
	Arrived time.Time // zero if it did not arrive
	As      uint64    // its number in the capture near the receiver; 0 if it did not arrive
}

// WayReport is what became of the packets of one way.
type WayReport struct {
	Way
	From     int        // the capture near the sender: 0 or 1
	Packets  []Crossing // that were sent, in the order of sending
	Sent     uint64
	Arrived  uint64
	Lost     []SentPacket    // sent and never arrived, in the order of sending
	Late     uint64          // arrived after packets that were sent later
	Copied   uint64          // arrived more often than sent
	Unsent   uint64          // arrived, but the capture near the sender does not have them
	Outside  uint64          // sent before the other capture began or after it ended
	Delays   []time.Duration // of those that arrived, by the corrected clock
	Offset   time.Duration   // what the second clock is ahead of the first
	Measured bool            // the offset follows from both ways; otherwise it counts as 0

	grace time.Duration // how much longer than the fastest a packet was on its way
}
