package session

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"rdmatui/session/command"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// channel is a completion channel.
type channel struct {
	*node
	ch  verbs.CompChannel
	dev *device
}

func (ch *channel) close() error          { return ch.ch.Close() }
func (ch *channel) fields() []objectField { return nil }

// compQueue is a completion queue.
type compQueue struct {
	*node
	cq       verbs.CQ
	dev      *device
	channel  *channel // nil: it can only be polled
	extended bool     // it is polled by ibv_start_poll
	unacked  int      // events that were taken and not acknowledged; with the slot held

	taken verbs.WC // the last that poll_cq gave; guarded by Session.mu

	harvester
	look   func([]verbs.SGE, *verbs.WC) *timeline.Arrived // at what a completion brought
	room   func(*queuePair, []verbs.SGE) uint64           // that a RECV had, see roomOf
	taking taking
	wake   chan struct{} // a request was posted that will complete here
	pollMu sync.Mutex    // guards stop
	stop   context.CancelFunc
	poller sync.WaitGroup
}

func (q *compQueue) close() error {
	q.stopPolling()
	return q.cq.Close()
}

func (q *compQueue) fields() []objectField {
	fs := []objectField{{"cqe", func() (string, error) { return fmt.Sprint(q.cq.CQE()), nil }}}
	for i := range verbs.WCFields {
		f := &verbs.WCFields[i]
		fs = append(fs, objectField{f.Name, func() (string, error) {
			if !f.Defined(&q.taken) {
				return "", fmt.Errorf("the completion that was taken last from %s has no %s", q.name, f.Name)
			}
			return f.Format(&q.taken), nil
		}})
	}
	return fs
}

func createChannel(c *call) error {
	d, err := deviceArg(c)
	if err != nil {
		return err
	}
	name, err := c.newName(command.KindChannel)
	if err != nil {
		return err
	}
	c.done.Call = fmt.Sprintf("ibv_create_comp_channel(%s)", d.name)
	body := &channel{dev: d}
	if err := c.time(func() (err error) { body.ch, err = d.dev.CreateCompChannel(); return err }); err != nil {
		return err
	}
	body.node = &node{name: name, kind: command.KindChannel, uses: []*node{d.node}, res: body}
	c.enter(body.node)
	c.done.Result = name
	return nil
}

func createCQ(c *call) error {
	q := &compQueue{
		wake: make(chan struct{}, 1), taking: taking{mode: Resting},
		look: func(list []verbs.SGE, wc *verbs.WC) *timeline.Arrived { return arrived(c.s, list, wc) },
		room: func(qp *queuePair, list []verbs.SGE) uint64 { return roomOf(c.s, qp, list) },
	}
	var uses []*node
	var err error
	if c.cmd.Has("channel") {
		if q.channel, err = argAs[*channel](c, "channel", nil); err != nil {
			return err
		}
		q.dev = q.channel.dev
		uses = append(uses, q.channel.node)
		if !c.cmd.Has("device") {
			c.choose("device", q.dev.name)
		}
	}
	if q.dev, err = deviceArg(c); err != nil {
		return err
	}
	name, err := c.newName(command.KindCQ)
	if err != nil {
		return err
	}
	spec := verbs.CQSpec{CQE: c.cmd.Int("cqe"), CompVector: c.cmd.Int("comp_vector"), WCFlags: c.cmd.CQWCFlags("wc_flags")}
	ch := "NULL"
	if q.channel != nil {
		spec.Channel, ch = q.channel.ch, q.channel.name
	}
	c.done.Call = createCQCall(q.dev.name, ch, &spec)
	q.extended = spec.WCFlags != 0
	if limit := int(q.dev.attr.MaxCQE); spec.CQE > limit {
		c.warn("cqe is more than max_cqe %d", limit)
	}
	if err := c.time(func() (err error) { q.cq, err = q.dev.dev.CreateCQ(spec); return err }); err != nil {
		return err
	}
	q.node = &node{name: name, kind: command.KindCQ, uses: append(uses, q.dev.node), res: q}
	c.enter(q.node)
	c.done.Result = fmt.Sprintf("%s with %d entries", name, q.cq.CQE())
	if c.s.live.Load() {
		startPolling(c.s, q)
	}
	return nil
}

func pollCQ(c *call) error {
	q, err := argAs[*compQueue](c, "cq", nil)
	if err != nil {
		return err
	}
	n, timeout := c.cmd.Int("n"), c.cmd.Duration("timeout")
	c.done.Call = q.pollCall(n)
	seenBy(c.s).forgetMet()
	var whom *cmID // the wait ends with its connection; nil: it does not
	if c.cmd.Has("while") {
		if whom, err = argAs[*cmID](c, "while", nil); err != nil {
			return err
		}
	}
	var got []timeline.Completion
	wait := newBackoff(timeout)
	for {
		err := c.timeHere(func() (err error) { got, err = take(c.s, q, got, n-len(got)); return err })
		if err != nil {
			return err
		}
		if len(got) >= n || timeout == 0 {
			break
		}
		if whom != nil {
			on, err := whileConnected(c.s, c.ctx, whom)
			if err != nil {
				return err
			}
			if !on { // what came before its end counts
				if got, err = take(c.s, q, got, n-len(got)); err != nil {
					return err
				}
				if len(got) < n {
					seenBy(c.s).cut(whom.name)
					c.done.Result = describeCompletions(got) + "; the connection of " + whom.name + " has ended"
				}
				break
			}
		}
		if err := wait.pause(c.ctx); err != nil {
			c.done.Result = describeCompletions(got)
			return fewer(err, len(got), n, timeout)
		}
	}
	if len(got) > 0 {
		c.s.mu.Lock()
		q.taken = got[len(got)-1].WC
		c.s.mu.Unlock()
	}
	if c.done.Result == "" {
		c.done.Result = describeCompletions(got)
	}
	c.done.Hint = hintForFirstFailed(c.s, got)
	return nil
}

// hintForFirstFailed explains the completion that tells most: those after it are
// mostly flushed.
func hintForFirstFailed(s *base, cs []timeline.Completion) string {
	for i := range cs {
		if cs[i].WC.Failed() {
			return hintOf(s, &cs[i])
		}
	}
	return ""
}

func fewer(err error, got, n int, timeout time.Duration) error {
	if errors.Is(err, errTimeUp) {
		return fmt.Errorf("%d of %d completions came within %s", got, n, timeline.FormatSpan(timeout))
	}
	return err
}

// take appends up to limit completions: those that were taken live, then what
// the provider has.
func take(s *base, q *compQueue, to []timeline.Completion, limit int) ([]timeline.Completion, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	before := len(to)
	to = q.inbox.pop(to, limit)
	for len(to)-before < limit {
		out, err := harvest(s, q, limit-(len(to)-before))
		q.taking.polledByHand(len(out))
		if err != nil || len(out) == 0 {
			return to, err
		}
		to = append(to, out...)
	}
	return to, nil
}

// errTimeUp ends a pause whose time is up.
var errTimeUp = errors.New("the time is up")

// backoff waits longer from time to time, so that what comes at once is seen at
// once and what does not come costs little.
type backoff struct {
	deadline time.Time
	spins    int
	next     time.Duration
}

const (
	backoffSpins = 64
	backoffFirst = 20 * time.Microsecond
	backoffLast  = 2 * time.Millisecond
)

func newBackoff(timeout time.Duration) *backoff {
	return &backoff{deadline: time.Now().Add(timeout), next: backoffFirst}
}

func (b *backoff) pause(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	left := time.Until(b.deadline)
	if left <= 0 {
		return errTimeUp
	}
	if b.spins < backoffSpins {
		b.spins++
		runtime.Gosched()
		return nil
	}
	t := time.NewTimer(min(b.next, left))
	defer t.Stop()
	b.next = min(2*b.next, backoffLast)
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func reqNotifyCQ(c *call) error {
	q, err := argAs[*compQueue](c, "cq", nil)
	if err != nil {
		return err
	}
	solicited := c.cmd.Bool("solicited_only")
	c.done.Call = fmt.Sprintf("ibv_req_notify_cq(%s, %s)", q.name, cBool(solicited))
	if q.channel == nil {
		c.warn("%s has no completion channel: no event can come", q.name)
	}
	if err := c.time(func() error { return q.cq.ReqNotify(solicited) }); err != nil {
		return err
	}
	c.done.Result = "armed"
	return nil
}

func getCQEvent(c *call) error {
	ch, err := argAs[*channel](c, "channel", nil)
	if err != nil {
		return err
	}
	if readers := liveReaders(c.s, ch); len(readers) > 0 {
		return fmt.Errorf("%s is read live for %s, which takes every event: say cq_mode %s mode=poll, or live off", ch.name, readers[0].name, readers[0].name)
	}
	timeout := c.cmd.Duration("timeout")
	c.done.Call = fmt.Sprintf("ibv_get_cq_event(%s, &cq, &cq_context)", ch.name)
	ctx, cancel := context.WithTimeout(c.ctx, timeout)
	defer cancel()
	var cq verbs.CQ
	if err := c.timeHere(func() (err error) { cq, err = ch.ch.GetCQEvent(ctx); return err }); err != nil {
		return timeUp(c.ctx, err, "no completion event came within %s", timeline.FormatSpan(timeout))
	}
	q := queueOf(c.s, cq)
	if q == nil {
		return errors.New("the event is of a queue that this session does not have")
	}
	q.unacked++
	q.taking.eventByHand()
	c.done.Result = "event of " + q.name
	return nil
}

// timeUp words the end of a wait whose own time is up; outer is the context
// without that limit.
func timeUp(outer context.Context, err error, format string, args ...any) error {
	if outer.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf(format, args...)
	}
	return err
}

func queueOf(s *base, cq verbs.CQ) *compQueue {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, n := range s.graph.nodes {
		if q, ok := n.res.(*compQueue); ok && q.cq == cq {
			return q
		}
	}
	return nil
}

func ackCQEvents(c *call) error {
	q, err := argAs[*compQueue](c, "cq", nil)
	if err != nil {
		return err
	}
	n := c.cmd.Int("n")
	c.done.Call = fmt.Sprintf("ibv_ack_cq_events(%s, %d)", q.name, n)
	if n > q.unacked {
		// The library would count below zero and ibv_destroy_cq would wait for ever.
		return fmt.Errorf("%s has %d events that are not acknowledged, not %d", q.name, q.unacked, n)
	}
	c.time(func() error { q.cq.AckEvents(n); return nil })
	q.unacked -= n
	q.taking.ackedByHand(n)
	c.done.Result = fmt.Sprintf("%d acknowledged", n)
	return nil
}

func (ch *channel) view(v *Snapshot) {
	v.Channels = append(v.Channels, ChannelView{ch.name, ch.dev.name})
}

func (q *compQueue) view(v *Snapshot) {
	c := CQView{Name: q.name, Device: q.dev.name, CQE: q.cq.CQE(), Completed: q.completed.Load(), Failed: q.failed.Load()}
	if q.channel != nil {
		c.Channel = q.channel.name
	}
	c.Mode, c.SolicitedOnly, _ = q.taking.way()
	c.Stats, c.Overruns = q.taking.now(), q.taking.overrunsNow()
	v.CQs = append(v.CQs, c)
}
