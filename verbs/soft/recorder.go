package soft

import (
	"sync"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/ring"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

// maxRecorded is the maximum number of recorded packets of a device: they take 256 KiB.
const maxRecorded = 4096

// recorder always keeps the heads of the latest packets of an open device, because a failed request's packets are only
// asked for afterwards. It copies a few bytes of each packet and decodes nothing.
type recorder struct {
	began time.Time
	mu    sync.Mutex // held while a batch is recorded, or all are read
	kept  ring.Ring[recorded]
}

// recorded is a recorded packet. Its path is shared with the other packets of a connection.
type recorded struct {
	at       time.Duration // since the recorder began: reading the wall clock as well would take twice as long
	path     *link.Path
	len      uint16
	outgoing bool
	head     [verbs.PacketHeadLen]byte
}

// record records a batch that the engine sends or has received.
func (r *recorder) record(batch []*link.Packet, outgoing bool) {
	at, trailer := time.Since(r.began), 0
	if outgoing {
		trailer = wire.ICRCLen // the link appends it
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range batch {
		k := r.kept.Keep(maxRecorded)
		k.at, k.path, k.outgoing, k.len = at, p.Path, outgoing, uint16(len(p.Data)+trailer)
		clear(k.head[copy(k.head[:], p.Data):])
	}
}

// list returns the recorded packets, oldest first.
func (r *recorder) list() []verbs.PacketHead {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]verbs.PacketHead, r.kept.Len())
	for i := range all {
		k := r.kept.At(i)
		all[i] = verbs.PacketHead{
			At: r.began.Add(k.at), Outgoing: k.outgoing, Src: k.path.Src, Dst: k.path.Dst,
			IP: verbs.IPHeader(k.path.Header), Len: int(k.len), Head: k.head,
		}
	}
	return all
}

// forget drops all packets, and the memory that held them.
func (r *recorder) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept = ring.Ring[recorded]{}
}
