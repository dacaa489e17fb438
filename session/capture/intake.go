package capture

import (
	"sync"
	"sync/atomic"
	"time"

	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// An intake holds so many packets, and bytes of them, between two looks of its
// reader. What comes beyond is counted and not kept: the device must not wait.
const (
	intakePackets = 4096
	intakeBytes   = 2 << 20
)

// Intake is where the taps of several devices put packets for one reader. The
// order of packets is that in which the links saw them.
type Intake struct {
	start  time.Time // of the session
	marked chan struct{}

	mu    sync.Mutex // held for copying one packet, or for taking all
	batch []timeline.Packet
	bytes []byte
	was   int // bytes of the batch before, so that one of its size need not grow
}

// NewIntake makes an empty intake; times are counted from start.
func NewIntake(start time.Time) *Intake {
	return &Intake{start: start, marked: make(chan struct{}, 1)}
}

// Marked is readable when packets have come.
func (in *Intake) Marked() <-chan struct{} { return in.marked }

// Take returns what has come since the last time, not decoded yet. The packets
// are the caller's, and so are their bytes.
func (in *Intake) Take() []timeline.Packet {
	in.mu.Lock()
	defer in.mu.Unlock()
	batch := in.batch
	in.was = len(in.bytes)
	in.batch, in.bytes = nil, nil
	return batch
}

// Counts is what a tap has seen, exact whatever was missed.
type Counts struct {
	Sent, Received           uint64 // packets
	SentBytes, ReceivedBytes uint64 // of UDP payload
	Missed                   uint64 // packets that came too fast to be kept
}

// Tap is one device's way into an intake.
type Tap struct {
	in     *Intake
	device string
	gap    uint64 // missed since the last that was kept; guarded by in.mu

	sent, received, sentBytes, receivedBytes, missed atomic.Uint64
}

// NewTap makes a tap; its See is what the provider is to call.
func (in *Intake) NewTap(device string) *Tap { return &Tap{in: in, device: device} }

// Counts reads the tap's counts.
func (t *Tap) Counts() Counts {
	return Counts{
		Sent: t.sent.Load(), Received: t.received.Load(), Missed: t.missed.Load(),
		SentBytes: t.sentBytes.Load(), ReceivedBytes: t.receivedBytes.Load(),
	}
}

// See takes one packet. It may be called from any goroutine.
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
	if in.bytes == nil {
		in.bytes = make([]byte, 0, max(in.was, len(p.Data)))
	}
	at := len(in.bytes)
	in.bytes = append(in.bytes, p.Data...)
	in.batch = append(in.batch, timeline.Packet{
		At: p.At, T: p.At.Sub(in.start), Device: t.device, Outgoing: p.Outgoing, Src: p.Src, Dst: p.Dst,
		Data: in.bytes[at:len(in.bytes):len(in.bytes)], Missed: t.gap,
	})
	t.gap = 0
	return len(in.batch) == 1
}
