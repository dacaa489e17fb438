// Package traffic exchanges data with a peer in one command: the records of queue
// pairs over TCP, and ping-pong messages that are measured and checked. It does not
// post single requests.
package traffic

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"rdmatui/session/cm"
	"rdmatui/session/core"
	"rdmatui/session/post"
	"rdmatui/session/queue"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
	"rdmatui/verbs/memory"
)

// wr_ids of the runner's requests, the same as in the stock programs.
const (
	pingRecvID = 1
	pingSendID = 2
)

// PingDepth is the maximum number of RECVs that the runner keeps posted.
const PingDepth = 500

// pinger runs one end of a ping-pong. Its loop allocates nothing and records nothing
// on the time line.
type pinger struct {
	queue.Loop
	s     *core.Session
	lanes []lane     // all use the same completion queues
	srq   *queue.SRQ // shared receive queue of the lanes; nil: one lane with its own receive queue
	mr    verbs.MR

	n, size  int
	header   int // bytes in front of a received message: the GRH of a datagram
	client   bool
	validate bool

	recvs          []verbs.RecvWR // as many as are ever posted in one call
	early          int            // messages that arrived, and were recorded, before the runner began
	before         int            // RECVs of other commands outstanding when the runner began
	posted         int            // RECVs outstanding
	told           int            // RECVs whose completions are on the time line instead of being counted
	started        int            // SENDs posted
	sent, received int            // completed
	payload        *payloadCheck
	slots          *slotCheck

	progress atomic.Uint64 // messages completed, for the watchdog
	complete atomic.Bool   // all messages of the peer have arrived
	why      string        // explains the completion that ended the run, "" if none did
}

// Pingpong carries out the pingpong command.
func Pingpong(c *core.Call) error {
	p := &pinger{
		s: c.S, n: c.Cmd.Int("n"), size: c.Cmd.Int("size"), client: c.Cmd.String("role") == "client",
		validate: c.Cmd.Bool("validate"),
	}
	if err := p.choose(c); err != nil {
		return err
	}
	p.Loop = queue.Loop{Queues: p.queues(), Events: c.Cmd.Bool("event"), Nonblock: c.Cmd.Bool("nonblock"),
		Foreign: errors.New("got a completion event of another queue: give the queue pair its own channel")}
	if err := p.Check(); err != nil {
		return err
	}
	if p.validate {
		need := checkBuffers * uint64(p.size)
		if err := memory.OfProcess().Take(need); err != nil {
			return fmt.Errorf("to check each message: %w", err)
		}
		defer memory.OfProcess().Give(need)
	}
	if err := p.requests(c); err != nil {
		return err
	}
	for i := range p.lanes {
		queue.NotePortDown(c.S, p.lanes[i].q)
	}
	result, err := p.measure(c)
	if err != nil {
		if failed := (*CompletionError)(nil); errors.As(err, &failed) {
			c.Done.Hint = p.why
		}
		return p.inVain(err)
	}
	LastPingpong(c.S).Store(&result)
	c.Done.Result = result.String()
	return nil
}

// inVain returns the error of a run that stalled as that of a wait, so that its cause is looked for.
func (p *pinger) inVain(err error) error {
	if !errors.Is(err, errStalled) {
		return err
	}
	late := &core.TimeUpError{Text: err.Error(), Awaited: core.Awaited{Kind: core.AwaitedMessage}}
	for i := range p.lanes {
		late.Awaited.Objects = append(late.Awaited.Objects, p.lanes[i].q.Name)
	}
	return late
}

// measure claims the queues, runs the loop and computes the result.
func (p *pinger) measure(c *core.Call) (PingpongResult, error) {
	qps := make([]*queue.QP, len(p.lanes))
	for i := range qps {
		qps[i] = p.lanes[i].q
	}
	defer queue.Own(p.s, p.Queues, qps)()
	early := p.takeEarly()
	defer p.settle(c)
	defer p.s.Turn.Report(p.far)()
	stop := p.watch(c.Ctx, c.Cmd.Duration("timeout"))
	begin := time.Now()
	err := p.loop(early)
	elapsed := time.Since(begin)
	events, cause := p.End(), stop()
	if failed := (*CompletionError)(nil); errors.As(err, &failed) && p.peerLeft() {
		err = p.shortOf(errPeerLeft) // what came of the request is a consequence
	}
	if err == nil || errors.Is(err, cause) || errors.Is(err, context.Canceled) {
		if p.received < p.n || p.sent < p.n {
			err = p.shortOf(cause)
		}
	}
	c.Done.Took = elapsed
	if err != nil {
		return PingpongResult{}, err
	}
	r := PingpongResult{Size: p.size, Iters: p.n, Elapsed: elapsed, Seconds: elapsed.Seconds(), Validated: p.validate}
	r.MbitPerSec = float64(r.bytes()) * 8 / 1e6 / r.Seconds
	r.UsecPerIter = r.Seconds * 1e6 / float64(p.n)
	r.CQEvents, r.CQEventGets = events, p.Empty
	return r, nil
}

// far reports progress, for the display of the running command.
func (p *pinger) far() string {
	return fmt.Sprintf("%d of %d round trips", p.progress.Load()/2, p.n)
}

func (p *pinger) shortOf(cause error) error {
	return fmt.Errorf("%d of %d messages were sent and %d received: %w", p.sent, p.n, p.received, cause)
}

// takeEarly returns the completions of the queue pairs that the live pollers took before the loop owned the queues.
func (p *pinger) takeEarly() (early []timeline.Completion) {
	for _, cq := range p.Queues {
		cq.Mu.Lock()
		for _, c := range cq.Inbox.Pop(nil, cq.Inbox.Len()) {
			if p.laneOf(c.WC.QPNum) != nil {
				early = append(early, c)
			}
		}
		cq.Mu.Unlock()
	}
	p.early = len(early)
	p.before = p.account().Len()
	p.posted = p.before + p.early // these are yet to be counted
	return early
}

// settle counts what the loop has taken and records the RECVs that are still posted.
func (p *pinger) settle(c *core.Call) {
	for _, counted := range []struct {
		cq *queue.CQ
		wc verbs.WC
		n  int
	}{
		{p.sendCQ(), verbs.WC{Opcode: verbs.WCSend}, p.sent},
		{p.recvCQ(), verbs.WC{Opcode: verbs.WCRecv, ByteLen: uint32(p.header + p.size)}, p.received - p.early},
	} {
		p.s.Log.CountCompletions(counted.cq.Name, counted.wc, uint64(counted.n))
	}
	p.handBack(c)
}

// handBack updates the list of outstanding RECVs: those of other commands complete
// first, then the remaining ones of the loop.
func (p *pinger) handBack(c *core.Call) {
	account, taken := p.account(), max(0, p.received-p.early)+p.told
	others := max(0, p.before-taken)
	account.Forget(account.Len() - others)
	first, at := max(0, taken-p.before), post.Now(p.s)
	for i := range min(p.posted-others, len(p.recvs)) {
		index := first + i
		if p.slots != nil {
			index = p.slots.index[i]
		}
		account.Push(post.RecvAccount(c, &p.recvs[i], at, index))
	}
}

var (
	errStalled  = errors.New("no message came within the timeout")
	errPeerLeft = errors.New("the peer has disconnected")
)

// linkCheck is the interval at which the connection is checked. After a disconnect
// the peer's last messages may still be in flight; they get as long to arrive. The
// ACK of a SEND that answers its last message may take longer.
const linkCheck = 50 * time.Millisecond

// looksLeft reads pending events that have no other reader, then reports peerLeft.
func (p *pinger) looksLeft(ctx context.Context) bool {
	if p.id() == nil || p.id().PS.IsDatagram() {
		return false
	}
	on, err := p.id().Connected(ctx, p.s)
	return err == nil && !on
}

// peerLeft reports whether the connection that carries the messages has ended.
func (p *pinger) peerLeft() bool {
	return p.id() != nil && !p.id().PS.IsDatagram() && !cm.IsConnected(p.s, p.id())
}

// watch stops the loop when ctx ends, when the connection has ended and no more
// messages arrive, or when no message completes for the given time. The returned
// function ends the watch and returns why the loop was stopped.
func (p *pinger) watch(ctx context.Context, patience time.Duration) (stop func() error) {
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer cancel(nil)
		defer p.s.Opts.Crashed.Catch()
		t := time.NewTicker(max(patience/4, time.Millisecond))
		defer t.Stop()
		link := time.NewTicker(linkCheck)
		defer link.Stop()
		left := uint64(0) // 1 plus the progress when the connection was found ended
		for last, since := p.progress.Load(), time.Now(); ; {
			select {
			case <-ctx.Done():
				return
			case <-link.C:
				n := p.progress.Load() + 1
				switch gone := p.looksLeft(ctx); {
				case !gone || p.complete.Load():
					// what is left are SENDs: the peer's device acknowledges them, or they fail
					left = 0
				case left == n:
					cancel(errPeerLeft)
				default:
					left = n
				}
			case now := <-t.C:
				if n := p.progress.Load(); n != last {
					last, since = n, now
				} else if now.Sub(since) >= patience {
					cancel(errStalled)
				}
			}
		}
	}()
	p.Begin(ctx)
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
	return p.Rounds(func() bool { return p.sent >= p.n && p.received >= p.n }, func() (bool, error) {
		n, err := p.pollAll()
		return n > 0, err
	})
}

func (p *pinger) begin(early []timeline.Completion) error {
	if p.Events {
		if err := p.Arm(); err != nil {
			return err
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
	for i := range p.lanes {
		if !p.client {
			break // the peer sends first
		}
		if err := p.answer(&p.lanes[i]); err != nil {
			return err
		}
	}
	return nil
}

// postRecvs posts the used RECVs again, in one call, once only one per queue pair is
// left.
func (p *pinger) postRecvs() error {
	if p.posted > len(p.lanes) || p.posted == len(p.recvs) {
		return nil
	}
	n, err := p.receiver().PostRecv(p.recvs[:len(p.recvs)-p.posted]...)
	p.posted += n
	return err
}

// answer sends the next message of a lane if it is its turn and there is one left.
func (p *pinger) answer(l *lane) error {
	if !l.mayspeak(p.client) || p.started == p.n {
		return nil
	}
	if p.payload != nil && p.client {
		if err := p.payload.stamp(p.mr, p.received); err != nil {
			return err
		}
	}
	l.sending = true
	p.started++
	_, err := l.q.QP.PostSend(l.send...)
	return err
}

// pollAll polls both queues.
func (p *pinger) pollAll() (int, error) {
	n, err := p.poll(p.recvCQ())
	if err == nil && p.sendCQ() != p.recvCQ() {
		var more int
		more, err = p.poll(p.sendCQ())
		n += more
	}
	return n, err
}

func (p *pinger) poll(cq *queue.CQ) (int, error) {
	wcs, err := p.Poll(cq, queue.LoopBatch)
	n := len(wcs)
	if n == 0 {
		return 0, err
	}
	counted := p.sent + p.received
	for i := range wcs {
		if p.isSpare(&wcs[i]) {
			p.tell(cq, wcs[i:i+1])
			continue
		}
		before := p.sent + p.received
		if refused := p.take(&wcs[i]); refused != nil {
			p.tell(cq, wcs[i+p.sent+p.received-before:])
			err = refused
			break
		}
	}
	done := uint64(p.sent + p.received - counted)
	cq.Completed.Add(done)
	p.progress.Add(done)
	p.Spend()
	return n, err
}

// isSend reports whether a completion is that of the loop's SEND. The opcode of a
// failed completion is undefined.
func (p *pinger) isSend(wc *verbs.WC) bool {
	if !wc.Failed() {
		return !wc.Opcode.IsRecv()
	}
	l := p.laneOf(wc.QPNum)
	return l != nil && l.sending && wc.WRID == pingSendID
}

// isSpare reports whether a completion is that of a RECV which failed when all
// messages had arrived: over iWARP, a peer that disconnects flushes the RECVs at once.
func (p *pinger) isSpare(wc *verbs.WC) bool {
	return p.received == p.n && wc.Failed() && p.laneOf(wc.QPNum) != nil && !p.isSend(wc)
}

// take counts a completion, and answers once the lane's own message is sent and the
// peer's has arrived.
func (p *pinger) take(wc *verbs.WC) error {
	l := p.laneOf(wc.QPNum)
	switch {
	case l == nil:
		return fmt.Errorf("got a completion of another queue pair, %s: give %s its own completion queue", wc.QPNum,
			p.lanes[0].q.Name)
	case wc.Failed():
		queue.ReadState(p.s, l.q, "completion "+wc.Status.String())
		return &CompletionError{WC: *wc}
	case wc.Opcode.IsRecv():
		if err := p.takeMessage(wc); err != nil {
			return err
		}
		p.received++
		l.received++
		p.complete.Store(p.received == p.n)
	default:
		p.sent++
		l.sent++
		l.sending = false
	}
	return p.answer(l)
}

// takeMessage checks a received message and replenishes the RECVs.
func (p *pinger) takeMessage(wc *verbs.WC) error {
	if got := int(wc.ByteLen) - p.header; got != p.size {
		return fmt.Errorf("message %d has %s instead of %s: both ends must use the same size", p.received,
			format.Counted(got, "byte"), format.Count(uint64(p.size)))
	}
	if p.payload != nil {
		if err := p.payload.Check(p.mr, p.received); err != nil {
			return err
		}
	}
	p.posted--
	if p.slots != nil {
		return p.nextInSlot(wc.WRID)
	}
	return p.postRecvs()
}
