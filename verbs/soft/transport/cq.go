package transport

import (
	"reflect"
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
	rare    verbs.CQModeration
	due     int             // completions since the first that will be notified
	timer   *time.Timer     // notifies them after the period
	wake    chan<- struct{} // see [verbs.CQWaker]; nil: nobody waits
	overrun bool
	dead    bool
}

var (
	_ verbs.CQ        = (*CQ)(nil)
	_ verbs.CQResizer = (*CQ)(nil)
	_ verbs.CQWaker   = (*CQ)(nil)

	_ verbs.CQModerator = (*CQ)(nil)
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

// CoreClock is the frequency in kHz of the clock behind completion_ts: it counts ns since the device's engine was
// created.
const CoreClock = 1e6

// stamp adds the time stamps to a completion.
func (q *CQ) stamp(wc *verbs.WC) {
	now := time.Now()
	wc.Stamps, wc.CompletionTS, wc.CompletionWallclockNS = q.stamps, uint64(now.Sub(q.eng.begun)),
		uint64(now.UnixNano())
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

// push adds a completion of a queue pair, which keeps the queue open. It returns false if the queue is full; the queue
// is unusable from then on.
func (q *CQ) push(wc *verbs.WC, solicited bool) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
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
		q.notify()
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

// Limits of moderation, those of mlx5.
const (
	MaxModeratedCount  = 1<<16 - 1
	MaxModeratedPeriod = 1<<12 - 1 // µs
)

// Moderate delays the queue's events.
func (q *CQ) Moderate(m verbs.CQModeration) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	const op = "ibv_modify_cq"
	switch {
	case q.dead:
		return verbs.NewOpError(op, q.name(), verbs.ErrClosed)
	case m.Period > MaxModeratedPeriod:
		return verbs.NewOpError(op, q.name(), syscall.EINVAL)
	}
	if q.rare = m; q.due > 0 {
		q.raise()
	}
	return nil
}

// notify raises the event for a completion, or lets it wait for more; q.mu is held.
func (q *CQ) notify() {
	q.due++
	switch {
	case q.rare.Period == 0 || q.due >= int(q.rare.Count):
		q.raise()
	case q.due > 1:
	case q.timer == nil:
		q.timer = time.AfterFunc(q.period(), func() {
			defer q.eng.adapter.Crashed.Catch()
			q.mu.Lock()
			defer q.mu.Unlock()
			if q.due > 0 {
				q.raise()
			}
		})
	default:
		q.timer.Reset(q.period())
	}
}

func (q *CQ) period() time.Duration { return time.Duration(q.rare.Period) * time.Microsecond }

// raise raises the event; q.mu is held.
func (q *CQ) raise() {
	q.arm, q.due = disarmed, 0
	if q.timer != nil {
		q.timer.Stop()
	}
	q.channel.events.Put(q)
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
	q.dead, q.ring, q.count, q.arm, q.due = true, nil, 0, disarmed, 0
	if q.timer != nil {
		q.timer.Stop()
	}
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

// compChannel delivers the completion events of its queues.
type compChannel struct {
	dev          *Device
	eng          *Engine
	events       object.EventQueue[*CQ]
	object.Users // guarded by dev.mu
}

var _ verbs.CompChannel = (*compChannel)(nil)

// maxCQEvents is the maximum number of events waiting on a channel. A queue adds one event each time that it was armed.
const maxCQEvents = 1 << 16

// CreateCompChannel creates a completion channel.
func (d *Device) CreateCompChannel() (verbs.CompChannel, error) {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	if err := d.Alive(); err != nil {
		return nil, d.fail("ibv_create_comp_channel", err)
	}
	if err := d.adapter.Quota.Memory.Take(object.ObjectBytes); err != nil {
		return nil, d.fail("ibv_create_comp_channel", err)
	}
	c := &compChannel{dev: d, eng: d.eng}
	c.events.Init(maxCQEvents)
	d.Add(c, "completion channel")
	return c, nil
}

// Close closes the channel. It fails while completion queues use it.
func (c *compChannel) Close() error {
	c.dev.Mu.Lock()
	defer c.dev.Mu.Unlock()
	if c.Closed {
		return nil
	}
	if err := c.Busy("completion channel"); err != nil {
		return verbs.NewOpError("ibv_destroy_comp_channel", "", err)
	}
	c.Closed = true
	c.events.Close()
	c.dev.Remove(c)
	c.dev.adapter.Quota.Memory.Give(object.ObjectBytes)
	return nil
}

var wcBytes = uint64(reflect.TypeFor[verbs.WC]().Size())

func compQueueBytes(cqe int) uint64 { return uint64(cqe) * wcBytes }
