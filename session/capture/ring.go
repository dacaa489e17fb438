package capture

import (
	"sync"

	"rdmatui/session/timeline"
)

// A ring keeps so many packets, and bytes of them.
const (
	keepPackets = 16384
	keepBytes   = 16 << 20
)

// Ring keeps the newest packets. The zero value is ready; its methods may be
// called from any goroutine.
type Ring struct {
	mu    sync.Mutex
	kept  []*timeline.Packet // kept[first:]
	first int
	bytes int
	last  uint64 // number of the newest packet
}

// Add numbers packets and keeps them. They must not change any more.
func (r *Ring) Add(batch []timeline.Packet) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range batch {
		p := &batch[i]
		r.last++
		p.Seq = r.last
		r.kept = append(r.kept, p)
		r.bytes += len(p.Data)
		for len(r.kept)-r.first > keepPackets || r.bytes > keepBytes {
			r.bytes -= len(r.kept[r.first].Data)
			r.kept[r.first] = nil
			r.first++
		}
	}
	if r.first > keepPackets {
		n := copy(r.kept, r.kept[r.first:])
		clear(r.kept[n:])
		r.kept, r.first = r.kept[:n], 0
	}
}

// Since appends to dst the packets after number seq, oldest first, at most limit
// of them and then the newest; 0 is no limit.
func (r *Ring) Since(seq uint64, limit int, dst []*timeline.Packet) []*timeline.Packet {
	r.mu.Lock()
	defer r.mu.Unlock()
	kept := r.kept[r.first:]
	from := len(kept)
	if r.last > seq {
		from = max(0, len(kept)-int(min(r.last-seq, uint64(len(kept)))))
	}
	if limit > 0 {
		from = max(from, len(kept)-limit)
	}
	return append(dst, kept[from:]...)
}

// Last returns the number of the newest packet, 0 if there was none.
func (r *Ring) Last() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}
