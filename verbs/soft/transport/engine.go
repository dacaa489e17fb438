package transport

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

const (
	// rxBatch is how many packets one round receives; acknowledgements leave at its end, so it must stay well below the
	// window.
	rxBatch = 64
	// burst is how many packets one queue pair may send per round, so that the others are served.
	burst = 64
	// maxSpare is how many packet buffers an engine keeps.
	maxSpare = 4 * rxBatch
)

// Engine moves the packets of one adapter in a single goroutine, which sleeps when there is no work.
type Engine struct {
	adapter *Adapter
	link    link.Link
	assists bool // programs may run rounds

	turn  sync.Mutex // held while running rounds: by the engine while it is awake, otherwise briefly by a program
	begun time.Time  // just before the engine was created, so that its clock is never 0
	rest
	asleep      atomic.Bool
	delayedACKs atomic.Bool // tx holds delayed acknowledgements
	halted      sync.Once
	quit        chan struct{}
	done        chan struct{}

	mu   sync.Mutex
	rung []*QP // queue pairs whose doorbell was rung
	mads []mad // to send

	// The fields below are guarded by turn.
	active       []*QP // queue pairs to serve in this round
	rx, tx       []*link.Packet
	acks         int // of those in tx
	unsent       []unsent
	mayDelayACKs bool // in this round
	spare        []*link.Packet
	mailed       []mad         // the part of mads that this round sends
	madPSN       wire.PSN      // of the last one
	in           wire.Packet   // the current packet
	out          wire.Packet   // the headers being built
	now          time.Duration // of this round; 0: not read yet
	took         int           // packets received in the last receiving round
	ready        bool          // the link takes data
}

// NewEngine creates an engine; Start runs it.
func NewEngine(a *Adapter) *Engine {
	e := &Engine{
		adapter: a, assists: a.Polled, begun: time.Now().Add(-1), quit: make(chan struct{}), done: make(chan struct{}),
	}
	e.rest.init()
	return e
}

// isRung reports whether any queue pair or datagram waits for a round.
func (e *Engine) isRung() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.rung)+len(e.mads) > 0
}

// Wake wakes the engine if it sleeps.
func (e *Engine) Wake() {
	if !e.asleep.Load() {
		return
	}
	e.interrupt()
}

// ring schedules a queue pair for the next round.
func (e *Engine) ring(q *QP) {
	if e.list(q) {
		e.Wake()
	}
}

// list schedules a queue pair; false means that it was already scheduled.
func (e *Engine) list(q *QP) bool {
	if q.rung.Swap(true) {
		return false
	}
	e.mu.Lock()
	e.rung = append(e.rung, q)
	e.mu.Unlock()
	return true
}

// clock returns the time of this round since the engine was created. A round reads the clock at most once: where the
// processor has no usable clock, each reading is a system call.
func (e *Engine) clock() time.Duration {
	if e.now == 0 {
		e.now = time.Since(e.begun)
	}
	return e.now
}

func (e *Engine) activate(q *QP) {
	if !q.active {
		q.active = true
		e.active = append(e.active, q)
	}
}

// packet returns an empty buffer for a packet on the path.
func (e *Engine) packet(path *link.Path) *link.Packet {
	if len(e.spare) == 0 {
		e.spare = e.link.Pool().Get(e.spare, rxBatch)
	}
	last := len(e.spare) - 1
	p := e.spare[last]
	e.spare[last] = nil
	e.spare = e.spare[:last]
	p.Path = path
	return p
}

// drop returns an unused buffer.
func (e *Engine) drop(p *link.Packet) {
	p.Reset()
	e.spare = append(e.spare, p)
}

// unsent is a request whose first packet waits for the end of the round.
type unsent struct {
	q   *QP
	pos uint32
}

// read returns the current time of the engine's clock; unlike [Engine.clock] it is not the same throughout a round.
func (e *Engine) read() time.Duration { return time.Since(e.begun) }

// moment converts a time of the engine's clock; 0 is never.
func (e *Engine) moment(d time.Duration) (t time.Time) {
	if d > 0 {
		t = e.begun.Add(d)
	}
	return t
}

// mad is a management datagram to send, or another packet of the connection manager.
type mad struct {
	path  *link.Path
	data  []byte    // wire.MADLen bytes, which no longer change
	probe *wire.BTH // for a packet without payload instead; nil for a datagram
}

// SendMAD queues a management datagram for the next round; the caller must no longer change data.
func (e *Engine) SendMAD(path *link.Path, data []byte) { e.postMAD(mad{path: path, data: data}) }

// postMAD queues a packet for the next round. It never blocks; if the queue is full the packet is lost, as on any
// network.
func (e *Engine) postMAD(m mad) {
	e.mu.Lock()
	if len(e.mads) < object.MaxMADs {
		e.mads = append(e.mads, m)
	}
	e.mu.Unlock()
	e.Wake()
}

// Use creates the watch and the sleeper of a link that supports them. If it fails, the engine cannot be used.
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
