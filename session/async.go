package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
	"rdmatui/verbs/ring"
)

// asyncInboxCap bounds what is kept for commands that wait for events.
const asyncInboxCap = 256

// asyncInbox is the asynchronous events of a device that were read and not yet
// asked for.
type asyncInbox struct {
	ring.Inbox[timeline.AsyncEvent]
}

func (b *asyncInbox) put(e timeline.AsyncEvent) {
	b.Put(e, func(events *ring.Ring[timeline.AsyncEvent]) bool {
		events.Drop(events.Len() - asyncInboxCap + 1)
		return true
	})
}

// startAsync reads a device's asynchronous events until it is closed, which ends the
// context.
func startAsync(s *core.Session, d *device) context.Context {
	ctx, cancel := context.WithCancel(context.Background()) // it outlives s.ctx: closing tells of events, too
	d.stop = cancel
	d.reader.Go(func() {
		defer s.Opts.Crashed.Catch()
		for {
			e, err := d.dev.GetAsyncEvent(ctx)
			if err != nil {
				asyncEnded(s, ctx, d, err)
				return
			}
			asyncCame(s, d, e)
		}
	})
	return ctx
}

func asyncEnded(s *core.Session, ctx context.Context, d *device, err error) {
	if ctx.Err() == nil && !(d.managed && errors.Is(err, verbs.ErrClosed)) {
		s.Note(timeline.LevelWarn, "no more asynchronous events are read from %s: %v", d.Name, err)
	}
}

// asyncCame tells of an event and looks at what it concerns.
func asyncCame(s *core.Session, d *device, e verbs.AsyncEvent) {
	ev := timeline.AsyncEvent{Type: e.Type, Device: d.Name, PortNum: e.PortNum}
	var qp *QP
	switch e.Type.Element() {
	case verbs.ElementQP:
		if e.QP != nil {
			if qp = d.qps.find(e.QP.Num()); qp != nil {
				ev.QP = qp.Name
			}
		}
	case verbs.ElementCQ:
		if e.CQ != nil {
			if q := queueOf(s, e.CQ); q != nil {
				ev.CQ = q.Name
				q.overran()
			}
		}
	case verbs.ElementSRQ:
		if q := sharedQueueOf(s, e.SRQ); q != nil {
			ev.SRQ = q.Name
			limitReached(s, q, e.Type)
		}
	}
	s.Emit(timeline.Event{Kind: timeline.KindAsync, Async: &ev})
	d.async.put(ev)
	if qp != nil {
		readState(s, qp, "event "+e.Type.String())
	}
	if e.Type.Element() == verbs.ElementPort {
		readPorts(s, d)
	}
}

// readPorts reads again what a port's event may have changed.
func readPorts(s *core.Session, d *device) {
	s.Mu.RLock()
	ports, why := slices.Clone(d.ports), slices.Clone(d.why)
	s.Mu.RUnlock()
	for i := range ports {
		p, err := d.dev.QueryPort(uint8(i + 1))
		if err != nil && why[i] == nil {
			return // the device is going; its own event tells
		}
		if err == nil {
			p.PortNum = uint8(i + 1)
			ports[i] = p
		}
		why[i] = err
	}
	rows, err := d.dev.QueryGIDTable()
	if err != nil {
		return
	}
	gids := newGIDTable(s, rows)
	s.Mu.Lock()
	was := d.usualPort()
	d.ports, d.why, d.gids = ports, why, gids
	now := d.usualPort()
	s.Mu.Unlock()
	if now.PortNum != was.PortNum {
		s.Note(timeline.LevelInfo, "the default port of %s is now %d: %s", d.Name, now.PortNum, now.Why)
	}
	s.Changed()
}

// awaitAsync takes the first event that fits from a device, waiting for it.
func awaitAsync(ctx context.Context, d *device, timeout time.Duration, fits func(timeline.AsyncEvent) bool) (timeline.AsyncEvent, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return d.async.Wait(ctx, func(events *ring.Ring[timeline.AsyncEvent]) int { return events.Index(fits) })
}

func getAsyncEvent(c *core.Call) error {
	d, err := deviceArg(c)
	if err != nil {
		return err
	}
	timeout := c.Cmd.Duration("timeout")
	c.Done.Call = fmt.Sprintf("ibv_get_async_event(%s, &event)", d.Name)
	var e timeline.AsyncEvent
	err = c.TimeHere(func() (err error) {
		e, err = awaitAsync(c.Ctx, d, timeout, func(timeline.AsyncEvent) bool { return true })
		return err
	})
	if err != nil {
		return timeUp(c.Ctx, err, "no asynchronous event came within %s", format.Span(timeout))
	}
	c.Done.Result = describeAsync(&e)
	return nil
}

func describeAsync(e *timeline.AsyncEvent) string {
	switch {
	case e.QP != "":
		return fmt.Sprintf("%s qp %s", e.Type, e.QP)
	case e.CQ != "":
		return fmt.Sprintf("%s cq %s", e.Type, e.CQ)
	case e.SRQ != "":
		return fmt.Sprintf("%s srq %s", e.Type, e.SRQ)
	case e.PortNum != 0:
		return fmt.Sprintf("%s port %d", e.Type, e.PortNum)
	}
	return e.Type.String()
}

func expectAsync(c *core.Call) error {
	want, timeout := c.Cmd.EventType("event_type"), c.Cmd.Duration("timeout")
	qp, srq := c.Cmd.String("qp"), c.Cmd.String("srq")
	d, err := deviceOfEvent(c)
	if err != nil {
		return err
	}
	e, err := awaitAsync(c.Ctx, d, timeout, func(e timeline.AsyncEvent) bool {
		return e.Type == want && (qp == "" || e.QP == qp) && (srq == "" || e.SRQ == srq)
	})
	if err != nil {
		return timeUp(c.Ctx, err, "%s did not come within %s", want, format.Span(timeout))
	}
	c.Done.Result = describeAsync(&e)
	return nil
}

// deviceOfEvent is the device whose events are meant: the one of the object that
// the line names, or the only one.
func deviceOfEvent(c *core.Call) (*device, error) {
	if c.Cmd.Has("srq") {
		q, err := core.ArgAs[*SRQ](c, "srq", nil)
		if err != nil {
			return nil, err
		}
		return q.pd.dev, nil
	}
	if c.Cmd.Has("qp") {
		q, err := core.ArgAs[*QP](c, "qp", nil)
		if err != nil {
			return nil, err
		}
		return q.pd.dev, nil
	}
	c.S.Mu.RLock()
	defer c.S.Mu.RUnlock()
	var devices []*device
	for _, n := range c.S.Graph.Nodes {
		if d, ok := n.Body.(*device); ok {
			devices = append(devices, d)
		}
	}
	if len(devices) != 1 {
		return nil, errors.New("name the qp or the srq: not exactly one device is open")
	}
	return devices[0], nil
}
