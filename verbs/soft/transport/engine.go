package transport

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

const (
	// rxBatch is how many packets one round receives; acknowledgements leave at its end, so it must stay well below the window.
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
	acks         int  // of those in tx
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
	e := &Engine{adapter: a, assists: a.Polled, begun: time.Now().Add(-1), quit: make(chan struct{}), done: make(chan struct{})}
	e.rest.init()
	return e
}

// Start runs the engine on a link.
func (e *Engine) Start(l link.Link) {
	e.link = l
	go e.run()
}

// Halt stops the goroutine and waits for it. A second call does nothing.
func (e *Engine) Halt() {
	e.halted.Do(func() {
		close(e.quit)
		<-e.done
		e.rest.end()
	})
}

func (e *Engine) run() {
	defer close(e.done)
	defer e.adapter.Crashed.Catch()
	e.turn.Lock()
	defer e.turn.Unlock()
	for {
		select {
		case <-e.quit: // even if packets keep coming
			e.sendLast()
			return
		default:
		}
		if !e.ownRound() {
			e.sleep()
		}
	}
}

// sleep waits until the engine is woken or stopped. It sets asleep before it checks for work once more, so that a doorbell rung in between
// is not missed.
func (e *Engine) sleep() {
	e.asleep.Store(true)
	defer e.asleep.Store(false)
	if e.ownRound() {
		return
	}
	e.turn.Unlock()
	came := e.pause(e.quit)
	for !e.turn.TryLock() {
		if !came || e.isRung() {
			e.turn.Lock()
			return
		}
		e.standBy(minStandby) // a program is running a round
		came = e.pause(e.quit)
	}
	if came && !e.round() {
		e.standBy(minStandby) // a program has processed the packets
	}
}

// isRung reports whether any queue pair or datagram waits for a round.
func (e *Engine) isRung() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.rung)+len(e.mads) > 0
}

// settle waits until a round that served all rung queue pairs is complete.
func (e *Engine) settle() {
	for rung := true; rung; runtime.Gosched() {
		e.turn.Lock()
		rung = e.isRung()
		e.turn.Unlock()
	}
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

// post is ring for callers that hold no lock: they run the round themselves if possible.
func (e *Engine) post(q *QP) {
	if e.list(q) && !e.assist(e.sendRound) {
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

// poll runs a round, if possible, for a program that wants a completion. A caller that then finds none calls flushDelayed.
func (e *Engine) poll() bool { return e.assist(e.pollRound) }

// pollRound is a round that may delay its acknowledgements.
func (e *Engine) pollRound() bool {
	e.mayDelayACKs = true
	defer func() { e.mayDelayACKs = false }()
	return e.round()
}

// flushDelayed sends the delayed acknowledgements.
func (e *Engine) flushDelayed() {
	if e.delayedACKs.Load() && !e.assist(e.sendRound) {
		e.Wake()
	}
}

// assist runs a round in the caller's goroutine, which must hold no lock, while the engine's goroutine sleeps, and reports whether it did.
// This bypasses the scheduler, which checks sockets only every 10 ms while polling programs keep all processors busy. Devices in memory do
// not need it: they have no socket.
func (e *Engine) assist(round func() bool) bool {
	if !e.assists || !e.asleep.Load() || !e.turn.TryLock() {
		return false
	}
	defer e.turn.Unlock()
	return e.stepIn(round)
}

// stepIn is assist for a caller that holds the turn.
func (e *Engine) stepIn(round func() bool) bool {
	if !e.asleep.Load() { // it may have stopped
		return false
	}
	e.took = 0
	round()
	if e.took > 0 {
		e.served.Add(1)
	}
	if e.took == rxBatch || e.ready && len(e.active) > 0 {
		e.Wake() // there is more work than the caller asked for
	}
	return true
}

// ownRound is a round of the engine's goroutine.
func (e *Engine) ownRound() bool {
	if e.yields() {
		return e.sendRound()
	}
	return e.round()
}

// round does the pending work and reports whether there was any.
func (e *Engine) round() bool {
	e.rx = e.link.Receive(e.rx[:0], rxBatch)
	e.took = len(e.rx)
	return e.sendRound()
}

// sendRound is a round that receives nothing.
func (e *Engine) sendRound() bool {
	e.collect()
	e.ready = e.link.Ready()
	if len(e.rx) == 0 && len(e.active) == 0 && len(e.mailed) == 0 && len(e.tx) == 0 {
		return false
	}
	e.now = 0
	got := len(e.rx)
	e.receive()
	e.serve()
	e.sendMADs()
	sent := len(e.tx)
	e.flushOrDelay()
	return got+sent > 0 || e.ready && len(e.active) > 0
}

// clock returns the time of this round since the engine was created. A round reads the clock at most once: where the processor has no
// usable clock, each reading is a system call.
func (e *Engine) clock() time.Duration {
	if e.now == 0 {
		e.now = time.Since(e.begun)
	}
	return e.now
}

// collect makes the rung queue pairs active, and takes the posted management datagrams.
func (e *Engine) collect() {
	e.mu.Lock()
	for i, q := range e.rung {
		q.rung.Store(false)
		e.activate(q)
		e.rung[i] = nil
	}
	e.rung = e.rung[:0]
	e.mads, e.mailed = e.mailed, e.mads
	e.mu.Unlock()
}

func (e *Engine) activate(q *QP) {
	if !q.active {
		q.active = true
		e.active = append(e.active, q)
	}
}

// receive passes the batch to the queue pairs. It keeps the lock across consecutive packets of one queue pair.
func (e *Engine) receive() {
	var held *QP
	for _, p := range e.rx {
		if err := e.in.Decode(p.Data); err != nil && !refusable(&e.in, err) {
			e.adapter.Counts.Malformed.Add(1)
			continue
		}
		if held == nil || uint32(held.num) != e.in.BTH.DestQP {
			e.release(held)
			if held = e.adapter.qps.find(e.in.BTH.DestQP); held == nil {
				e.stray(p)
				continue
			}
			held.mu.Lock()
		}
		held.receive(e, p)
	}
	e.release(held)
	e.recycle()
}

// release ends a run of packets of one queue pair.
func (e *Engine) release(q *QP) {
	if q != nil {
		q.resp.sendACKs(e)
		q.mu.Unlock()
	}
}

// recycle keeps some of the received buffers and returns the rest.
func (e *Engine) recycle() {
	keep := min(len(e.rx), maxSpare-len(e.spare))
	for _, p := range e.rx[:keep] {
		p.Reset()
		e.spare = append(e.spare, p)
	}
	e.link.Pool().Put(e.rx[keep:])
	clear(e.rx)
	e.rx = e.rx[:0]
}

// serve lets every active queue pair respond and send; those with more to send stay active.
func (e *Engine) serve() {
	kept := e.active[:0]
	for _, q := range e.active {
		q.mu.Lock()
		more := q.serve(e)
		q.active = more
		q.mu.Unlock()
		if more {
			kept = append(kept, q)
		}
	}
	clear(e.active[len(kept):])
	e.active = kept
}

// flushOrDelay delays acknowledgements, if allowed, for a program that is about to see the messages: it usually responds, and then they
// leave in the same call as its response. If the program does nothing, the engine, which stands by, sends them shortly after.
func (e *Engine) flushOrDelay() {
	if e.mayDelayACKs && !e.delayedACKs.Load() && e.acks == len(e.tx) && e.standby.Load() > 0 {
		e.delayedACKs.Store(e.acks > 0)
		return
	}
	e.flush()
}

func (e *Engine) flush() {
	if len(e.tx) == 0 {
		return
	}
	e.link.Send(e.tx)
	clear(e.tx)
	e.tx, e.acks = e.tx[:0], 0
	e.delayedACKs.Store(false)
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
