package sim

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"slices"
	"sync"
	"time"

	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

// Conditions are the faults of the network. Shares are from 0 to 1.
type Conditions struct {
	Loss, Duplicate, Corrupt, Reorder float64
	Delay, Jitter                     time.Duration
	// packets to one address arrive together at multiples of it; 0: separately
	Grid time.Duration
}

// Draw draws the conditions of a network; a third of all networks are faultless.
func Draw(r *rand.Rand) Conditions {
	c := Conditions{Delay: time.Duration(1+r.IntN(50)) * time.Microsecond}
	if r.IntN(2) == 0 {
		c.Grid = time.Duration(1+r.IntN(30)) * time.Microsecond
	}
	if r.IntN(3) == 0 {
		return c
	}
	share := func(most float64) float64 {
		if r.IntN(2) == 0 {
			return 0
		}
		return r.Float64() * most
	}
	c.Loss, c.Duplicate, c.Corrupt, c.Reorder = share(0.1), share(0.1), share(0.05), share(0.1)
	if r.IntN(2) == 0 {
		c.Jitter = time.Duration(1 + r.IntN(int(2*c.Delay)))
	}
	return c
}

// Faultless reports whether every packet arrives once, whole and in order.
func (c Conditions) Faultless() bool {
	return c.Loss == 0 && c.Duplicate == 0 && c.Corrupt == 0 && c.Reorder == 0 && c.Jitter == 0
}

// Packet is a packet that a device has sent.
type Packet struct {
	Path *link.Path
	Data []byte // BTH to ICRC
	Flip int    // bit to flip before arrival, counted from 1; 0: none
}

// DestQP reads the number of a packet's destination queue pair.
func (p *Packet) DestQP() uint32 { return binary.BigEndian.Uint32(p.Data[4:]) & 0xffffff }

// IsMAD reports whether the packet is a message of a connection manager.
func (p *Packet) IsMAD() bool { return p.DestQP() == 1 }

// arrival holds packets that arrive together.
type arrival struct {
	dst netip.Addr
	at  time.Duration
}

// Network takes every packet off the fabric as it is sent, and puts it back when it is due. The world's goroutine uses
// it, except where noted.
type Network struct {
	Conditions
	Fabric *link.Fabric
	Cut    map[netip.Addr]time.Duration // until when packets from and to an address are lost
	Count  int                          // packets sent
	Sent   func(*Packet)                // called for each packet sent, before its faults are drawn; may be nil
	Given  func(*Packet)                // called for each undamaged packet that arrives; may be nil

	w    *World
	port *link.Port
	some chan struct{} // holds a token while packets may have been sent
	due  map[arrival][]*Packet

	mu     sync.Mutex           // guards the fields below
	sent   []*Packet            // since the last settle
	inject map[*link.Packet]int // packets being put back, with the bit to flip
}

var wireAddr = netip.MustParseAddr("10.255.255.254")

func newNetwork(w *World) *Network {
	n := &Network{
		w: w, Fabric: new(link.Fabric), some: make(chan struct{}, 1), inject: map[*link.Packet]int{},
		due: map[arrival][]*Packet{}, Cut: map[netip.Addr]time.Duration{},
	}
	port, err := n.Fabric.Attach(func() {}, wireAddr)
	w.Must("attach the network", err)
	n.port = port
	n.Fabric.SetFault(n.see)
	return n
}

// see is the fabric's hook. It lets packets pass that the network puts back, and takes all others.
func (n *Network) see(k *link.Packet) link.Verdict {
	n.mu.Lock()
	defer n.mu.Unlock()
	if flip, ours := n.inject[k]; ours {
		delete(n.inject, k)
		if i := flip - 1; i >= 0 {
			k.Data[i/8] ^= 1 << (i % 8)
		}
		return link.Deliver
	}
	n.sent = append(n.sent, &Packet{Path: k.Path, Data: bytes.Clone(k.Data)})
	select {
	case n.some <- struct{}{}:
	default:
	}
	return link.Drop
}

// take returns the packets sent since the last call, in an order that does not depend on which queue pair of a host
// sent first.
func (n *Network) take() []*Packet {
	n.mu.Lock()
	sent := n.sent
	n.sent = nil
	n.mu.Unlock()
	select {
	case <-n.some:
	default:
	}
	slices.SortStableFunc(sent, func(a, b *Packet) int {
		return cmp.Or(a.Path.Src.Addr().Compare(b.Path.Src.Addr()), a.Path.Dst.Addr().Compare(b.Path.Dst.Addr()),
			cmp.Compare(a.DestQP(), b.DestQP()))
	})
	return sent
}

// launch decides the fate of packets that were sent.
func (n *Network) launch(sent []*Packet) {
	for _, p := range sent {
		n.Count++
		n.w.Note(uint64(binary.LittleEndian.Uint32(p.Data[len(p.Data)-wire.ICRCLen:]))<<16 ^ uint64(len(p.Data)))
		n.trace(p)
		if n.Sent != nil {
			n.Sent(p)
		}
		n.send(p)
	}
}

// trace shows a packet in the time line.
func (n *Network) trace(p *Packet) {
	if !n.w.trace {
		return
	}
	h, err := wire.Parse(p.Data)
	text := h.String()
	if err != nil {
		text = err.Error()
	}
	n.w.Tracef("  %s > %s QP %06x %s (%08x)", p.Path.Src, p.Path.Dst, p.DestQP(), text,
		binary.LittleEndian.Uint32(p.Data[len(p.Data)-wire.ICRCLen:]))
}

// send draws the faults of a packet and applies them. It draws all of them for each packet, so that later draws do not
// depend on the result.
func (n *Network) send(p *Packet) {
	r := n.w.Rng
	lost, twice, hurt, late, spread := r.Float64(), r.Float64(), r.Float64(), r.Float64(), r.Int64()
	if lost < n.Loss || n.isCut(p.Path.Src.Addr()) || n.isCut(p.Path.Dst.Addr()) {
		return
	}
	delay := n.Delay
	if n.Jitter > 0 {
		delay += time.Duration(spread % int64(n.Jitter))
	}
	if late < n.Reorder {
		delay += 2*n.Delay + time.Duration(spread%1000)*time.Microsecond
	}
	if twice < n.Duplicate {
		n.Arrive(p, delay+time.Duration(spread%100)*10*time.Microsecond)
	}
	if hurt < n.Corrupt {
		p = p.Damaged(uint64(spread))
	}
	n.Arrive(p, delay)
}

// Damaged returns the packet with one flipped bit of those that the ICRC covers, or of the ICRC.
func (p *Packet) Damaged(by uint64) *Packet {
	const masked = 4 // byte of the BTH that the ICRC does not cover
	bit := int(by % uint64(8*(len(p.Data)-1)))
	if bit >= 8*masked {
		bit += 8
	}
	return &Packet{p.Path, p.Data, 1 + bit}
}

func (n *Network) isCut(a netip.Addr) bool { return n.Cut[a] > n.w.Now() }

// Arrive puts a packet back after a delay.
func (n *Network) Arrive(p *Packet, delay time.Duration) {
	w := n.w
	at := w.Now() + delay
	if g := n.Grid; g > 0 && !p.IsMAD() {
		at += g - at%g
		key := arrival{p.Path.Dst.Addr(), at}
		n.due[key] = append(n.due[key], p)
		if len(n.due[key]) == 1 {
			w.After(at-w.Now(), func() {
				batch := n.due[key]
				delete(n.due, key)
				n.deliver(batch)
			})
		}
		return
	}
	w.After(delay, func() { n.deliver([]*Packet{p}) })
}

// deliver puts packets to one address back on the fabric.
func (n *Network) deliver(batch []*Packet) {
	ks := n.port.Pool().Get(nil, len(batch))
	for _, p := range batch {
		if p.Flip == 0 && n.Given != nil {
			n.Given(p)
		}
	}
	n.mu.Lock()
	for i, p := range batch {
		k := ks[i]
		k.Path = p.Path
		k.Data = append(k.Data, p.Data[:len(p.Data)-wire.ICRCLen]...)
		n.inject[k] = p.Flip
	}
	n.mu.Unlock()
	n.port.Send(ks)
}

// close ends the network.
func (n *Network) close() {
	n.Fabric.SetFault(nil)
	n.port.Close()
}
