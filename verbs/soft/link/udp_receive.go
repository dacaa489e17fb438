package link

import (
	"net/netip"
	"sync"

	"rdmatui/verbs/wire"
)

// receiveBatch is how many datagrams are taken at once.
const receiveBatch = 64

// batch is datagrams as they come from the socket. Packets are in place before it is called.
type batch struct {
	packets [receiveBatch]*Packet
	from    [receiveBatch]netip.AddrPort
	size    [receiveBatch]int // bytes; tooLong where the datagram did not fit
}

const tooLong = -1

// receiver takes what has arrived at a socket and checks it. The socket's buffer is the queue; whoever receives looks there, and the
// listener only says when that is worth it.
type receiver struct {
	link  *UDP
	sock  *socket
	peers peerTable

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
		if into = r.sort(into, n); n < most && !oneByOne {
			break // saves asking once more
		}
	}
	return into
}

// sort appends the intact ones of the first n datagrams to into and keeps the buffers of the others.
func (r *receiver) sort(into []*Packet, n int) []*Packet {
	for i, p := range r.packets[:n] {
		if r.intact(i) {
			into = append(into, p)
		} else {
			r.spare = append(r.spare, p)
		}
	}
	u := r.link
	u.count.received.Add(uint64(n))
	u.count.badICRC.Add(uint64(len(r.spare)))
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

// intact holds a datagram against its CRC and notes where it came from.
func (r *receiver) intact(i int) bool {
	p, n := r.packets[i], r.size[i]
	if n < wire.BTHLen+wire.ICRCLen { // and tooLong
		return false
	}
	p.Data = p.room[:n]
	p.Path = r.peers.check(r.from[i], p.Data)
	return p.Path != nil
}

// maxPeers bounds the paths that are remembered: whoever sends from many addresses must not fill the memory.
const maxPeers = 1024

// peerTable remembers the paths of packets that have arrived, by where they came from.
type peerTable struct {
	local netip.AddrPort
	last  *Path // of the packet before
	paths map[netip.AddrPort]*Path
}

// check returns the path of a packet whose CRC is right, nil for any other. Only an intact packet is worth memory.
func (t *peerTable) check(from netip.AddrPort, data []byte) *Path {
	path := t.last
	if path == nil || path.Src != from {
		path = t.paths[from]
	}
	if path == nil {
		return t.meet(from, data)
	}
	if !path.verify(data) {
		return nil
	}
	t.last = path
	return path
}

// meet checks the first packet from a peer.
func (t *peerTable) meet(from netip.AddrPort, data []byte) *Path {
	icrc, err := wire.NewICRC(wire.Path{Src: from, Dst: t.local, DF: true})
	if err != nil || !(&Path{icrc: icrc, Src: from}).verify(data) {
		return nil
	}
	if t.paths == nil || len(t.paths) >= maxPeers {
		t.paths = make(map[netip.AddrPort]*Path)
	}
	path := &Path{Src: from, Dst: t.local, icrc: icrc}
	t.paths[from] = path
	t.last = path
	return path
}

// verify checks a packet that came over the host's IP stack: where that is IPv4 the identification cannot be seen, and any will do.
func (p *Path) verify(data []byte) bool {
	if p.Src.Addr().Is6() {
		return p.icrc.Verify(0, data)
	}
	_, ok := p.icrc.RecoverID(data)
	return ok
}
