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

// conditions are the faults of the network. Shares are from 0 to 1.
type conditions struct {
	loss, duplicate, corrupt, reorder float64
	delay, jitter                     time.Duration
	// packets to one address arrive together at multiples of it; 0: separately
	grid time.Duration
}

// faultless reports whether every packet arrives once, whole and in order.
func (c conditions) faultless() bool {
	return c.loss == 0 && c.duplicate == 0 && c.corrupt == 0 && c.reorder == 0 && c.jitter == 0
}

// packet is a packet that a device has sent.
type packet struct {
	path *link.Path
	data []byte // BTH to ICRC
	flip int    // bit to flip before arrival, counted from 1; 0: none
}

// destQP reads the number of a packet's destination queue pair.
func (p *packet) destQP() uint32 { return binary.BigEndian.Uint32(p.data[4:]) & 0xffffff }

func (p *packet) isMAD() bool { return p.destQP() == 1 }

// arrival holds packets that arrive together.
type arrival struct {
	dst netip.Addr
	at  time.Duration
}

// network takes every packet off the fabric as it is sent, and puts it back when it is due.
type network struct {
	w      *world
	fabric *link.Fabric
	port   *link.Port
	some   chan struct{} // holds a token while packets may have been sent

	mu     sync.Mutex
	sent   []*packet             // since the last settle
	inject map[*link.Packet]int  // packets being put back, with the bit to flip
	due    map[arrival][]*packet // this and the following are used only by the world's goroutine
	cut    map[netip.Addr]time.Duration
	rnr    map[uint32]rnrCount
	recent []*packet // the packets sent last, for replays
	count  int
}

// maxRecent is the number of packets stored for replays.
const maxRecent = 128

var wireAddr = netip.MustParseAddr("10.255.255.254")

func newNetwork(w *world) *network {
	n := &network{
		w: w, fabric: new(link.Fabric), some: make(chan struct{}, 1),
		inject: map[*link.Packet]int{}, due: map[arrival][]*packet{},
		cut: map[netip.Addr]time.Duration{}, rnr: map[uint32]rnrCount{},
	}
	port, err := n.fabric.Attach(func() {}, wireAddr)
	if err != nil {
		w.fail("attach the network: %v", err)
	}
	n.port = port
	n.fabric.SetFault(n.see)
	return n
}

// see is the fabric's hook. It lets packets pass that the network puts back, and takes all others.
func (n *network) see(k *link.Packet) link.Verdict {
	n.mu.Lock()
	defer n.mu.Unlock()
	if flip, ours := n.inject[k]; ours {
		delete(n.inject, k)
		if i := flip - 1; i >= 0 {
			k.Data[i/8] ^= 1 << (i % 8)
		}
		return link.Deliver
	}
	n.sent = append(n.sent, &packet{path: k.Path, data: bytes.Clone(k.Data)})
	select {
	case n.some <- struct{}{}:
	default:
	}
	return link.Drop
}

// take returns the packets sent since the last call, in an order that does not depend on which queue pair of a host
// sent first.
func (n *network) take() []*packet {
	n.mu.Lock()
	sent := n.sent
	n.sent = nil
	n.mu.Unlock()
	select {
	case <-n.some:
	default:
	}
	if len(sent) > 1 {
		slices.SortStableFunc(sent, func(a, b *packet) int {
			return cmp.Or(a.path.Src.Addr().Compare(b.path.Src.Addr()), a.path.Dst.Addr().Compare(b.path.Dst.Addr()),
				cmp.Compare(a.destQP(), b.destQP()))
		})
	}
	return sent
}

// launch decides the fate of packets that were sent.
func (n *network) launch(sent []*packet) {
	w := n.w
	for _, p := range sent {
		n.count++
		w.note(uint64(binary.LittleEndian.Uint32(p.data[len(p.data)-wire.ICRCLen:]))<<16 ^ uint64(len(p.data)))
		w.tracePacket(p)
		w.secrets.inspect(p)
		n.countRNR(p)
		w.sent(p)
		w.countAsk(p)
		if len(n.recent) < maxRecent {
			n.recent = append(n.recent, p)
		} else {
			n.recent[n.count%maxRecent] = p
		}
		n.send(p)
	}
}

// rnrCount is the number of consecutive RNR NAKs for one packet of a queue pair.
type rnrCount struct {
	psn   wire.PSN
	times int
}

// isRNRNAK reports whether the packet is an RNR NAK.
func (p *packet) isRNRNAK() bool {
	return wire.Opcode(p.data[0]) == wire.RCAcknowledge && len(p.data) >= wire.BTHLen+wire.AETHLen &&
		wire.Syndrome(p.data[wire.BTHLen]).Kind() == wire.SyndromeRNR
}

// countRNR counts the RNR NAKs of a packet.
func (n *network) countRNR(p *packet) {
	if !p.isRNRNAK() {
		return
	}
	psn := wire.PSN(binary.BigEndian.Uint32(p.data[8:])) & wire.PSNMask
	r := n.rnr[p.destQP()]
	if r.psn != psn {
		r = rnrCount{psn: psn}
	}
	r.times++
	n.rnr[p.destQP()] = r
}

// send draws the faults of a packet and applies them. It draws all of them for each packet, so that later draws do not
// depend on the result.
func (n *network) send(p *packet) {
	w, c := n.w, &n.w.plan.net
	lost, twice, hurt, late, spread := w.rng.Float64(), w.rng.Float64(), w.rng.Float64(), w.rng.Float64(), w.rng.Int64()
	if lost < c.loss || n.isCut(p.path.Src.Addr()) || n.isCut(p.path.Dst.Addr()) {
		return
	}
	delay := c.delay
	if c.jitter > 0 {
		delay += time.Duration(spread % int64(c.jitter))
	}
	if late < c.reorder {
		delay += 2*c.delay + time.Duration(spread%1000)*time.Microsecond
	}
	if twice < c.duplicate {
		n.arrive(p, delay+time.Duration(spread%100)*10*time.Microsecond)
	}
	if hurt < c.corrupt {
		damaged := *p
		damaged.flip = 1 + coveredBit(len(p.data), uint64(spread))
		p = &damaged
	}
	n.arrive(p, delay)
}

// coveredBit picks a bit of a packet of n bytes that the ICRC covers, or of the ICRC.
func coveredBit(n int, by uint64) int {
	const masked = 4 // byte of the BTH that the ICRC does not cover
	bit := int(by % uint64(8*(n-1)))
	if bit >= 8*masked {
		bit += 8
	}
	return bit
}

func (n *network) isCut(a netip.Addr) bool { return n.cut[a] > n.w.now() }

// arrive puts a packet back after a delay.
func (n *network) arrive(p *packet, delay time.Duration) {
	w := n.w
	at := w.now() + delay
	if g := w.plan.net.grid; g > 0 && !p.isMAD() {
		at += g - at%g
		key := arrival{p.path.Dst.Addr(), at}
		n.due[key] = append(n.due[key], p)
		if len(n.due[key]) == 1 {
			w.after(at-w.now(), func() {
				batch := n.due[key]
				delete(n.due, key)
				n.deliver(batch)
			})
		}
		return
	}
	w.after(delay, func() { n.deliver([]*packet{p}) })
}

// deliver puts packets to one address back on the fabric.
func (n *network) deliver(batch []*packet) {
	ks := n.port.Pool().Get(nil, len(batch))
	for _, p := range batch {
		if p.flip == 0 {
			n.w.given(p)
		}
	}
	n.mu.Lock()
	for i, p := range batch {
		k := ks[i]
		k.Path = p.path
		k.Data = append(k.Data, p.data[:len(p.data)-wire.ICRCLen]...)
		n.inject[k] = p.flip
	}
	n.mu.Unlock()
	n.port.Send(ks)
}

// close ends the network.
func (n *network) close() {
	n.fabric.SetFault(nil)
	n.port.Close()
}
