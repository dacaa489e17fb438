package transport

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"rdmatui/verbs/soft/link"
)

// While programs look after the socket themselves the engine asks from time to time whether they still do, first after minStandby, and then
// in ever longer steps up to maxStandby. A packet that comes when they have stopped waits for two such steps at most.
const (
	minStandby = time.Millisecond
	maxStandby = 4 * time.Millisecond
)

// busyPollTime is how long a program that waits sleeps at the socket before it leaves that to the engine.
const busyPollTime = 10 * time.Millisecond

// rest is how an engine sleeps, and how programs take its place. A program that waits for a completion or polls is quicker if it takes the
// packets itself, since otherwise each one wakes the engine's thread, which wakes the program's. So where the engine was woken and found
// that a program takes the packets, it stands by for a while.
type rest struct {
	wakeups chan struct{}
	watch   *link.Watch // nil: the link wakes the engine
	arrived atomic.Bool // it was the watch that woke it
	timer   *time.Timer
	standby atomic.Int64  // ns until the engine looks again, if not before; 0: it does not stand by
	seen    uint64        // served when the engine last asked
	served  atomic.Uint64 // times that a program received something or came to wait

	pollers    sync.Mutex    // held by the program that sleeps at the socket
	busyPolled atomic.Bool   // there is one
	sleeper    *link.Sleeper // that program's
}

func (r *rest) init() {
	r.wakeups = make(chan struct{}, 1)
	r.timer = time.NewTimer(time.Hour)
	r.timer.Stop()
}

// Use makes the watch and the sleeper of a link that has such; where it fails the engine is of no use.
func (e *Engine) Use(l link.Link) (err error) {
	u, ok := l.(*link.UDP)
	if !ok {
		return nil
	}
	e.watch, err = u.Watch(func() {
		e.arrived.Store(true)
		e.Wake()
	})
	if err == nil {
		e.sleeper, err = u.NewSleeper()
	}
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	if err != nil {
		e.rest.end()
	}
	return err
}

// interrupt ends the engine's pause, or the next one.
func (r *rest) interrupt() {
	select {
	case r.wakeups <- struct{}{}:
	default:
	}
}

// pause returns when there may be something to do. It reports whether something came for the engine.
func (r *rest) pause(quit <-chan struct{}) (came bool) {
	if r.standby.Load() == 0 && r.watch != nil && r.watch.Arm() != nil {
		r.standBy(maxStandby) // and try again
	}
	for {
		var over <-chan time.Time
		if d := time.Duration(r.standby.Load()); d > 0 {
			r.timer.Reset(d)
			over = r.timer.C
		}
		select {
		case <-over:
			if r.looked() {
				continue
			}
		case <-quit:
		case <-r.wakeups:
			if came = r.arrived.Swap(false); came && r.busyPolled.Load() {
				r.standBy(minStandby)
				came = false
			}
		}
		r.timer.Stop()
		return came
	}
}

func (r *rest) standBy(d time.Duration) {
	r.standby.Store(int64(d))
	r.seen = r.served.Load()
}

// yields reports whether the packets at the socket are a program's to take.
func (r *rest) yields() bool { return r.standby.Load() > 0 && r.busyPolled.Load() }

// looked lets the engine stand by for longer where programs have looked after the socket, and otherwise no more.
func (r *rest) looked() bool {
	before := r.seen
	r.seen = r.served.Load()
	if r.seen == before && !r.busyPolled.Load() {
		r.standby.Store(0)
		return false
	}
	r.standby.Store(min(2*r.standby.Load(), int64(maxStandby)))
	return true
}

// busyPoll moves the engine's packets in the caller's goroutine, which must hold no lock, until there is what it waits for. It returns false
// where that has to be waited for in another way: another program polls, the engine is awake, or nothing has come for a while.
func (e *Engine) busyPoll(ctx context.Context, bell *atomic.Pointer[link.Sleeper], found func() bool) bool {
	r := &e.rest
	if r.sleeper == nil || !r.pollers.TryLock() {
		return false
	}
	defer r.pollers.Unlock()
	r.served.Add(1)
	r.busyPolled.Store(true)
	defer r.busyPolled.Store(false)
	for came := false; ; {
		if came && !e.poll() {
			return false
		}
		bell.Store(r.sleeper) // others, too, may bring what is waited for
		done := found()
		if !done {
			e.flushDelayed()
		}
		if came = false; !done && ctx.Err() == nil {
			came, _ = r.sleeper.Sleep(busyPollTime)
		}
		bell.Store(nil)
		if done || !came {
			return done || found()
		}
	}
}

// end closes what Use made, when the engine has ended.
func (r *rest) end() {
	if r.sleeper != nil {
		r.sleeper.Wake()
		r.pollers.Lock() // for good
		r.sleeper.Close()
	}
	if r.watch != nil {
		r.watch.Close()
	}
}
