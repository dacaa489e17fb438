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
	Data     []byte // BTH to ICRC: the UDP payload; valid during the call only
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
