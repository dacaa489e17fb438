package verbs

import (
	"net/netip"
	"time"
)

// Packet is one RoCEv2 packet as a software device's link saw it.
type Packet struct {
	At       time.Time // with the monotonic clock
	Device   string    // whose link saw it
	Outgoing bool      // sent by the device; otherwise it has arrived
	Src, Dst netip.AddrPort
	IP       IPHeader
	Data     []byte // BTH to ICRC: the UDP payload; valid during the call only
}

// IPHeader is the fields of a packet's IP header that the sender chooses and a
// router may change.
type IPHeader struct {
	TrafficClass uint8  // DSCP in the upper 6 bits, ECN in the lower 2; IPv4: type of service
	HopLimit     uint8  // IPv4: time to live; 0: not known
	FlowLabel    uint32 // 20 bits; 0 with IPv4, which has none
}

// PacketTapper is implemented by providers that can show the packets of their
// devices.
type PacketTapper interface {
	// TapPackets calls tap for each packet that the named device sends or
	// receives, from the next one on; nil ends that. It is called from the
	// device's own goroutines, at once from several: it must be quick, must not
	// wait, and must copy what it keeps. There is one tap for each device.
	TapPackets(device string, tap func(Packet)) error
}

// PacketHead is the beginning of a packet that a software device has sent or received.
type PacketHead struct {
	At       time.Time
	Outgoing bool
	Len      int                 // of the whole packet, from BTH to ICRC
	Head     [PacketHeadLen]byte // BTH, extended headers and what follows; zero behind a shorter packet
}

// PacketHeadLen is how many bytes of a packet a PacketHead has: the longest headers there are, BTH and AtomicETH.
const PacketHeadLen = 40

// PacketRecorder is implemented by providers whose devices keep the heads of their newest packets at all times.
type PacketRecorder interface {
	// RecordedPackets returns the packets that are kept of the named device, the oldest first.
	RecordedPackets(device string) ([]PacketHead, error)
}
