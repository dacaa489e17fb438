package link

import (
	"net/netip"
	"sync"
	"time"

	"rdmatui/verbs/wire"
)

// receiveBatch is how many datagrams are taken at once.
const receiveBatch = 64

// batch is datagrams as they come from the socket. Packets are in place before it is called.
type batch struct {
	packets [receiveBatch]*Packet
	from    [receiveBatch]netip.AddrPort
	size    [receiveBatch]int // bytes; tooLong where the datagram did not fit
	header  [receiveBatch]Header
}

const tooLong = -1

// receiver takes what has arrived at a socket and checks it. The socket's buffer is the queue; whoever receives looks there, and the
// listener only says when that is worth it.
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

// restock puts the spare packets in place of those that were given away, at the start of the batch.
func (r *receiver) restock() {
	for i, p := range r.spare {
		r.packets[i] = p
		r.sock.place(i, p.room[:])
	}
	r.spare = r.spare[:0]
}

// listen calls wake whenever something has arrived, until the link is closed.
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

// take appends at most limit intact packets to into. Where they are fewer, there are no more at the socket: newer kernels wake the listener
// only for what comes into an empty one.
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
			break // saves asking once more
		}
	}
	return into
}

// sort appends the intact ones of the first n datagrams to into and keeps the buffers of the others.
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

// close gives all packets back and takes no more.
func (r *receiver) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.closed = true
		r.link.pool.Put(r.packets[:])
		clear(r.packets[:])
	}
}

// check holds a datagram against its CRC and notes where it came from.
func (r *receiver) check(i int) verdict {
	p, n := r.packets[i], r.size[i]
	if n < wire.BTHLen+wire.ICRCLen { // and tooLong
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

// variant is a path of a packet that has arrived, with another IP header than the first one that came that way.
type variant struct {
	path   *Path
	header Header
}

// maxVariants bounds the paths that are remembered: whoever changes the header with every packet must not fill the memory.
const maxVariants = 1024

// variantTable remembers such paths.
type variantTable map[variant]*Path

// of returns the path with a header.
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
