package device

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
	"rdmatui/verbs/ring"
	"rdmatui/verbs/route"
)

// asyncInboxCap bounds the events kept for commands that wait for them.
const asyncInboxCap = 256

// asyncInbox holds a device's asynchronous events that were read and not yet taken.
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
func startAsync(s *core.Session, d *Device) context.Context {
	// not s.Ctx: events are also recorded while the session closes
	ctx, cancel := context.WithCancel(context.Background())
	d.stop = cancel
	d.reader.Go(func() {
		defer s.Opts.Crashed.Catch()
		for {
			e, err := d.Dev.GetAsyncEvent(ctx)
			if err != nil {
				asyncEnded(ctx, s, d, err)
				return
			}
			asyncCame(s, d, e)
		}
	})
	return ctx
}

func asyncEnded(ctx context.Context, s *core.Session, d *Device, err error) {
	if ctx.Err() == nil && !(d.Managed && errors.Is(err, verbs.ErrClosed)) {
		s.Note(timeline.LevelWarn, "reading asynchronous events of %s ended: %v", d.Name, err)
	}
}

// eventTarget is a body that can be the subject of events.
type eventTarget interface {
	// AsyncCame handles an event, and names the object in told. The returned function
	// is called after told was recorded; it may be nil.
	AsyncCame(s *core.Session, e *verbs.AsyncEvent, told *timeline.AsyncEvent) (after func())
}

// ownEvents is an eventTarget that recognizes its events.
type ownEvents interface {
	eventTarget
	// IsOf reports whether an event is about it.
	IsOf(*verbs.AsyncEvent) bool
}

// asyncCame records an event and passes it to the object that it concerns.
func asyncCame(s *core.Session, d *Device, e verbs.AsyncEvent) {
	ev := timeline.AsyncEvent{Type: e.Type, Device: d.Name, PortNum: e.PortNum}
	var after func()
	if target := targetOf(s, d, &e); target != nil {
		after = target.AsyncCame(s, &e, &ev)
	}
	s.Emit(timeline.Event{Kind: timeline.KindAsync, Async: &ev})
	d.async.put(ev)
	if after != nil {
		after()
	}
	if e.Type.Element() == verbs.ElementPort {
		ReadPorts(s, d)
	}
}

// targetOf returns the session's object that an event is about, nil if there is none.
func targetOf(s *core.Session, d *Device, e *verbs.AsyncEvent) eventTarget {
	var kind command.ObjectKind
	switch e.Type.Element() {
	case verbs.ElementQP:
		if e.QP == nil {
			return nil
		}
		target, _ := d.QPs.Find(e.QP.Num()).(eventTarget)
		return target
	case verbs.ElementCQ:
		kind = command.KindCQ
	case verbs.ElementSRQ:
		kind = command.KindSRQ
	default:
		return nil
	}
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	for _, n := range s.Graph.ByKind[kind] {
		if target, ok := n.Body.(ownEvents); ok && target.IsOf(e) {
			return target
		}
	}
	return nil
}

// ReadAllPorts is ReadPorts for all open devices.
func ReadAllPorts(s *core.Session) {
	for _, d := range opened(s) {
		ReadPorts(s, d)
	}
}

// opened returns the open devices.
func opened(s *core.Session) (list []*Device) {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	for _, n := range s.Graph.ByKind[command.KindDevice] {
		if d, ok := n.Body.(*Device); ok {
			list = append(list, d)
		}
	}
	return list
}

// ReadPorts reads again what a port event may have changed. It queries the device.
func ReadPorts(s *core.Session, d *Device) {
	s.Mu.RLock()
	before, ports, why := d.reads, slices.Clone(d.Ports), slices.Clone(d.why)
	s.Mu.RUnlock()
	for i := range ports {
		p, err := d.Dev.QueryPort(uint8(i + 1))
		if err != nil && why[i] == nil {
			return // the device is being removed; another event reports that
		}
		if err == nil {
			p.PortNum = uint8(i + 1)
			ports[i] = p
		}
		why[i] = err
	}
	rows, err := d.Dev.QueryGIDTable()
	if err != nil {
		return
	}
	gids := newGIDTable(s, rows)
	var was, now route.ChosenPort
	if !d.keep(s, before, func() {
		was = d.UsualPort()
		d.Ports, d.why, d.GIDs = ports, why, gids
		now = d.UsualPort()
	}) {
		ReadPorts(s, d)
		return
	}
	if now.PortNum != was.PortNum {
		s.Note(timeline.LevelInfo, "the default port of %s is now %d: %s", d.Name, now.PortNum, now.Why)
	}
	s.Changed()
}

// awaitAsync takes the first event of a device that fits, waiting for it.
func awaitAsync(ctx context.Context, d *Device, timeout time.Duration,
	fits func(timeline.AsyncEvent) bool) (timeline.AsyncEvent, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return d.async.Wait(ctx, func(events *ring.Ring[timeline.AsyncEvent]) int { return events.Index(fits) })
}

// awaitedOf describes a wait for an event of a device, or of a queue pair or shared receive queue of it.
func awaitedOf(d *Device, event string, of ...string) core.Awaited {
	a := core.Awaited{Kind: core.AwaitedAsync, Event: event, Objects: []string{d.Name}}
	for _, name := range of {
		if name != "" {
			a.Objects = append(a.Objects, name)
		}
	}
	return a
}

// GetAsyncEvent carries out get_async_event.
func GetAsyncEvent(c *core.Call) error {
	d, err := Arg(c)
	if err != nil {
		return err
	}
	timeout := c.Cmd.Duration("timeout")
	var e timeline.AsyncEvent
	err = c.TimeHere(func() (err error) {
		e, err = awaitAsync(c.Ctx, d, timeout, func(timeline.AsyncEvent) bool { return true })
		return err
	})
	if err != nil {
		return core.TimeUp(c.Ctx, err, awaitedOf(d, ""), "no asynchronous event came within %s", format.Span(timeout))
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

// ExpectAsync carries out expect async.
func ExpectAsync(c *core.Call) error {
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
		return core.TimeUp(c.Ctx, err, awaitedOf(d, want.String(), qp, srq), "%s did not come within %s", want,
			format.Span(timeout))
	}
	c.Done.Result = describeAsync(&e)
	return nil
}

// deviceOfEvent returns the device whose events are meant: that of the named object,
// or the only one.
func deviceOfEvent(c *core.Call) (*Device, error) {
	for _, name := range []string{"srq", "qp"} {
		if !c.Cmd.Has(name) {
			continue
		}
		n, err := c.ObjectArg(name, nil)
		if err != nil {
			return nil, err
		}
		c.S.Mu.RLock()
		defer c.S.Mu.RUnlock()
		return n.Device().Body.(*Device), nil
	}
	c.S.Mu.RLock()
	defer c.S.Mu.RUnlock()
	devices := c.S.Graph.ByKind[command.KindDevice]
	if len(devices) != 1 {
		return nil, errors.New("name the qp or the srq: not exactly one device is open")
	}
	return devices[0].Body.(*Device), nil
}
