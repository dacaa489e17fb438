package world

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"net/netip"
	"slices"
	"sync"
	"time"

	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

// network takes every packet off the fabric when it is sent, and puts it back when it is due.
type network struct {
	w      *world
	fabric *link.Fabric
	port   *link.Port
	some   chan struct{} // holds a token if packets may have been sent
	count  int

	// Shares of packets, from 0 to 1, that are affected, and the delay of every packet.
	loss, duplicate, corrupt, reorder float64
	delay                             time.Duration

	mu     sync.Mutex
	sent   []packet             // since the last take
	inject map[*link.Packet]int // packets being put back, with the bit to flip, counted from 1; 0: none
}

// packet is a packet that a device has sent.
type packet struct {
	path *link.Path
	data []byte // BTH to ICRC
}

func (p *packet) destQP() uint32 { return binary.BigEndian.Uint32(p.data[4:]) & 0xffffff }

func newNetwork(w *world) *network {
	n := &network{w: w, fabric: new(link.Fabric), some: make(chan struct{}, 1), inject: map[*link.Packet]int{}}
	port, err := n.fabric.Attach(func() {}, netip.MustParseAddr("10.255.255.254"))
	if err != nil {
		w.fail("attach the network: %v", err)
	}
	n.port = port
	n.fabric.SetFault(n.see)
	n.delay = time.Duration(1+w.rng.IntN(50)) * time.Microsecond
	if w.chance(0.5) {
		for _, share := range []*float64{&n.loss, &n.duplicate, &n.corrupt, &n.reorder} {
			if w.chance(0.5) {
				*share = w.rng.Float64() * 0.1
			}
		}
	}
	return n
}

// see is the fabric's hook. It delivers the packets that the network puts back, and takes all others.
func (n *network) see(k *link.Packet) link.Verdict {
	n.mu.Lock()
	defer n.mu.Unlock()
	if flip, ours := n.inject[k]; ours {
		delete(n.inject, k)
		if bit := flip - 1; bit >= 0 {
			k.Data[bit/8] ^= 1 << (bit % 8)
		}
		return link.Deliver
	}
	n.sent = append(n.sent, packet{k.Path, bytes.Clone(k.Data)})
	select {
	case n.some <- struct{}{}:
	default:
	}
	return link.Drop
}

// take returns the packets sent since the last call, in an order that does not depend on which queue pair of a host was
// first.
func (n *network) take() []packet {
	n.mu.Lock()
	sent := n.sent
	n.sent = nil
	n.mu.Unlock()
	select {
	case <-n.some:
	default:
	}
	slices.SortStableFunc(sent, func(a, b packet) int {
		return cmp.Or(a.path.Src.Addr().Compare(b.path.Src.Addr()), a.path.Dst.Addr().Compare(b.path.Dst.Addr()),
			cmp.Compare(a.destQP(), b.destQP()))
	})
	return sent
}

// launch draws the faults of a packet and schedules its delivery. Every packet draws the same numbers.
func (n *network) launch(p packet) {
	w := n.w
	n.count++
	w.note(p.data[len(p.data)-wire.ICRCLen:])
	lost, twice, hurt, late, at := w.rng.Float64(), w.rng.Float64(), w.rng.Float64(), w.rng.Float64(),
		w.rng.IntN(8*(len(p.data)-1))
	if lost < n.loss {
		return
	}
	delay := n.delay
	if late < n.reorder {
		delay += time.Duration(at) * time.Microsecond
	}
	flip := 0
	if hurt < n.corrupt {
		flip = 1 + at
	}
	w.after(delay, func() { n.deliver(p, flip) })
	if twice < n.duplicate {
		w.after(delay+time.Duration(at)*time.Microsecond, func() { n.deliver(p, 0) })
	}
}

// deliver puts a packet back on the fabric.
func (n *network) deliver(p packet, flip int) {
	ks := n.port.Pool().Get(nil, 1)
	k := ks[0]
	k.Path = p.path
	k.Data = append(k.Data, p.data[:len(p.data)-wire.ICRCLen]...)
	n.mu.Lock()
	n.inject[k] = flip
	n.mu.Unlock()
	n.port.Send(ks)
}

// close closes the network.
func (n *network) close() {
	n.fabric.SetFault(nil)
	n.port.Close()
}
