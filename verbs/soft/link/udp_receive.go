package link

import (
	"net/netip"
	"sync"
	"time"

	"rdmatui/verbs/wire"
)

// receiver takes datagrams from a socket and checks them. The socket's buffer serves as the queue: Receive reads from
// it, and the listener only reports that it is not empty.
type receiver struct {
	link     *UDP
	sock     *socket
	peers    peerTable
	variants variantTable

	mu sync.Mutex
	batch
	spare  []*Packet
	closed bool
}

func (r *receiver) init(u *UDP, sock *socket, local netip.AddrPort) {
	r.link, r.sock = u, sock
	r.peers.local = local
	r.spare = u.pool.Get(r.spare, receiveBatch)
	r.restock()
}

// restock replaces the packets that were handed out, at the start of the batch.
func (r *receiver) restock() {
	for i, p := range r.spare {
		r.packets[i] = p
		r.sock.place(i, p.room[:])
	}
	r.spare = r.spare[:0]
}

// listen calls wake whenever packets arrive, until the link is closed.
func (r *receiver) listen() {
	defer r.link.opts.Crashed.Catch()
	for {
		err := r.sock.whenReadable(func() bool {
			r.link.wake()
			return false
		})
		if !r.link.goOn(err) {
			return
		}
	}
}

// take appends at most limit intact packets to into. If it appends fewer, the socket is empty: newer kernels wake the
// listener only for a packet that arrives at an empty socket.
func (r *receiver) take(into []*Packet, limit int) []*Packet {
	r.mu.Lock()
	defer r.mu.Unlock()
	had := len(into)
	for len(into)-had < limit && !r.closed {
		most := min(limit-(len(into)-had), receiveBatch)
		n, err := r.sock.receive(&r.batch, most)
		if err != nil {
			break
		}
		r.peers.now = time.Now()
		if into = r.sort(into, n); n < most && !oneByOne {
			break // saves another call
		}
	}
	return into
}

// sort appends the intact ones of the first n datagrams to into and keeps the buffers of the rest.
func (r *receiver) sort(into []*Packet, n int) []*Packet {
	oddID := 0
	for i, p := range r.packets[:n] {
		switch r.check(i) {
		case accepted:
			into = append(into, p)
			continue
		case implausible:
			oddID++
		}
		r.spare = append(r.spare, p)
	}
	u := r.link
	u.count.received.Add(uint64(n))
	u.count.badICRC.Add(uint64(len(r.spare) - oddID))
	u.count.oddID.Add(uint64(oddID))
	r.spare = u.pool.Get(r.spare, n-len(r.spare))
	r.restock()
	return into
}

// close returns all packets and takes no more.
func (r *receiver) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.closed = true
		r.link.pool.Put(r.packets[:])
		clear(r.packets[:])
	}
}

// check verifies a datagram's CRC and records its sender.
func (r *receiver) check(i int) verdict {
	p, n := r.packets[i], r.size[i]
	if n < wire.BTHLen+wire.ICRCLen { // includes tooLong
		return damaged
	}
	p.Data = p.room[:n]
	path, v := r.peers.check(r.from[i], p.Data)
	if v == accepted && r.sock.shows.Load() && path.Header != r.header[i] {
		path = r.variants.of(path, r.header[i])
	}
	p.Path = path
	return v
}

// variant identifies a received packet's path whose IP header differs from that of the path's first packet.
type variant struct {
	path   *Path
	header Header
}

// maxVariants limits the variants that are remembered: a sender that changes the header with every packet must not fill
// the memory.
const maxVariants = 1024

// variantTable maps variants to their paths.
type variantTable map[variant]*Path

// of returns the path with the given header.
func (t *variantTable) of(path *Path, h Header) *Path {
	key := variant{path, h}
	with := (*t)[key]
	if with == nil {
		if *t == nil || len(*t) >= maxVariants {
			*t = make(variantTable)
		}
		with = path.With(h)
		(*t)[key] = with
	}
	return with
}
