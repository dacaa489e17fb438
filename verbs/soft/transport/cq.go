package transport

import (
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/format"
	"rdmatui/verbs/soft/internal/object"
)

// arming is the kind of completion for which a queue will raise an event.
type arming uint8

const (
	disarmed     arming = iota
	armSolicited        // a solicited or failed completion
	armNext             // any completion
)

// CQ is a completion queue: a ring of work completions.
type CQ struct {
	dev          *Device
	eng          *Engine
	channel      *compChannel // nil: polling only
	cqe          atomic.Int32
	settle       bool // see [Config]
	stamps       verbs.CQWCFlags
	object.Users // guarded by dev.mu

	misses atomic.Uint32 // polls without a result since the last completion

	mu      sync.Mutex
	ring    []verbs.WC
	first   int
	count   int
	peak    int // maximum of count
	arm     arming
	wake    chan<- struct{} // see [verbs.CQWaker]; nil: nobody waits
	overrun bool
	dead    bool
}

var (
	_ verbs.CQ        = (*CQ)(nil)
	_ verbs.CQResizer = (*CQ)(nil)
	_ verbs.CQWaker   = (*CQ)(nil)
)

// CreateCQ creates a completion queue of exactly spec.CQE entries.
func (d *Device) CreateCQ(spec verbs.CQSpec) (verbs.CQ, error) {
	q, err := d.createCQ(spec)
	if err != nil {
		return nil, d.fail(spec.Call(), err)
	}
	return q, nil
}

func (d *Device) createCQ(spec verbs.CQSpec) (*CQ, error) {
	var channel *compChannel
	if spec.Channel != nil {
		c, ok := spec.Channel.(*compChannel)
		if !ok || c.dev != d {
			return nil, verbs.ErrForeignObject
		}
		channel = c
	}
	if spec.CQE < 1 || spec.CQE > MaxCQE || spec.CompVector != 0 {
		return nil, syscall.EINVAL
	}
	if spec.WCFlags&^(verbs.CQStandard|timeStamps) != 0 {
		return nil, syscall.EOPNOTSUPP
	}
	d.Mu.Lock()
	defer d.Mu.Unlock()
	if err := d.Alive(); err != nil {
		return nil, err
	}
	if channel != nil && channel.Closed {
		return nil, verbs.ErrClosed
	}
	if err := d.adapter.Quota.Take(&d.adapter.Quota.CQ, MaxCQ, compQueueBytes(spec.CQE)); err != nil {
		return nil, err
	}
	q := &CQ{dev: d, eng: d.eng, channel: channel, settle: d.adapter.Settle,
		stamps: spec.WCFlags & timeStamps, ring: make([]verbs.WC, spec.CQE)}
	q.cqe.Store(int32(spec.CQE))
	d.Add(q, q.name())
	if channel != nil {
		channel.Add(q, q.name())
	}
	return q, nil
}

const timeStamps = verbs.CQWithTimestamp | verbs.CQWithWallclock

// CoreClock is the frequency in kHz of the clock behind completion_ts: it counts ns since the device's engine was created.
const CoreClock = 1e6

// stamp adds the time stamps to a completion.
func (q *CQ) stamp(wc *verbs.WC) {
	now := time.Now()
	wc.Stamps, wc.CompletionTS, wc.CompletionWallclockNS = q.stamps, uint64(now.Sub(q.eng.begun)), uint64(now.UnixNano())
}

func (q *CQ) name() string { return "CQ of " + format.Counted(q.CQE(), "entry") }

// CQE returns the number of entries.
func (q *CQ) CQE() int { return int(q.cqe.Load()) }

// Fill returns how many entries are in use, and the maximum so far.
func (q *CQ) Fill() (now, peak int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.count, q.peak
}

// push adds a completion. It returns false if the queue is full; the queue is unusable from then on.
func (q *CQ) push(wc *verbs.WC, solicited bool) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.dead {
		return true
	}
	if q.count == len(q.ring) {
		if !q.overrun {
			q.overrun = true
			q.dev.Events.Put(verbs.AsyncEvent{Type: verbs.EventCQErr, CQ: q})
		}
		return false
	}
	at := q.first + q.count
	if at >= len(q.ring) {
		at -= len(q.ring)
	}
	q.ring[at] = *wc
	if q.stamps != 0 {
		q.stamp(&q.ring[at])
	}
	q.count++
	q.peak = max(q.peak, q.count)
	if q.arm == armNext || q.arm == armSolicited && (solicited || wc.Failed()) {
		q.arm = disarmed
		q.channel.events.Put(q)
	}
	if q.wake != nil {
		select {
		case q.wake <- struct{}{}:
		default:
		}
		q.wake = nil
	}
	return true
}

// WakeNext implements verbs.CQWaker.
func (q *CQ) WakeNext(wake chan<- struct{}) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.count > 0 {
		return false
	}
	q.wake = wake
	return true
}

// Poll returns waiting completions, after processing the packets that have arrived.
func (q *CQ) Poll(wcs []verbs.WC) (int, error) {
	if q.settle {
		q.eng.settle()
	}
	n, err := q.take(wcs)
	if n == 0 && err == nil && !q.armed() && q.eng.poll() { // a program that armed the queue is about to wait
		if n, err = q.take(wcs); n == 0 {
			q.eng.flushDelayed()
		}
	}
	if n > 0 || err != nil {
		q.misses.Store(0)
	} else if q.misses.Add(1)%patience == 0 {
		runtime.Gosched()
	}
	return n, err
}

// patience is how often a program may poll without a result before it yields the processor: the engine, which may share it, must not
// starve.
const patience = 16

func (q *CQ) take(wcs []verbs.WC) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.dead {
		return 0, verbs.NewOpError("ibv_poll_cq", q.name(), verbs.ErrClosed)
	}
	n := min(len(wcs), q.count)
	k := copy(wcs[:n], q.ring[q.first:])
	copy(wcs[k:n], q.ring)
	q.first = (q.first + n) % len(q.ring)
	q.count -= n
	return n, nil
}

func (q *CQ) armed() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.arm != disarmed
}

// ReqNotify arms the queue for one event. A request for any completion overrides one for solicited completions.
func (q *CQ) ReqNotify(solicitedOnly bool) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.dead {
		return verbs.NewOpError("ibv_req_notify_cq", q.name(), verbs.ErrClosed)
	}
	if q.channel == nil {
		return nil // legal, but nothing is notified
	}
	if solicitedOnly {
		q.arm = max(q.arm, armSolicited)
	} else {
		q.arm = armNext
	}
	return nil
}

// AckEvents does nothing: returned events are not tracked.
func (q *CQ) AckEvents(int) {}

// Close destroys the queue with its completions and events. It fails while queue pairs use it.
func (q *CQ) Close() error {
	q.dev.Mu.Lock()
	defer q.dev.Mu.Unlock()
	if q.Closed {
		return nil
	}
	if err := q.Busy("CQ"); err != nil {
		return verbs.NewOpError("ibv_destroy_cq", q.name(), err)
	}
	q.Closed = true
	q.mu.Lock()
	q.dead, q.ring, q.count, q.arm = true, nil, 0, disarmed
	q.mu.Unlock()
	if q.channel != nil {
		q.channel.events.Drop(func(other *CQ) bool { return other == q })
		q.channel.Remove(q)
	}
	q.dev.Events.Drop(func(ev verbs.AsyncEvent) bool { return ev.CQ == verbs.CQ(q) })
	q.dev.Remove(q)
	q.dev.adapter.Quota.Give(&q.dev.adapter.Quota.CQ, compQueueBytes(q.CQE()))
	return nil
}

// Resize changes the queue to exactly cqe entries.
func (q *CQ) Resize(cqe int) error {
	q.dev.Mu.Lock()
	defer q.dev.Mu.Unlock()
	if err := q.resize(cqe); err != nil {
		return verbs.NewOpError("ibv_resize_cq", q.name(), err)
	}
	q.dev.Add(q, q.name()) // its name contains the size
	if q.channel != nil {
		q.channel.Add(q, q.name())
	}
	return nil
}

// resize is Resize; dev.Mu is held.
func (q *CQ) resize(cqe int) error {
	switch {
	case q.Closed:
		return verbs.ErrClosed
	case cqe < 1 || cqe > MaxCQE:
		return syscall.EINVAL
	}
	memory := q.dev.adapter.Quota.Memory
	before, after := compQueueBytes(q.CQE()), compQueueBytes(cqe)
	if after > before {
		if err := memory.Take(after - before); err != nil {
			return err
		}
	}
	if !q.move(cqe) {
		memory.Give(max(after, before) - before)
		return syscall.EINVAL
	}
	memory.Give(before - min(before, after))
	return nil
}

// move moves the completions to a ring of cqe entries, and reports whether they fit.
func (q *CQ) move(cqe int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.count > cqe {
		return false
	}
	ring := make([]verbs.WC, cqe)
	k := copy(ring[:q.count], q.ring[q.first:])
	copy(ring[k:q.count], q.ring)
	q.ring, q.first = ring, 0
	q.cqe.Store(int32(cqe))
	return true
}
