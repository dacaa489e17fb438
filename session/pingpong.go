package session

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// PingpongResult is what a run of SENDs back and forth came to.
type PingpongResult struct {
	Size        int           `json:"size"`  // bytes of each message
	Iters       int           `json:"iters"` // messages in each direction
	Elapsed     time.Duration `json:"-"`
	Seconds     float64       `json:"seconds"`
	MbitPerSec  float64       `json:"mbit_per_sec"`            // both directions together
	UsecPerIter float64       `json:"usec_per_iter"`           // there and back
	CQEvents    int           `json:"cq_events"`               // completion events, 0 when polling
	CQEventGets int           `json:"cq_event_gets,omitempty"` // asked for events that had not come, without sleeping
	Validated   bool          `json:"validated,omitempty"`     // the bytes were checked
}

// String renders the two figures as one line.
func (r PingpongResult) String() string {
	return r.Rate() + "; " + r.Latency()
}

// Rate renders bytes, seconds and Mbit/s.
func (r PingpongResult) Rate() string {
	return fmt.Sprintf("%d bytes in %.2f seconds = %.2f Mbit/sec", r.bytes(), r.Seconds, r.MbitPerSec)
}

// Latency renders iterations, seconds and usec/iter.
func (r PingpongResult) Latency() string {
	return fmt.Sprintf("%d iters in %.2f seconds = %.2f usec/iter", r.Iters, r.Seconds, r.UsecPerIter)
}

func (r PingpongResult) bytes() uint64 { return 2 * uint64(r.Size) * uint64(r.Iters) }

// Numbers that the runner gives its requests, those of the stock programs.
const (
	pingRecvID = 1
	pingSendID = 2
)

// pingDepth is how many RECVs the runner keeps posted at most.
const pingDepth = 500

// pinger runs one end of a ping-pong. Its loop allocates nothing and puts
// nothing on the time line.
type pinger struct {
	s  *Session
	q  *queuePair
	mr verbs.MR

	n, size  int
	header   int // bytes that a RECV has before the message: the GRH of a datagram
	client   bool
	events   bool
	nonblock bool // an event is asked for again and again; nobody sleeps in the call
	asked    int  // times that there was none
	validate bool

	recvs          []verbs.RecvWR // as many as are ever posted at once
	send           []verbs.SendWR // one
	wcs            [16]verbs.WC
	early          int // messages that had come before the runner began, and were told of
	posted         int // RECVs posted and not completed
	sent, received int // completed
	sending        int // posted and not completed
	cqEvents       map[*compQueue]int
	payload        *payloadCheck

	progress atomic.Uint64 // messages completed, for the watchdog
	stopped  atomic.Bool
	waitCtx  context.Context // ends when the loop must
}

func (s *Session) pingpong(c *call) error {
	q, err := argAs[*queuePair](s, c, "qp", nil)
	if err != nil {
		return err
	}
	c.qp = q
	p := &pinger{
		s: s, q: q, n: c.cmd.Int("n"), size: c.cmd.Int("size"), client: c.cmd.String("role") == "client",
		events: c.cmd.Bool("event"), nonblock: c.cmd.Bool("nonblock"), validate: c.cmd.Bool("validate"), cqEvents: map[*compQueue]int{},
	}
	if err := p.check(); err != nil {
		return err
	}
	if err := p.requests(c); err != nil {
		return err
	}
	result, err := p.measure(c)
	if err != nil {
		return err
	}
	s.lastPingpong.Store(&result)
	c.done.Result = result.String()
	return nil
}

func (p *pinger) check() error {
	switch st := p.q.stateNow(); {
	case st != verbs.QPRTS:
		return fmt.Errorf("%s is in %s: connect it first", p.q.name, st)
	case p.q.sends.len() > 0:
		return fmt.Errorf("%s has SENDs outstanding: poll_cq them first", p.q.name)
	case p.q.srq != nil:
		return fmt.Errorf("pingpong posts RECVs of its own, and %s takes them from %s", p.q.name, p.q.srq.name)
	case p.n < 1:
		return errors.New("n is at least 1")
	case p.nonblock && !p.events:
		return errors.New("nonblock is about completion events: event=1 goes with it")
	}
	for _, cq := range p.queues() {
		if p.events && cq.channel == nil {
			return fmt.Errorf("%s has no completion channel: create_cq it with channel=", cq.name)
		}
	}
	return nil
}

func (p *pinger) queues() []*compQueue {
	if p.q.sendCQ == p.q.recvCQ {
		return []*compQueue{p.q.sendCQ}
	}
	return []*compQueue{p.q.sendCQ, p.q.recvCQ}
}

// measure claims the queues, runs the loop and sums up.
func (p *pinger) measure(c *call) (PingpongResult, error) {
	early := p.claim()
	defer p.unclaim()
	stop := p.watch(c.ctx, c.cmd.Duration("timeout"))
	begin := time.Now()
	err := p.loop(early)
	elapsed := time.Since(begin)
	if cause := stop(); err == nil || errors.Is(err, errStopped) || errors.Is(err, context.Canceled) {
		if p.received < p.n || p.sent < p.n {
			err = p.shortOf(cause)
		}
	}
	c.done.Took = elapsed
	if err != nil {
		return PingpongResult{}, err
	}
	r := PingpongResult{Size: p.size, Iters: p.n, Elapsed: elapsed, Seconds: elapsed.Seconds(), Validated: p.validate}
	r.MbitPerSec = float64(r.bytes()) * 8 / 1e6 / r.Seconds
	r.UsecPerIter = r.Seconds * 1e6 / float64(p.n)
	for _, n := range p.cqEvents {
		r.CQEvents += n
	}
	r.CQEventGets = p.asked
	return r, nil
}

func (p *pinger) shortOf(cause error) error {
	return fmt.Errorf("%d of %d messages were sent and %d received: %w", p.sent, p.n, p.received, cause)
}

// claim keeps the live pollers off the queues and returns what they have taken
// already of this queue pair's completions.
func (p *pinger) claim() (early []timeline.Completion) {
	for _, cq := range p.queues() {
		cq.mu.Lock()
		cq.claimed = true
		for _, c := range cq.inbox.pop(nil, cq.inbox.n) {
			if c.WC.QPNum == p.q.num {
				early = append(early, c)
			}
		}
		cq.mu.Unlock()
	}
	p.early = len(early)
	p.posted = p.q.recvs.len() + p.early // those are still to be counted off
	return early
}

// unclaim gives the queues back, and the RECVs that are left to the accounts.
func (p *pinger) unclaim() {
	for cq, n := range p.cqEvents {
		if n > 0 {
			cq.cq.AckEvents(n)
		}
	}
	for _, counted := range []struct {
		cq *compQueue
		wc verbs.WC
		n  int
	}{
		{p.q.sendCQ, verbs.WC{Opcode: verbs.WCSend}, p.sent},
		{p.q.recvCQ, verbs.WC{Opcode: verbs.WCRecv, ByteLen: uint32(p.header + p.size)}, p.received - p.early},
	} {
		p.s.log.CountCompletions(counted.cq.name, counted.wc, uint64(counted.n))
	}
	p.q.recvs.clear()
	at := p.s.now()
	for range p.posted {
		p.q.recvs.push(request{wrID: pingRecvID, at: at, signaled: true})
	}
	for _, cq := range p.queues() {
		cq.mu.Lock()
		cq.claimed = false
		cq.mu.Unlock()
		cq.posted()
	}
	p.s.changed()
}

var (
	errStopped = errors.New("stopped")
	errStalled = errors.New("no message came in time")
)

// watch stops the loop when ctx ends or when no message has come for the given
// time. The returned function ends the watch and tells why the loop was stopped.
func (p *pinger) watch(ctx context.Context, patience time.Duration) (stop func() error) {
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer p.stopped.Store(true)
		defer p.s.opts.Crashed.Catch()
		t := time.NewTicker(max(patience/4, time.Millisecond))
		defer t.Stop()
		for last, since := p.progress.Load(), time.Now(); ; {
			select {
			case <-ctx.Done():
				return
			case now := <-t.C:
				if n := p.progress.Load(); n != last {
					last, since = n, now
				} else if now.Sub(since) >= patience {
					cancel(errStalled)
				}
			}
		}
	}()
	p.waitCtx = ctx
	return func() error {
		cause := context.Cause(ctx)
		cancel(nil)
		<-done
		return cause
	}
}

// loop exchanges the messages.
func (p *pinger) loop(early []timeline.Completion) error {
	if err := p.begin(early); err != nil {
		return err
	}
	for p.sent < p.n || p.received < p.n {
		got, err := p.pollAll()
		if err != nil {
			return err
		}
		if got > 0 {
			continue
		}
		if p.stopped.Load() {
			return errStopped
		}
		if p.events {
			if err := p.awaitEvent(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *pinger) begin(early []timeline.Completion) error {
	if p.events {
		for _, cq := range p.queues() {
			if err := cq.cq.ReqNotify(false); err != nil {
				return err
			}
		}
	}
	if err := p.postRecvs(); err != nil {
		return err
	}
	for i := range early {
		if err := p.take(&early[i].WC); err != nil {
			return err
		}
	}
	if p.client {
		return p.postSend()
	}
	return nil
}

// postRecvs posts RECVs again when all but one are used up, many in one call.
func (p *pinger) postRecvs() error {
	if p.posted > 1 || p.posted == len(p.recvs) {
		return nil
	}
	n, err := p.q.qp.PostRecv(p.recvs[:len(p.recvs)-p.posted]...)
	p.posted += n
	return err
}

func (p *pinger) postSend() error {
	if p.payload != nil && p.client {
		if err := p.payload.stamp(p.mr, p.received); err != nil {
			return err
		}
	}
	p.sending++
	_, err := p.q.qp.PostSend(p.send...)
	return err
}

// pollAll takes what both queues have.
func (p *pinger) pollAll() (int, error) {
	n, err := p.poll(p.q.recvCQ)
	if err == nil && p.q.sendCQ != p.q.recvCQ {
		var more int
		more, err = p.poll(p.q.sendCQ)
		n += more
	}
	return n, err
}

func (p *pinger) poll(cq *compQueue) (int, error) {
	n, err := cq.cq.Poll(p.wcs[:])
	if n == 0 || err != nil {
		return 0, err
	}
	for i := range p.wcs[:n] {
		counted := p.sent + p.received
		if err := p.take(&p.wcs[i]); err != nil {
			done := i + p.sent + p.received - counted
			cq.completed.Add(uint64(done))
			p.tell(cq, p.wcs[done:n])
			return n, err
		}
	}
	cq.completed.Add(uint64(n))
	p.progress.Add(uint64(n))
	return n, nil
}

// tell puts completions on the time line: those that ended the run, and what
// came with them.
func (p *pinger) tell(cq *compQueue, wcs []verbs.WC) {
	out := make([]timeline.Completion, len(wcs))
	for i := range wcs {
		cq.match(&out[i], &wcs[i], time.Since(p.s.start))
		if wcs[i].Failed() {
			cq.failed.Add(1)
		} else {
			cq.completed.Add(1)
		}
	}
	p.s.tell.completions(out)
	p.s.seen.add(out)
}

// take counts a completion and answers when both the own message is gone and
// the peer's has come.
func (p *pinger) take(wc *verbs.WC) error {
	switch {
	case wc.Failed():
		return p.failed(wc)
	case wc.QPNum != p.q.num:
		return fmt.Errorf("a completion of another queue pair, %s, came: give %s a queue of its own", wc.QPNum, p.q.name)
	case wc.Opcode.IsRecv():
		if got := int(wc.ByteLen) - p.header; got != p.size {
			return fmt.Errorf("message %d has %d bytes, %d were expected: both ends must use the same size", p.received, got, p.size)
		}
		if p.payload != nil {
			if err := p.payload.check(p.mr, p.received); err != nil {
				return err
			}
		}
		p.received++
		p.posted--
		if err := p.postRecvs(); err != nil {
			return err
		}
	default:
		p.sent++
		p.sending--
	}
	if p.sending == 0 && p.sent < p.n && (p.received > p.sent || p.client && p.received == p.sent) {
		return p.postSend()
	}
	return nil
}

func (p *pinger) failed(wc *verbs.WC) error {
	p.s.readState(p.q, "completion "+wc.Status.String())
	return &CompletionError{WC: *wc}
}

// CompletionError is a failed completion where every one had to succeed.
type CompletionError struct{ WC verbs.WC }

func (e *CompletionError) Error() string {
	return fmt.Sprintf("wr_id %d completed with %s, vendor_err 0x%x", e.WC.WRID, e.WC.Status, e.WC.VendorErr)
}

// nextEvent gets an event in the way that was chosen.
func (p *pinger) nextEvent(ch verbs.CompChannel) (verbs.CQ, error) {
	for {
		ctx, cancel := p.waitCtx, context.CancelFunc(func() {})
		if p.nonblock {
			ctx, cancel = context.WithTimeout(p.waitCtx, pollPatience)
		}
		cq, err := ch.GetCQEvent(ctx)
		cancel()
		if !p.nonblock || !errors.Is(err, context.DeadlineExceeded) || p.waitCtx.Err() != nil {
			return cq, err
		}
		p.asked++
	}
}

// awaitEvent sleeps until a queue has something, and arms it again.
func (p *pinger) awaitEvent() error {
	got, err := p.nextEvent(p.q.recvCQ.channel.ch)
	if err != nil {
		return err
	}
	for _, cq := range p.queues() {
		if cq.cq == got {
			p.cqEvents[cq]++
			return cq.cq.ReqNotify(false)
		}
	}
	return errors.New("a completion event of another queue came: give the queue pair a channel of its own")
}
