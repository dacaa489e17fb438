package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"rdmatui/session/ccall"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// CreateChannel carries out create_comp_channel.
func CreateChannel(c *core.Call) error {
	d, err := device.Arg(c)
	if err != nil {
		return err
	}
	name, err := c.NewName(command.KindChannel)
	if err != nil {
		return err
	}
	body := &channel{dev: d}
	if err := c.Time(func() (err error) { body.Ch, err = d.Dev.CreateCompChannel(); return err }); err != nil {
		return err
	}
	body.Node = &core.Node{Name: name, Kind: command.KindChannel, Uses: []*core.Node{d.Node}, Body: body}
	c.Enter(body.Node)
	c.Done.Result = name
	return nil
}

// CreateCQ carries out create_cq.
func CreateCQ(c *core.Call) error {
	q := &CQ{
		Wake: make(chan struct{}, 1), taking: taking{mode: core.Resting},
		look: func(list []verbs.SGE, wc *verbs.WC) *timeline.Arrived { return Arrived(c.S, list, wc) },
		room: func(qp *QP, list []verbs.SGE) uint64 { return RoomOf(c.S, qp, list) },
	}
	var uses []*core.Node
	var err error
	if c.Cmd.Has("channel") {
		if q.Channel, err = core.ArgAs[*channel](c, "channel", nil); err != nil {
			return err
		}
		q.dev = q.Channel.dev
		uses = append(uses, q.Channel.Node)
		if !c.Cmd.Has("device") {
			c.Choose("device", q.dev.Name)
		}
	}
	if q.dev, err = device.Arg(c); err != nil {
		return err
	}
	name, err := c.NewName(command.KindCQ)
	if err != nil {
		return err
	}
	spec := verbs.CQSpec{
		CQE: c.Cmd.Int("cqe"), CompVector: c.Cmd.Int("comp_vector"), WCFlags: c.Cmd.CQWCFlags("wc_flags"),
	}
	if q.Channel != nil {
		spec.Channel = q.Channel.Ch
	}
	c.Done.C = ccall.CQ(c.Cmd)
	q.extended = spec.WCFlags != 0
	if limit := int(q.dev.Attr.MaxCQE); spec.CQE > limit {
		c.Warn("cqe is more than max_cqe %d", limit)
	}
	if err := c.Time(func() (err error) { q.CQ, err = q.dev.Dev.CreateCQ(spec); return err }); err != nil {
		return err
	}
	q.Node = &core.Node{Name: name, Kind: command.KindCQ, Uses: append(uses, q.dev.Node), Body: q}
	c.Enter(q.Node)
	c.Done.Result = fmt.Sprintf("%s with %s", name, format.Counted(q.CQ.CQE(), "entry"))
	if c.S.Live.Load() {
		startPolling(c.S, q)
	}
	return nil
}

// PollCQ carries out poll_cq.
func PollCQ(c *core.Call) error {
	q, err := core.ArgAs[*CQ](c, "cq", nil)
	if err != nil {
		return err
	}
	n, timeout := c.Cmd.Int("n"), c.Cmd.Duration("timeout")
	c.Done.C = q.pollCall(n)
	Seen(c.S).forgetMet()
	whom, err := c.WhileArg() // the wait ends with this connection; nil: with none
	if err != nil {
		return err
	}
	var got []timeline.Completion
	wait, full := core.NewBackoff(timeout), time.Time{} // when the last completion came
	for {
		err := c.TimeHere(func() (err error) { got, err = take(c.S, q, got, n-len(got)); return err })
		if err != nil {
			return err
		}
		if len(got) >= n && full.IsZero() {
			full = time.Now()
		}
		if timeout == 0 || len(got) >= n && (whom == nil || !mayPrecedeEnd(got) || time.Since(full) >= endPatience) {
			break
		}
		if whom != nil {
			on, err := whom.Lasts(c.Ctx)
			if err != nil {
				return err
			}
			if !on { // completions from before the end count
				if got, err = take(c.S, q, got, n-len(got)); err != nil {
					return err
				}
				if len(got) < n {
					Seen(c.S).cut(whom.Name)
					c.Done.Result = describeCompletions(got) + "; the connection of " + whom.Name + " has ended"
				}
				break
			}
		}
		if err := wait.Pause(c.Ctx); err != nil {
			if len(got) >= n {
				break
			}
			c.Done.Result = describeCompletions(got)
			return core.TimeUp(c.Ctx, err, core.Awaited{Kind: core.AwaitedWC, Objects: []string{q.Name}},
				"%d of %d completions came within %s", len(got), n, format.Span(timeout))
		}
	}
	if len(got) > 0 {
		c.S.Mu.Lock()
		q.taken = got[len(got)-1].WC
		q.polls += uint64(len(got))
		c.S.Mu.Unlock()
	}
	if c.Done.Result == "" {
		c.Done.Result = describeCompletions(got)
	}
	c.Done.Hint = hintForFirstFailed(c.S, got)
	return nil
}

// endPatience is how long poll_cq waits after a flushed completion for the event that ends the connection of while=.
// The device may flush the requests of a queue pair before the connection manager reports that the peer has left.
const endPatience = time.Second

// mayPrecedeEnd reports whether the last completion is a request that the end of a connection has flushed.
func mayPrecedeEnd(got []timeline.Completion) bool {
	return len(got) > 0 && got[len(got)-1].WC.Status == verbs.WCWRFlushErr
}

// Polled returns how many completions poll_cq has returned.
func (q *CQ) Polled(s *core.Session) uint64 {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	return q.polls
}

// hintForFirstFailed explains the most informative failed completion: those after it
// are mostly flushes.
func hintForFirstFailed(s *core.Session, cs []timeline.Completion) string {
	for i := range cs {
		if cs[i].WC.Failed() {
			return HintOf(s, &cs[i])
		}
	}
	return ""
}

// take appends up to limit completions: first those taken live, then those of the
// provider.
func take(s *core.Session, q *CQ, to []timeline.Completion, limit int) ([]timeline.Completion, error) {
	q.Mu.Lock()
	defer q.Mu.Unlock()
	before := len(to)
	to = q.Inbox.Pop(to, limit)
	for len(to)-before < limit {
		out, err := Harvest(s, q, limit-(len(to)-before))
		q.taking.polledByHand(len(out))
		to = append(to, out...)
		if err != nil || len(out) == 0 {
			return to, err
		}
	}
	return to, nil
}

// ReqNotifyCQ carries out req_notify_cq.
func ReqNotifyCQ(c *core.Call) error {
	q, err := core.ArgAs[*CQ](c, "cq", nil)
	if err != nil {
		return err
	}
	solicited := c.Cmd.Bool("solicited_only")
	if q.Channel == nil {
		c.Warn("%s has no completion channel: no event can come", q.Name)
	}
	if err := c.Time(func() error { return q.CQ.ReqNotify(solicited) }); err != nil {
		return err
	}
	q.arm(solicited)
	c.Done.Result = "armed"
	return nil
}

// GetCQEvent carries out get_cq_event.
func GetCQEvent(c *core.Call) error {
	ch, err := core.ArgAs[*channel](c, "channel", nil)
	if err != nil {
		return err
	}
	if readers := liveReaders(c.S, ch); len(readers) > 0 {
		return fmt.Errorf("the live session takes every event of %s, for %s: use cq_mode %s mode=poll, or live off",
			ch.Name, readers[0].Name, readers[0].Name)
	}
	timeout := c.Cmd.Duration("timeout")
	ctx, cancel := context.WithTimeout(c.Ctx, timeout)
	defer cancel()
	var cq verbs.CQ
	if err := c.TimeHere(func() (err error) { cq, err = ch.Ch.GetCQEvent(ctx); return err }); err != nil {
		return core.TimeUp(c.Ctx, err, core.Awaited{Kind: core.AwaitedCQEvent, Objects: []string{ch.Name}},
			"no completion event came within %s", format.Span(timeout))
	}
	q := queueOf(c.S, cq)
	if q == nil {
		return errors.New("the event is of a queue outside this session")
	}
	q.unacked++
	q.armed.Store(uint32(core.NotArmed))
	q.taking.eventByHand()
	c.Done.Result, c.Done.EventOf = "event of "+q.Name, q.Name
	return nil
}

// AckCQEvents carries out ack_cq_events.
func AckCQEvents(c *core.Call) error {
	q, err := core.ArgAs[*CQ](c, "cq", nil)
	if err != nil {
		return err
	}
	n := c.Cmd.Int("n")
	c.Done.C = ccall.Line(c.Cmd, nil)
	if n > q.unacked {
		// The library's counter would become negative and ibv_destroy_cq would block
		// forever.
		return fmt.Errorf("%s has %s, not %d", q.Name, format.Counted(q.unacked, "unacknowledged event"), n)
	}
	c.Time(func() error { q.CQ.AckEvents(n); return nil })
	q.unacked -= n
	q.taking.ackedByHand(n)
	c.Done.Result = fmt.Sprintf("%d acknowledged", n)
	return nil
}

// pollCall returns the C call that polls n completions.
func (q *CQ) pollCall(n int) ccall.Node {
	if q.extended {
		return ccall.Format("up to %d times ibv_start_poll(%s, &attr), ibv_wc_read_…, ibv_end_poll(%s)",
			n, q.Name, q.Name)
	}
	return ccall.Format("ibv_poll_cq(%s, %d, wc)", q.Name, n)
}

// CQMode carries out cq_mode, which sets how a live session takes a queue's
// completions.
func CQMode(c *core.Call) error {
	q, err := core.ArgAs[*CQ](c, "cq", nil)
	if err != nil {
		return err
	}
	mode := core.Resting
	for _, m := range core.CQModes {
		if m.String() == c.Cmd.String("mode") {
			mode = m
		}
	}
	if mode.WithEvents() && q.Channel == nil {
		return errNeedsChannel
	}
	solicited := c.Cmd.Bool("solicited_only")
	if solicited && !mode.WithEvents() {
		return errors.New(
			"solicited_only needs mode=blocking or nonblocking, because it selects the completions that raise an event")
	}
	every := c.Cmd.Int("ack_every")
	if every < 1 {
		return errors.New("ack_every must be at least 1: it is the number of events that one call acknowledges")
	}
	q.stopPolling()
	t := &q.taking
	was, wasSolicited, _ := t.way()
	t.mu.Lock()
	t.mode, t.solicited, t.ackEvery = mode, solicited, every
	t.mu.Unlock()
	c.Done.Result = fmt.Sprintf("%s: %s", q.Name, wayInWords(mode, solicited))
	if solicited && was.WithEvents() && !wasSolicited {
		c.Done.Result += "; one event of any completion is still armed"
	}
	if c.S.Live.Load() {
		startPolling(c.S, q)
	} else {
		c.Done.Result += "; takes effect with live on"
	}
	return nil
}

var modeWords = [core.NumCQModes]string{
	core.Resting: "polling, with pauses while idle", core.Busy: "busy polling: uses one full core",
	core.Blocking:    "blocking: sleeps until a completion event",
	core.Nonblocking: "nonblocking: asks the channel for events repeatedly",
}

func wayInWords(mode core.CQMode, solicited bool) string {
	if solicited {
		return modeWords[mode] + ", only for solicited or failed completions"
	}
	return modeWords[mode]
}

// errNeedsChannel refuses event modes for a queue without a completion channel.
var errNeedsChannel = errors.New(
	"the queue has no completion channel, so no event can come: create another with create_cq channel=…")
