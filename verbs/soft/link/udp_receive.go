package link

import (
	"errors"
	"net"
	"net/netip"
	"sync"
	"syscall"

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

// receiver takes what arrives, checks it and hands it on. The listener does so, and whoever receives and finds nothing.
type receiver struct {
	link  *UDP
	sock  *socket
	peers peerTable

	mu sync.Mutex
	batch
	kept, spare []*Packet
	closed      bool
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

// poke takes a batch for somebody who looks at the inbox next, unless the listener is at it already.
func (r *receiver) poke() {
	if !r.mu.TryLock() {
		return
	}
	defer r.mu.Unlock()
	r.takeBatch()
}

// listen takes what arrives while nobody else does, until the link is closed.
func (r *receiver) listen() {
	defer r.link.opts.Crashed.Catch()
	var err error
	empty := func() bool {
		err = r.drain()
		return !errors.Is(err, syscall.EAGAIN)
	}
	for {
		if e := r.sock.whenReadable(empty); e != nil {
			err = e
		}
		if !r.link.goOn(err) {
			return
		}
	}
}

// drain takes batches until there is nothing left.
func (r *receiver) drain() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		first, err := r.takeBatch()
		if err != nil {
			return err
		}
		if first {
			r.link.wake()
		}
	}
}

// takeBatch takes what waits at the socket; mu is held. first means that the inbox was empty and is no longer.
func (r *receiver) takeBatch() (first bool, err error) {
	if r.closed {
		return false, net.ErrClosed
	}
	n, err := r.sock.receive(&r.batch)
	if err != nil {
		return false, err
	}
	return r.sort(n), nil
}

// close gives all packets back and takes no more.
func (r *receiver) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.link.pool.Put(r.packets[:])
	clear(r.packets[:])
}

// sort checks the first n datagrams, queues the intact ones and keeps the buffers of the others.
func (r *receiver) sort(n int) (first bool) {
	u := r.link
	r.kept = r.kept[:0]
	for i, p := range r.packets[:n] {
		if r.intact(i) {
			r.kept = append(r.kept, p)
		} else {
			r.spare = append(r.spare, p)
		}
	}
	u.count.received.Add(uint64(n))
	u.count.badICRC.Add(uint64(len(r.spare)))
	took, first := u.inbox.put(r.kept)
	if took < len(r.kept) {
		u.count.noRoom.Add(uint64(len(r.kept) - took))
		r.spare = append(r.spare, r.kept[took:]...)
	}
	r.spare = u.pool.Get(r.spare, n-len(r.spare))
	r.restock()
	return first
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
