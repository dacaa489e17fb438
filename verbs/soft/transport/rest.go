package transport

import (
	"sync"
	"sync/atomic"
	"time"

	"rdmatui/verbs/soft/link"
)

// While programs process the socket's packets themselves, the engine checks periodically whether they still do: first
// after minStandby, then at growing intervals up to maxStandby. A packet that arrives after they have stopped waits for
// at most two intervals.
const (
	minStandby = time.Millisecond
	maxStandby = 4 * time.Millisecond
)

// rest controls how an engine sleeps, and how programs replace it. A program that waits for a completion or polls is
// faster if it receives the packets itself: otherwise each packet wakes the engine's thread, which then wakes the
// program's. So an engine that was woken and finds that a program receives the packets stands by for a while.
type rest struct {
	wakeups chan struct{}
	watch   *link.Watch // nil: the link wakes the engine
	arrived atomic.Bool // the watch woke the engine
	timer   *time.Timer
	standby atomic.Int64  // ns until the engine checks again at the latest; 0: not standing by
	seen    uint64        // value of served at the last check
	served  atomic.Uint64 // times that a program received packets or started to wait

	pollers    sync.Mutex    // held by the program that sleeps at the socket
	busyPolled atomic.Bool   // a program sleeps at the socket
	sleeper    *link.Sleeper // used by that program
}

func (r *rest) init() {
	r.wakeups = make(chan struct{}, 1)
	r.timer = time.NewTimer(time.Hour)
	r.timer.Stop()
}

// interrupt ends the engine's pause, or the next one.
func (r *rest) interrupt() {
	select {
	case r.wakeups <- struct{}{}:
	default:
	}
}

// pause returns when there may be work. It reports whether packets arrived for the engine.
func (r *rest) pause(quit <-chan struct{}) (came bool) {
	if r.standby.Load() == 0 && r.watch != nil && r.watch.Arm() != nil {
		r.standBy(maxStandby) // then try again
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

// yields reports whether a program is to receive the packets at the socket.
func (r *rest) yields() bool { return r.standby.Load() > 0 && r.busyPolled.Load() }

// looked extends the engine's standby if programs have served the socket, and ends it otherwise.
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

// end closes what Use created, after the engine has stopped.
func (r *rest) end() {
	if r.sleeper != nil {
		r.sleeper.Wake()
		r.pollers.Lock() // never unlocked
		r.sleeper.Close()
	}
	if r.watch != nil {
		r.watch.Close()
	}
}
