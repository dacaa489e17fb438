// Package capture takes packets from software devices without ever making them
// wait, keeps the newest, and writes them to pcapng files that Wireshark reads.
package capture

import (
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// Limits of an intake between two reads. Packets beyond them are counted and dropped:
// the device must not wait.
const (
	intakePackets = 4096
	intakeBytes   = 2 << 20
)

// Intake collects packets from the taps of several devices for one reader, in the
// order in which the links saw them.
type Intake struct {
	start  time.Time // of the session
	marked chan struct{}

	mu    sync.Mutex // held to copy one packet, or to take all
	batch []sighting
	bytes []byte
}

// sighting is one packet in an intake. It is small because the device waits while it
// is written.
type sighting struct {
	at       time.Time
	tap      *Tap
	outgoing bool
	src, dst netip.AddrPort
	ip       verbs.IPHeader
	from, to int // its bytes
	gap      uint64
}

// NewIntake makes an empty intake; times count from start.
func NewIntake(start time.Time) *Intake {
	return &Intake{start: start, marked: make(chan struct{}, 1)}
}

// Marked is readable when packets have arrived.
func (in *Intake) Marked() <-chan struct{} { return in.marked }

// Take returns the packets since the last call, not yet decoded. The caller owns the
// packets and their bytes.
func (in *Intake) Take() []timeline.Packet {
	seen, bytes := in.swap()
	packets := make([]timeline.Packet, len(seen))
	for i := range seen {
		s := &seen[i]
		packets[i] = timeline.Packet{
			At: s.at, T: s.at.Sub(in.start), Device: s.tap.device, Outgoing: s.outgoing, Src: s.src, Dst: s.dst,
			IP: s.ip, Data: bytes[s.from:s.to:s.to], Missed: s.gap,
		}
	}
	return packets
}

// swap takes the content and allocates buffers of the same size, so that they seldom
// grow while a device waits.
func (in *Intake) swap() ([]sighting, []byte) {
	in.mu.Lock()
	defer in.mu.Unlock()
	seen, bytes := in.batch, in.bytes
	if len(seen) > 0 {
		in.batch, in.bytes = make([]sighting, 0, len(seen)), make([]byte, 0, len(bytes))
	}
	return seen, bytes
}

// Counts is what a tap has seen; it is exact even if packets were missed.
type Counts struct {
	Sent, Received           uint64 // packets
	SentBytes, ReceivedBytes uint64 // of UDP payload
	Missed                   uint64 // packets dropped because the intake was full
}

// Tap connects one device to an intake.
type Tap struct {
	in     *Intake
	device string
	gap    uint64 // missed since the last kept packet; guarded by in.mu

	sent, received, sentBytes, receivedBytes, missed atomic.Uint64
}

// NewTap makes a tap; pass its See to the provider.
func (in *Intake) NewTap(device string) *Tap { return &Tap{in: in, device: device} }

// Counts returns the tap's counts.
func (t *Tap) Counts() Counts {
	return Counts{
		Sent: t.sent.Load(), Received: t.received.Load(), Missed: t.missed.Load(),
		SentBytes: t.sentBytes.Load(), ReceivedBytes: t.receivedBytes.Load(),
	}
}

// See counts and keeps one packet. It may be called from any goroutine.
func (t *Tap) See(p verbs.Packet) {
	n, bytes := &t.received, &t.receivedBytes
	if p.Outgoing {
		n, bytes = &t.sent, &t.sentBytes
	}
	n.Add(1)
	bytes.Add(uint64(len(p.Data)))
	if t.keep(&p) {
		select {
		case t.in.marked <- struct{}{}:
		default:
		}
	}
}

// keep copies the packet if there is room, and reports whether it is the first
// of a batch.
func (t *Tap) keep(p *verbs.Packet) bool {
	in := t.in
	in.mu.Lock()
	defer in.mu.Unlock()
	if len(in.batch) >= intakePackets || len(in.bytes)+len(p.Data) > intakeBytes {
		t.gap++
		t.missed.Add(1)
		return false
	}
	from := len(in.bytes)
	in.bytes = append(in.bytes, p.Data...)
	in.batch = append(in.batch, sighting{p.At, t, p.Outgoing, p.Src, p.Dst, p.IP, from, len(in.bytes), t.gap})
	t.gap = 0
	return len(in.batch) == 1
}
