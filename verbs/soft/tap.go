package soft

import (
	"sync/atomic"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

// tap is the function that an adapter's packets are passed to, if any.
type tap struct {
	see atomic.Pointer[func(verbs.Packet)]
}

// set replaces the function, and returns the change in the number of functions: 1, 0 or -1.
func (t *tap) set(see func(verbs.Packet)) (more int) {
	var now *func(verbs.Packet)
	if see != nil {
		now = &see
		more++
	}
	if t.see.Swap(now) != nil {
		more--
	}
	return more
}

// tapped captures the packets between the engine and its link. It is above the faults: a packet that they drop was
// sent, one that they duplicate was sent once, and neither depends on the carrier. The heads are always recorded.
type tapped struct {
	link.Link
	tap      *tap
	recorder *recorder
	device   string
	room     [wire.MaxLen]byte // Send's own, which is called by one goroutine at a time
}

// Send records the packets and shows them to the tap before the link takes ownership of them.
func (l *tapped) Send(batch []*link.Packet) {
	l.recorder.record(batch, true)
	if see := l.tap.see.Load(); see != nil {
		now := time.Now()
		for _, p := range batch {
			l.show(*see, now, true, p, p.AppendSealed(l.room[:0]))
		}
	}
	l.Link.Send(batch)
}

// Receive records the packets that the link appends and shows them to the tap.
func (l *tapped) Receive(into []*link.Packet, limit int) []*link.Packet {
	had := len(into)
	into = l.Link.Receive(into, limit)
	if len(into) == had {
		return into
	}
	l.recorder.record(into[had:], false)
	if see := l.tap.see.Load(); see != nil {
		now := time.Now()
		for _, p := range into[had:] {
			l.show(*see, now, false, p, p.Data)
		}
	}
	return into
}

func (l *tapped) show(see func(verbs.Packet), at time.Time, outgoing bool, p *link.Packet, data []byte) {
	see(verbs.Packet{At: at, Device: l.device, Outgoing: outgoing, Src: p.Path.Src, Dst: p.Path.Dst, Data: data,
		IP: verbs.IPHeader(p.Path.Header)})
}
