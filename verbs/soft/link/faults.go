package link

import (
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/wire"
)

const (
	// maxHeld is the maximum number of delayed packets; more are dropped, like packets at a full switch buffer.
	maxHeld = 4096
	// asideSpan is the maximum number of packets that overtake one packet. It is well below a sender's window, so that
	// reordering does not amount to loss.
	asideSpan = 8
	// asideWait is how long a packet waits to be overtaken if no other packet follows.
	asideWait = time.Millisecond
)

// Faulty applies seeded faults to packets sent over a link. It wraps any [Link]; without faults, sending costs one
// extra atomic load.
type Faulty struct {
	Link
	crashed verbs.CrashHook

	on atomic.Bool // faults are set, or packets are still held

	mu     sync.Mutex // held while on and sending, so that Link.Send is called by one goroutine at a time
	faults verbs.Faults
	pcg    rand.PCG
	draw   *rand.Rand
	late   []held  // ordered by due time
	aside  []aside // waiting to be overtaken
	out    []*Packet
	timer  *time.Timer
	count  FaultCounters
	closed bool
}

// FaultCounters counts what a [Faulty] did, in packets.
type FaultCounters struct {
	Lost, Duplicated, Reordered, Corrupted, Delayed uint64
	Overflow                                        uint64 // dropped because too many were delayed
}

// Plus returns the sum of both.
func (c FaultCounters) Plus(d FaultCounters) FaultCounters {
	c.Lost += d.Lost
	c.Duplicated += d.Duplicated
	c.Reordered += d.Reordered
	c.Corrupted += d.Corrupted
	c.Delayed += d.Delayed
	c.Overflow += d.Overflow
	return c
}

// held is a packet that is forwarded at a later time.
type held struct {
	p   *Packet
	due time.Time
}

// aside is a packet that is forwarded after later ones.
type aside struct {
	held
	ahead int // packets that still have to overtake it
}

// NewFaulty wraps a link, without faults at first. crashed is called if the goroutine that forwards delayed packets
// panics.
func NewFaulty(inner Link, crashed verbs.CrashHook) *Faulty {
	f := &Faulty{Link: inner, crashed: crashed}
	f.draw = rand.New(&f.pcg)
	return f
}

// SetFaults replaces the faults from the next packet on; delayed packets keep their times. The values must pass
// [verbs.Faults.Check].
func (f *Faulty) SetFaults(v verbs.Faults) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = v
	f.pcg.Seed(v.Seed, 0)
	f.settle()
}

// settle disables the faulty path when it is no longer needed; f.mu is held. By then no packet is held that was sent
// before it was enabled, so a caller that finds it disabled is the only sender.
func (f *Faulty) settle() {
	f.on.Store(f.faults.Active() || len(f.late)+len(f.aside) > 0)
}

// Send applies the faults to the packets and forwards the remaining ones.
func (f *Faulty) Send(batch []*Packet) {
	if !f.on.Load() {
		f.Link.Send(batch)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		f.Link.Pool().Put(batch)
		return
	}
	now := time.Now()
	f.ripe(now)
	for _, p := range batch {
		f.strike(p, now)
	}
	f.forward(now)
}

// fate is the random draw for one packet. Every value is drawn for every packet, so that a seed hits the same packets
// whatever other faults are set.
type fate struct {
	loss, duplicate, reorder, corrupt, jitter float64
	which                                     uint64
}

func (f *Faulty) roll() fate {
	d := f.draw
	return fate{d.Float64(), d.Float64(), d.Float64(), d.Float64(), d.Float64(), d.Uint64()}
}

// strike applies the faults to one packet; f.mu is held, as in all methods below.
func (f *Faulty) strike(p *Packet, now time.Time) {
	v, d := &f.faults, f.roll()
	if d.loss < v.Loss {
		f.count.Lost++
		f.lose(p)
		return
	}
	var twin *Packet
	if d.duplicate < v.Duplicate {
		f.count.Duplicated++
		twin = f.copy(p)
	}
	if d.corrupt < v.Corrupt {
		f.count.Corrupted++
		p.damage = newDamage(len(p.Data)+wire.ICRCLen, d.which)
	}
	delay := v.Delay
	if v.Jitter > 0 {
		delay = max(0, delay+time.Duration((2*d.jitter-1)*float64(v.Jitter)))
	}
	overtaken := len(f.aside) // by this packet; a packet put aside now does not count
	if d.reorder < v.Reorder {
		f.count.Reordered++
		f.putAside(p, 1+int(d.which>>32%asideSpan), now)
	} else {
		f.pass(p, delay, now)
	}
	if twin != nil {
		f.pass(twin, delay, now)
	}
	f.overtake(overtaken, now)
}

func (f *Faulty) lose(p *Packet) { f.Link.Pool().Put([]*Packet{p}) }

func (f *Faulty) copy(p *Packet) *Packet {
	twin := f.Link.Pool().Get(nil, 1)[0]
	twin.Path = p.Path
	twin.Data = append(twin.Data, p.Data...)
	return twin
}

// full drops the packet and returns true if too many packets are held.
func (f *Faulty) full(p *Packet) bool {
	if len(f.late)+len(f.aside) < maxHeld {
		return false
	}
	f.count.Overflow++
	f.lose(p)
	return true
}

// pass sends a packet in this batch, or holds it until its due time.
func (f *Faulty) pass(p *Packet, delay time.Duration, now time.Time) {
	if delay <= 0 {
		f.out = append(f.out, p)
		return
	}
	if f.full(p) {
		return
	}
	f.count.Delayed++
	h := held{p, now.Add(delay)}
	at := len(f.late)
	for at > 0 && f.late[at-1].due.After(h.due) {
		at--
	}
	f.late = slices.Insert(f.late, at, h)
}

func (f *Faulty) putAside(p *Packet, ahead int, now time.Time) {
	if !f.full(p) {
		f.aside = append(f.aside, aside{held{p, now.Add(asideWait)}, ahead})
	}
}

// overtake counts a packet that overtook the oldest n packets aside.
func (f *Faulty) overtake(n int, now time.Time) {
	kept := f.aside[:0]
	for i, a := range f.aside {
		if i < n {
			a.ahead--
		}
		if a.ahead > 0 {
			kept = append(kept, a)
			continue
		}
		f.pass(a.p, f.faults.Delay, now)
	}
	clear(f.aside[len(kept):])
	f.aside = kept
}

// ripe collects the packets whose time has come.
func (f *Faulty) ripe(now time.Time) {
	n := 0
	for n < len(f.late) && !f.late[n].due.After(now) {
		f.out = append(f.out, f.late[n].p)
		n++
	}
	f.late = slices.Delete(f.late, 0, n)
	for len(f.aside) > 0 && !f.aside[0].due.After(now) {
		f.pass(f.aside[0].p, f.faults.Delay, now)
		f.aside = slices.Delete(f.aside, 0, 1)
	}
}

// forward sends the packets of this batch and schedules the rest.
func (f *Faulty) forward(now time.Time) {
	if len(f.out) > 0 {
		f.Link.Send(f.out)
	}
	clear(f.out)
	f.out = f.out[:0]
	f.setTimer(now)
	f.settle()
}

// setTimer schedules onTime for the packet that is due first.
func (f *Faulty) setTimer(now time.Time) {
	if f.closed || len(f.late)+len(f.aside) == 0 {
		return
	}
	var next time.Time
	if len(f.late) > 0 {
		next = f.late[0].due
	}
	if len(f.aside) > 0 && (next.IsZero() || f.aside[0].due.Before(next)) {
		next = f.aside[0].due
	}
	if f.timer == nil {
		f.timer = time.AfterFunc(next.Sub(now), f.onTime)
		return
	}
	f.timer.Reset(next.Sub(now))
}

// onTime forwards the packets that have become due.
func (f *Faulty) onTime() {
	defer f.crashed.Catch()
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	f.ripe(now)
	f.forward(now)
}

// Counters returns the link's counters. Packets dropped by a fault count as sent; duplicates do not.
func (f *Faulty) Counters() Counters {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.Link.Counters()
	c.Sent += f.count.Lost + f.count.Overflow + uint64(len(f.late)+len(f.aside)) - f.count.Duplicated
	return c
}

// FaultCounters returns what was done to packets since the link was wrapped.
func (f *Faulty) FaultCounters() FaultCounters {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count
}

// Close drops the held packets and closes the link.
func (f *Faulty) Close() error {
	f.mu.Lock()
	f.closed = true
	if f.timer != nil {
		f.timer.Stop()
	}
	for _, h := range f.late {
		f.lose(h.p)
	}
	for _, a := range f.aside {
		f.lose(a.p)
	}
	f.late, f.aside = nil, nil
	f.settle()
	f.mu.Unlock()
	return f.Link.Close()
}
