package link

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
)

// Limits of a port's queue, in packets. Above highWater senders are told to pause; they notice at the end of a batch,
// so the queue may still grow by one batch from each. Packets beyond queueLimit are dropped.
const (
	highWater  = 256
	lowWater   = 128
	queueLimit = 8192
)

// Fabric connects ports of one process by address. The zero value is ready to use.
type Fabric struct {
	mu     sync.RWMutex
	ports  map[netip.Addr]*Port
	groups map[netip.Addr][]*Port // members of multicast groups; the slices are immutable
	pool   Pool
	fault  atomic.Pointer[Fault]
	tap    atomic.Pointer[Tap]
}

// SetFault installs the fault hook; nil removes it.
func (f *Fabric) SetFault(hook Fault) { store(&f.fault, hook, hook == nil) }

// SetTap installs the tap; nil removes it.
func (f *Fabric) SetTap(tap Tap) { store(&f.tap, tap, tap == nil) }

func store[T any](p *atomic.Pointer[T], v T, none bool) {
	if none {
		p.Store(nil)
		return
	}
	p.Store(&v)
}

// Attach adds a port with the given addresses. wake is called, from any goroutine, when there is work again; see
// [Link].
func (f *Fabric) Attach(wake func(), addrs ...netip.Addr) (*Port, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, a := range addrs {
		if f.ports[a] != nil {
			return nil, fmt.Errorf("in-memory address %s: %w", a, syscall.EADDRINUSE)
		}
	}
	p := &Port{fabric: f, addrs: addrs, wake: wake, joined: map[netip.Addr]int{}}
	if f.ports == nil {
		f.ports = map[netip.Addr]*Port{}
		f.groups = map[netip.Addr][]*Port{}
	}
	for _, a := range addrs {
		f.ports[a] = p
	}
	return p, nil
}

func (f *Fabric) port(a netip.Addr) *Port {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.ports[a]
}

// members returns the ports that have joined a group.
func (f *Fabric) members(group netip.Addr) []*Port {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.groups[group]
}

// Port is one attachment to a [Fabric].
type Port struct {
	fabric *Fabric
	addrs  []netip.Addr
	wake   func()
	paused atomic.Bool // a destination is above its high water mark
	count  struct{ sent, received, badICRC, noRoom, unreachable, pauses atomic.Uint64 }

	joined map[netip.Addr]int // number of joins by group; fabric.mu guards it and gone
	gone   bool

	// Used only by the sender.
	ready  []*Packet
	copies []*Packet

	mu      sync.Mutex
	queue   []*Packet // queue[first:] wait
	first   int
	waiting []*Port // senders to wake at the low water mark
	closed  bool
}

var _ Link = (*Port)(nil)

// Addrs returns the addresses of the port.
func (p *Port) Addrs() []netip.Addr { return p.addrs }

// Pool returns the fabric's packet pool.
func (p *Port) Pool() *Pool { return &p.fabric.pool }

// Ready reports whether no destination is above its high water mark.
func (p *Port) Ready() bool { return !p.paused.Load() }

// Send delivers a batch, one run of equal destinations at a time. Packets to a multicast group go to all members.
func (p *Port) Send(batch []*Packet) {
	p.count.sent.Add(uint64(len(batch)))
	for len(batch) > 0 {
		dst := batch[0].Path.Dst.Addr()
		n := 1
		for n < len(batch) && (batch[n].Path == batch[0].Path || batch[n].Path.Dst.Addr() == dst) {
			n++
		}
		p.deliver(dst, batch[:n])
		batch = batch[n:]
	}
}

func (p *Port) deliver(dst netip.Addr, run []*Packet) {
	run = p.pass(run)
	if dst.IsMulticast() {
		p.spread(dst, run)
		return
	}
	to := p.fabric.port(dst)
	if to == nil {
		p.count.unreachable.Add(uint64(len(run)))
		p.fabric.pool.Put(run)
		return
	}
	to.accept(run, p)
}

// spread gives every member of a group its own copy, including the sender if it is a member.
func (p *Port) spread(group netip.Addr, run []*Packet) {
	members := p.fabric.members(group)
	if len(members) == 0 {
		p.count.unreachable.Add(uint64(len(run)))
	}
	for _, to := range members {
		p.copies = p.fabric.pool.Get(p.copies[:0], len(run))
		for i, k := range p.copies {
			k.Path = run[i].Path
			k.Data = append(k.Data, run[i].Data...)
		}
		to.accept(p.copies, p)
	}
	p.fabric.pool.Put(run)
}

// pass seals the packets, calls tap and fault hook, and returns the packets to deliver.
func (p *Port) pass(run []*Packet) []*Packet {
	tap, fault := p.fabric.tap.Load(), p.fabric.fault.Load()
	for _, k := range run {
		k.seal()
		if tap != nil {
			(*tap)(k)
		}
	}
	if fault == nil {
		return run
	}
	p.ready = p.ready[:0]
	for _, k := range run {
		if (*fault)(k) == Drop {
			p.fabric.pool.Put([]*Packet{k})
			continue
		}
		p.ready = append(p.ready, k)
	}
	return p.ready
}

// accept queues packets from a sender.
func (p *Port) accept(run []*Packet, from *Port) {
	p.mu.Lock()
	was := len(p.queue) - p.first
	n := min(len(run), queueLimit-was)
	if p.closed {
		n = 0
	}
	p.queue = append(p.queue, run[:n]...)
	if was+n > highWater && !from.paused.Swap(true) {
		p.waiting = append(p.waiting, from)
		from.count.pauses.Add(1)
	}
	p.mu.Unlock()
	if n < len(run) {
		p.count.noRoom.Add(uint64(len(run) - n))
		p.fabric.pool.Put(run[n:])
	}
	if was == 0 && n > 0 {
		p.wake()
	}
}

// Receive takes queued packets and drops damaged ones.
func (p *Port) Receive(into []*Packet, limit int) []*Packet {
	start := len(into)
	for len(into) == start {
		took, wake := p.take(into, limit)
		for _, from := range wake {
			from.wake()
		}
		if len(took) == start {
			break
		}
		p.count.received.Add(uint64(len(took) - start))
		into = p.check(took, start)
	}
	return into
}

func (p *Port) take(into []*Packet, limit int) (took []*Packet, wake []*Port) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := min(limit, len(p.queue)-p.first)
	took = append(into, p.queue[p.first:p.first+n]...)
	p.first += n
	if left := len(p.queue) - p.first; left == 0 || p.first >= queueLimit {
		copy(p.queue, p.queue[p.first:])
		clear(p.queue[left:])
		p.queue, p.first = p.queue[:left], 0
	}
	if len(p.queue)-p.first <= lowWater {
		wake = p.release()
	}
	return took, wake
}

// release lets paused senders continue; p.mu is held.
func (p *Port) release() []*Port {
	wake := p.waiting
	p.waiting = nil
	for _, from := range wake {
		from.paused.Store(false)
	}
	return wake
}

// check keeps the intact packets of ps[start:].
func (p *Port) check(ps []*Packet, start int) []*Packet {
	kept := ps[:start]
	for i, k := range ps[start:] {
		if !k.intact() {
			p.count.badICRC.Add(1)
			p.fabric.pool.Put(ps[start+i : start+i+1])
			continue
		}
		kept = append(kept, k)
	}
	return kept
}

// Join adds the port to a group; see [Link].
func (p *Port) Join(group netip.Addr) error {
	if !group.IsMulticast() {
		return syscall.EINVAL
	}
	f := p.fabric
	f.mu.Lock()
	defer f.mu.Unlock()
	if p.gone {
		return net.ErrClosed
	}
	if p.joined[group]++; p.joined[group] == 1 {
		f.groups[group] = append(slices.Clone(f.groups[group]), p)
	}
	return nil
}

// Leave ends a membership; see [Link].
func (p *Port) Leave(group netip.Addr) error {
	f := p.fabric
	f.mu.Lock()
	defer f.mu.Unlock()
	if p.joined[group] == 0 {
		return syscall.EADDRNOTAVAIL
	}
	if p.joined[group]--; p.joined[group] == 0 {
		p.abandon(group)
	}
	return nil
}

// abandon removes the port from a group; fabric.mu is held.
func (p *Port) abandon(group netip.Addr) {
	delete(p.joined, group)
	members := p.fabric.groups[group]
	if len(members) == 1 {
		delete(p.fabric.groups, group)
		return
	}
	p.fabric.groups[group] = slices.DeleteFunc(slices.Clone(members), func(m *Port) bool { return m == p })
}

// Counters returns the port's counters.
func (p *Port) Counters() Counters {
	return Counters{
		Sent: p.count.sent.Load(), Received: p.count.received.Load(), BadICRC: p.count.badICRC.Load(),
		NoRoom: p.count.noRoom.Load(), Unreachable: p.count.unreachable.Load(), Pauses: p.count.pauses.Load(),
	}
}

// Close detaches the port and lets senders that wait for it continue.
func (p *Port) Close() error {
	p.fabric.mu.Lock()
	for _, a := range p.addrs {
		if p.fabric.ports[a] == p {
			delete(p.fabric.ports, a)
		}
	}
	for group := range p.joined {
		p.abandon(group)
	}
	p.gone = true
	p.fabric.mu.Unlock()
	p.mu.Lock()
	p.closed = true
	p.fabric.pool.Put(p.queue[p.first:])
	p.queue, p.first = nil, 0
	wake := p.release()
	p.mu.Unlock()
	for _, from := range wake {
		from.wake()
	}
	return nil
}
