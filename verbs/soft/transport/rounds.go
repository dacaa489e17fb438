package transport

import (
	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

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

// sleep waits until the engine is woken or stopped. It sets asleep before it checks for work once more, so that a
// doorbell rung in between is not missed.
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

// assist runs a round in the caller's goroutine, which must hold no lock, while the engine's goroutine sleeps, and
// reports whether it did. This bypasses the scheduler, which checks sockets only every 10 ms while polling programs
// keep all processors busy. Devices in memory do not need it: they have no socket.
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

// pollRound is a round that may delay its acknowledgements.
func (e *Engine) pollRound() bool {
	e.mayDelayACKs = true
	defer func() { e.mayDelayACKs = false }()
	return e.round()
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

// stray handles a packet whose destination is no queue pair: the multicast number, for which every queue pair of the
// group gets the packet; that of the general services interface; or an unused one.
func (e *Engine) stray(p *link.Packet) {
	if e.in.BTH.DestQP == object.GSIQPN {
		e.adapter.TakeMAD(&e.in, p.Path)
		return
	}
	var members []*QP
	if e.in.BTH.DestQP == uint32(verbs.MaxQPN) {
		members = e.adapter.groups.members(p.Path.Dst.Addr())
	}
	if len(members) == 0 {
		e.adapter.Counts.UnknownQP.Add(1)
	}
	for _, q := range members {
		q.mu.Lock()
		q.receive(e, p)
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

// flushOrDelay delays acknowledgements, if allowed, for a program that is about to see the messages: it usually
// responds, and then they leave in the same call as its response. If the program does nothing, the engine, which stands
// by, sends them shortly after.
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
	e.markSent()
	e.link.Send(e.tx)
	clear(e.tx)
	e.tx, e.acks = e.tx[:0], 0
	e.delayedACKs.Store(false)
}

// markSent records that the packets of this round are passed to the link.
func (e *Engine) markSent() {
	if len(e.unsent) == 0 {
		return
	}
	now := e.read()
	for _, u := range e.unsent {
		u.q.mu.Lock()
		if s := u.q.steps.at(u.pos); s != nil {
			s.sent = now
		}
		u.q.mu.Unlock()
	}
	clear(e.unsent)
	e.unsent = e.unsent[:0]
}

// sendMADs turns the collected datagrams into packets.
func (e *Engine) sendMADs() {
	if len(e.mailed) == 0 {
		return
	}
	for i, m := range e.mailed {
		h := wire.Packet{DETH: wire.DETH{QKey: wire.QKeyGSI, SrcQP: object.GSIQPN}, Payload: m.data}
		if m.probe != nil {
			h.BTH = *m.probe
		} else {
			e.madPSN = e.madPSN.Add(1)
			h.BTH = wire.BTH{Opcode: wire.UDSendOnly, PKey: object.FullPKey, DestQP: object.GSIQPN, PSN: e.madPSN}
			e.adapter.Counts.MADsSent.Add(1)
		}
		p := e.packet(m.path)
		p.Data = h.Append(p.Data)
		e.tx = append(e.tx, p)
		e.mailed[i] = mad{}
	}
	e.mailed = e.mailed[:0]
}

// sendLast sends the management datagrams that were posted before the engine was stopped: a program that closes a
// connection notifies its peer.
func (e *Engine) sendLast() {
	e.collect()
	e.sendMADs()
	e.flush()
}
