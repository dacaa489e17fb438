package post

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"rdmatui/session/ccall"
	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// stream posts one request many times, with consecutive wr_ids, optionally keeping a
// given number outstanding.
type stream struct {
	s           *core.Session
	q           *queue.QP
	wr          verbs.SendWR // the first
	count       uint64       // 0: until stopped
	outstanding uint64       // 0: do not wait for completions
	every       uint64       // one in this many is SIGNALED; 0: according to the flags

	by               []*queue.Posted // the line
	posted, signaled uint64
	told             atomic.Uint64 // posted so far, for the progress display
	batch            []verbs.SendWR
}

// isStream reports whether a post_send posts more than one request.
func isStream(c *core.Call) bool {
	return c.Cmd.Has("count") || c.Cmd.Has("outstanding") || c.Cmd.Has("signal_every")
}

func runStream(c *core.Call, q *queue.QP, wr verbs.SendWR) error {
	st := &stream{
		s: c.S, q: q, wr: wr, count: c.Cmd.Uint("count"),
		outstanding: c.Cmd.Uint("outstanding"), every: c.Cmd.Uint("signal_every"),
	}
	if !c.Cmd.Has("count") {
		st.count = 1
	}
	if err := st.Check(c); err != nil {
		return err
	}
	c.Done.C = ccall.Format("a loop of %s", c.Done.C)
	st.by = []*queue.Posted{postedBy(c, &st.wr)}
	var err error
	if st.outstanding == 0 {
		err = st.postAll(c)
	} else {
		err = st.keep(c)
	}
	if last := wr.WRID + st.posted - 1; st.posted > 0 && last <= math.MaxUint32 {
		c.S.WRID = max(c.S.WRID, last)
	}
	return err
}

// Check refuses what the loop could never complete, and warns of limits that it exceeds.
func (t *stream) Check(c *core.Call) error {
	every := c.Cmd.Has("signal_every")
	switch signals := t.wr.SendFlags&verbs.SendSignaled != 0 || t.q.Spec.SQSigAll; {
	case every && t.every == 0:
		return fmt.Errorf("signal_every is at least 1")
	case c.Cmd.Has("outstanding") && t.outstanding == 0:
		return fmt.Errorf("outstanding is at least 1")
	case t.outstanding == 0 && t.count == 0:
		return fmt.Errorf("count=0 runs until stopped and needs outstanding=")
	case t.outstanding > 0 && !every && !signals:
		return errUnsignalled
	case t.outstanding > 0 && t.every > t.outstanding:
		return fmt.Errorf("signal_every=%d is more than outstanding=%d: no outstanding request would be SIGNALED",
			t.every, t.outstanding)
	case t.outstanding == 0 && t.count > maxStreamAtOnce:
		return fmt.Errorf("%d requests are too many at once: at most %d, or give outstanding=",
			t.count, maxStreamAtOnce)
	}
	if limit := uint64(t.q.Limits.MaxSendWR); t.outstanding > limit {
		c.Warn("outstanding=%d is more than max_send_wr %d", t.outstanding, limit)
	}
	return nil
}

// maxStreamAtOnce bounds the requests posted without waiting; no queue is that deep.
const maxStreamAtOnce = 1 << 20

// next returns the next up to n requests.
func (t *stream) next(n uint64) []verbs.SendWR {
	n = min(n, maxPostBatch)
	if t.count > 0 {
		n = min(n, t.count-t.posted)
	}
	t.batch = t.batch[:0]
	for i := range n {
		wr, at := t.wr, t.posted+i
		wr.WRID += at
		if t.every > 0 {
			wr.SendFlags &^= verbs.SendSignaled
			if (at+1)%t.every == 0 || at+1 == t.count {
				wr.SendFlags |= verbs.SendSignaled
			}
		}
		t.batch = append(t.batch, wr)
	}
	return t.batch
}

// post posts the next requests, up to n in one call.
func (t *stream) post(c *core.Call, n uint64) error {
	wrs := t.next(n)
	posted, _, err := postSends(c, t.q, wrs, t.posted, t.by, nil)
	t.s.Changed() // the line may run for long
	for i := range posted {
		if wrs[i].SendFlags&verbs.SendSignaled != 0 || t.q.Spec.SQSigAll {
			t.signaled++
		}
	}
	t.posted += uint64(posted)
	t.told.Store(t.posted)
	return err
}

// progress reports progress, for the display of the running command.
func (t *stream) progress() string {
	posted, under := t.told.Load(), uint64(t.q.Sends.Len())
	return fmt.Sprintf("%d%s posted, %d done", posted, t.of(), posted-min(posted, under))
}

func (t *stream) left() bool { return t.count == 0 || t.posted < t.count }

func (t *stream) of() string {
	if t.count == 0 {
		return ""
	}
	return fmt.Sprintf(" of %d", t.count)
}

// postAll posts all requests without waiting for completions.
func (t *stream) postAll(c *core.Call) error {
	for t.left() {
		err := c.Ctx.Err()
		if err == nil {
			err = t.post(c, t.count)
		}
		if err != nil {
			return fmt.Errorf("after %d%s: %w", t.posted, t.of(), err)
		}
	}
	c.Done.Result = fmt.Sprintf("%d posted, %d of them SIGNALED, %d outstanding", t.posted, t.signaled, t.q.Sends.Len())
	return nil
}

// keep keeps requests outstanding until all have completed, one fails, or it is
// stopped.
func (t *stream) keep(c *core.Call) error {
	defer t.s.Turn.Report(t.progress)()
	defer queue.Own(t.s, []*queue.CQ{t.q.SendCQ}, nil)()
	t.q.RecordSteps(false)
	defer t.q.RecordSteps(true)
	begin := time.Now()
	wait := core.NewBackoff(farAway)
	for t.left() || t.q.Sends.Len() > 0 {
		if room := int(t.outstanding) - t.q.Sends.Len(); room > 0 && t.left() {
			if err := t.post(c, uint64(room)); err != nil {
				return fmt.Errorf("after %d%s: %w", t.posted, t.of(), err)
			}
		}
		n, err := t.q.SendCQ.TakeClaimed(t.s)
		switch {
		case err != nil:
		case n == 0:
			err = wait.Pause(c.Ctx)
		default:
			wait = core.NewBackoff(farAway)
			err = c.Ctx.Err() // there is no pause while completions keep arriving
		}
		if err != nil {
			c.Done.Result = t.summary(time.Since(begin))
			return fmt.Errorf("%d%s posted, %d not done: %w", t.posted, t.of(), t.q.Sends.Len(), err)
		}
		if st := t.q.StateNow(); st == verbs.QPErr || st == verbs.QPSQE {
			if err := t.failed(c, st); err != nil {
				return err
			}
		}
	}
	c.Done.Result = t.summary(time.Since(begin))
	return nil
}

// farAway is a timeout that never expires.
const farAway = 1 << 60 * time.Nanosecond

// flushTime bounds the wait for flushes after a failure.
const flushTime = time.Second

// failed returns the error for the first failed completion, nil if all requests had
// completed before the queue pair failed: over iWARP it does when the peer disconnects.
func (t *stream) failed(c *core.Call, st verbs.QPState) error {
	for wait := core.NewBackoff(flushTime); t.q.Sends.Len() > 0; {
		if n, err := t.q.SendCQ.TakeClaimed(t.s); err != nil || c.Ctx.Err() != nil || n == 0 &&
			wait.Pause(c.Ctx) != nil {
			break
		}
	}
	first := queue.Seen(t.s).FirstFailed(t.q.Name, t.wr.WRID, t.posted)
	switch {
	case first == nil && !t.left() && t.q.Sends.Len() == 0:
		return nil
	case first == nil:
		return fmt.Errorf("%s went to %s after %d%s were posted", t.q.Name, st, t.posted, t.of())
	}
	c.Done.Hint = queue.LastHint(t.s, first)
	return fmt.Errorf("wr_id %d ended with %s: %d were done, %d%s posted", first.WC.WRID, first.WC.Status,
		first.WC.WRID-t.wr.WRID, t.posted, t.of())
}

func (t *stream) summary(d time.Duration) string {
	done := t.posted - min(t.posted, uint64(t.q.Sends.Len()))
	text := fmt.Sprintf("%d posted, %d of them SIGNALED, %d done in %s", t.posted, t.signaled, done, format.Span(d))
	if sec := d.Seconds(); sec > 0 {
		text += fmt.Sprintf(", %.0f/s", float64(done)/sec)
	}
	return text
}
