package capture

import (
	"cmp"
	"sync"

	"rdmatui/session/timeline"
	"rdmatui/verbs/ring"
)

// Limits of a ring.
const (
	keepBytes = 16 << 20 // unless told otherwise
	meanBytes = 1 << 10  // per packet: a ring for n bytes keeps at most n/meanBytes packets
)

// Ring keeps the newest packets. The zero value is ready; its methods may be
// called from any goroutine.
type Ring struct {
	mu    sync.Mutex
	kept  ring.Ring[*timeline.Packet]
	bytes int
	limit int    // of bytes; 0: keepBytes
	last  uint64 // number of the newest packet
}

// Use is how much a ring keeps, and how much it may.
type Use struct{ Packets, MaxPackets, Bytes, MaxBytes int }

// Use returns how much the ring keeps.
func (r *Ring) Use() Use {
	r.mu.Lock()
	defer r.mu.Unlock()
	limit := cmp.Or(r.limit, keepBytes)
	return Use{r.kept.Len(), limit / meanBytes, r.bytes, limit}
}

// Limit changes how many bytes of packets are kept.
func (r *Ring) Limit(bytes int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.limit = bytes
	r.trim()
}

// trim drops the oldest packets beyond the limits.
func (r *Ring) trim() {
	limit := cmp.Or(r.limit, keepBytes)
	for r.kept.Len() > limit/meanBytes || r.bytes > limit {
		r.bytes -= len((*r.kept.At(0)).Data)
		r.kept.Drop(1)
	}
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
		r.trim()
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
