package verbs

import (
	"net/netip"
	"time"
)

// Packet is one RoCEv2 packet, as captured at a software device's link.
type Packet struct {
	At       time.Time // with the monotonic clock
	Device   string    // the device that captured it
	Outgoing bool      // sent by the device; otherwise received
	Src, Dst netip.AddrPort
	IP       IPHeader
	Data     []byte // BTH to ICRC: the UDP payload; valid during the call only
}

// IPHeader holds the IP header fields that the sender chooses and a router may change.
type IPHeader struct {
	TrafficClass uint8  // DSCP in the upper 6 bits, ECN in the lower 2; IPv4: type of service
	HopLimit     uint8  // IPv4: time to live; 0: unknown
	FlowLabel    uint32 // 20 bits; 0 with IPv4, which has no flow label
}

// PacketTapper is implemented by providers that can capture the packets of their devices.
type PacketTapper interface {
	// TapPackets calls tap for each packet that the named device sends or receives from now on; a nil tap stops this.
	// The device's goroutines call tap concurrently: it must be fast, must not block, and must copy what it keeps. Each
	// device has one tap.
	TapPackets(device string, tap func(Packet)) error
}

// PacketHead is the start of a packet that a software device sent or received.
type PacketHead struct {
	At       time.Time
	Outgoing bool
	Src, Dst netip.AddrPort
	IP       IPHeader
	Len      int                 // of the whole packet, from BTH to ICRC
	Head     [PacketHeadLen]byte // BTH, extended headers and payload; zero beyond the end of a shorter packet
}

// PacketHeadLen is the number of bytes of a packet in a PacketHead: the longest headers, BTH and AtomicETH.
const PacketHeadLen = 40

// PacketRecorder is implemented by providers whose devices always record the heads of their latest packets.
type PacketRecorder interface {
	// RecordedPackets returns the recorded packets of the named device, oldest first.
	RecordedPackets(device string) ([]PacketHead, error)
}
