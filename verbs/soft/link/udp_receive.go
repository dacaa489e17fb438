package link

import (
	"net/netip"

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

// receiver checks what arrives and hands it on.
type receiver struct {
	*UDP
	*batch
	kept, refill []*Packet
}

func newReceiver(u *UDP) *receiver {
	r := &receiver{UDP: u, batch: new(batch)}
	r.restock(receiveBatch)
	return r
}

// restock replaces the first n packets, which were given away.
func (r *receiver) restock(n int) {
	r.refill = r.pool.Get(r.refill[:0], n)
	copy(r.packets[:], r.refill)
}

// sort checks the first n datagrams, queues the intact ones and keeps the buffers of the others.
func (r *receiver) sort(n int) {
	r.kept = r.kept[:0]
	spare := r.refill[:0]
	for i, p := range r.packets[:n] {
		if !r.intact(i) {
			spare = append(spare, p)
			continue
		}
		r.kept = append(r.kept, p)
	}
	r.count.received.Add(uint64(n))
	r.count.badICRC.Add(uint64(len(spare)))
	if tap := r.taps.Load(); tap != nil && tap.received != nil {
		for _, p := range r.kept {
			tap.received(p)
		}
	}
	took, wasEmpty := r.in.put(r.kept)
	if took < len(r.kept) {
		r.count.noRoom.Add(uint64(len(r.kept) - took))
		spare = append(spare, r.kept[took:]...)
	}
	if wasEmpty {
		r.wake()
	}
	spare = r.pool.Get(spare, n-len(spare))
	copy(r.packets[:n], spare)
	r.refill = spare
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
