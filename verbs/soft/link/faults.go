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
	// maxHeld bounds the packets that are under way late; what comes beyond is lost, as where a switch's buffer is full.
	maxHeld = 4096
	// asideSpan is the most packets that overtake one. It is well below a sender's window, so that reordering is not loss by another
	// name.
	asideSpan = 8
	// asideWait is how long a packet waits to be overtaken where nothing comes behind it.
	asideWait = time.Millisecond
)

// Faulty does harm to what is sent over a link, by a seed. It wraps any [Link]; without faults, sending costs one atomic load more.
type Faulty struct {
	Link
	crashed verbs.CrashHook

	on atomic.Bool // packets may be struck, or some are still held

	mu     sync.Mutex // held while on and sending, so that Link.Send is called by one goroutine at a time
	faults verbs.Faults
	pcg    rand.PCG
	draw   *rand.Rand
	late   []held  // by due
	aside  []aside // waiting to be overtaken
	out    []*Packet
	timer  *time.Timer
	count  FaultCounters
	closed bool
}

// FaultCounters is what a [Faulty] has done, in packets.
type FaultCounters struct {
	Lost, Duplicated, Reordered, Corrupted, Delayed uint64
	Overflow                                        uint64 // lost since too many were under way late
}

// Plus returns the sums of both.
func (c FaultCounters) Plus(d FaultCounters) FaultCounters {
	c.Lost += d.Lost
	c.Duplicated += d.Duplicated
	c.Reordered += d.Reordered
	c.Corrupted += d.Corrupted
	c.Delayed += d.Delayed
	c.Overflow += d.Overflow
	return c
}

// held is a packet that is passed on at a time.
type held struct {
	p   *Packet
	due time.Time
}

// aside is a packet that is passed on behind others.
type aside struct {
	held
	ahead int // packets that are still to overtake it
}

// NewFaulty wraps a link; there are no faults yet. crashed is told of a panic in the goroutine that passes late packets on.
func NewFaulty(inner Link, crashed verbs.CrashHook) *Faulty {
	f := &Faulty{Link: inner, crashed: crashed}
	f.draw = rand.New(&f.pcg)
	return f
}

// SetFaults replaces the faults from the next packet on; packets under way keep their times. The values must pass [verbs.Faults.Check].
func (f *Faulty) SetFaults(v verbs.Faults) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = v
	f.pcg.Seed(v.Seed, 0)
	f.settle()
}

// settle switches the detour off where it has no more to do; f.mu is held. No packet is held that was sent before it was switched on,
// so that whoever finds it off is the only sender.
func (f *Faulty) settle() {
	f.on.Store(f.faults.Active() || len(f.late)+len(f.aside) > 0)
}

// Send strikes the packets and passes on what is left of them.
func (f *Faulty) Send(batch []*Packet) {
	if !f.on.Load() {
		f.Link.Send(batch)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	f.ripe(now)
	for _, p := range batch {
		f.strike(p, now)
	}
	f.forward(now)
}

// fate is what is drawn for one packet. All of it is drawn for each, so that the same packets are struck whatever else is set.
type fate struct {
	loss, duplicate, reorder, corrupt, jitter float64
	which                                     uint64
}

func (f *Faulty) roll() fate {
	d := f.draw
	return fate{d.Float64(), d.Float64(), d.Float64(), d.Float64(), d.Float64(), d.Uint64()}
}

// strike lets one packet meet its fate; f.mu is held, as by all below.
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
	overtaken := len(f.aside) // by this packet; one put aside now is not
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

// full makes room for one more held packet, or loses it.
func (f *Faulty) full(p *Packet) bool {
	if len(f.late)+len(f.aside) < maxHeld {
		return false
	}
	f.count.Overflow++
	f.lose(p)
	return true
}

// pass sends a packet in this batch, or holds it until it is due.
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

// overtake counts a packet that went past the oldest n that are aside.
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

// ripe takes up what is due.
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

// forward sends what has come through and sees to it that the rest will be.
func (f *Faulty) forward(now time.Time) {
	if f.closed {
		f.Link.Pool().Put(f.out)
	} else if len(f.out) > 0 {
		f.Link.Send(f.out)
	}
	clear(f.out)
	f.out = f.out[:0]
	f.setTimer(now)
	f.settle()
}

// setTimer wakes onTime for the packet that is due first.
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

// onTime passes on what has become due.
func (f *Faulty) onTime() {
	defer f.crashed.Catch()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	now := time.Now()
	f.ripe(now)
	f.forward(now)
}

// Counters reads the link's counters. What was lost here was sent; what was added here was not.
func (f *Faulty) Counters() Counters {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.Link.Counters()
	c.Sent += f.count.Lost + f.count.Overflow + uint64(len(f.late)+len(f.aside)) - f.count.Duplicated
	return c
}

// FaultCounters reads what was done to packets since the link was wrapped.
func (f *Faulty) FaultCounters() FaultCounters {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count
}

// Close loses what is held and closes the link.
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
