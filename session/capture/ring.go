package capture

import (
	"sync"

	"rdmatui/session/timeline"
	"rdmatui/verbs/ring"
)

// Limits of a ring.
const (
	keepPackets = 16384
	keepBytes   = 16 << 20
)

// Ring keeps the newest packets. The zero value is ready; its methods may be
// called from any goroutine.
type Ring struct {
	mu    sync.Mutex
	kept  ring.Ring[*timeline.Packet]
	bytes int
	last  uint64 // number of the newest packet
}

// Add numbers packets and keeps them. The caller must not change them afterwards.
func (r *Ring) Add(batch []timeline.Packet) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range batch {
		p := &batch[i]
		r.last++
		p.Seq = r.last
		*r.kept.Add() = p
		r.bytes += len(p.Data)
		for r.kept.Len() > keepPackets || r.bytes > keepBytes {
			r.bytes -= len((*r.kept.At(0)).Data)
			r.kept.Drop(1)
		}
	}
}

// Since appends to dst the packets after number seq, oldest first. A limit other than
// 0 keeps only the newest that many.
func (r *Ring) Since(seq uint64, limit int, dst []*timeline.Packet) []*timeline.Packet {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.kept.AppendWhile(dst, limit, func(p **timeline.Packet) bool { return (*p).Seq > seq })
}

// Last returns the number of the newest packet, 0 if there was none.
func (r *Ring) Last() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}
