package measure

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"rdmatui/session/bench"
	"rdmatui/session/core"
	"rdmatui/verbs/format"
)

// A change makes new objects for both ends while the old ones still measure. Once the
// new ends are connected, the old ones stop and the new ones begin. A change that the
// device refuses leaves the test as it is.

var (
	errChanged    = errors.New("the parameters were changed")
	errSuperseded = errors.New("the parameters were changed again")
)

// Change changes the parameters of a running test: everything but the test, the device
// and the way to connect. Duration and iterations begin again. It does not wait: View
// says when the change was made, or why it was refused.
func (t *Test) Change(p bench.Params) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	v := &t.view
	p.Host, p.Port = v.Params.Host, v.Params.Port
	if err := v.changeable(&p); err != nil {
		return err
	}
	t.wanted, v.Changing, v.Refused = p, true, ""
	v.Version++
	select {
	case t.asked <- struct{}{}:
	default: // phases has yet to look at the change before
	}
	return nil
}

// changeable reports why the test cannot go on with other parameters.
func (v *View) changeable(p *bench.Params) error {
	was := &v.Params
	switch {
	case !v.Both:
		return errors.New("the two ends agreed on the settings before the test began: they cannot change now")
	case v.State != Running:
		return errors.New("only a running test can change")
	case p.Test != was.Test || p.Device != was.Device || p.CM != was.CM:
		return errors.New("test, device and the way to connect cannot change while the test runs")
	case p.All || was.All:
		return errors.New("a run of all sizes cannot change: it changes the size itself")
	}
	return p.Check()
}

// segment is the two ends of a test, or this end of it, with one set of parameters.
type segment struct {
	test   *Test
	p      bench.Params
	cancel context.CancelCauseFunc

	connected chan struct{} // closed when the end that is shown is about to measure
	start     chan struct{} // closed to let it
	ended     chan struct{} // closed when all objects are destroyed
	err       error         // set before ended is closed

	// Set before connected is closed.
	run      running // of the end that is shown
	info     bench.Info
	counters *counterReader

	server atomic.Pointer[bench.Run] // the other end, once it is connected; nil: it is not here
}

// lanes returns the progress of the queue pairs. With -b each end counts what it sends: what
// is received here is what the other end sends, if that is in this program.
func (g *segment) lanes() []bench.Lane {
	lanes := g.run.Lanes()
	if server := g.server.Load(); server != nil && g.p.Bidirectional {
		for i, l := range server.Lanes() {
			lanes[i].Received = l.Sent
		}
	}
	return lanes
}

// begin makes the ends of a test in the background.
func (t *Test) begin(ctx context.Context, s *core.Session, p bench.Params) *segment {
	ctx, cancel := context.WithCancelCause(ctx)
	g := &segment{test: t, p: p, cancel: cancel, connected: make(chan struct{}), start: make(chan struct{}),
		ended: make(chan struct{})}
	go func() {
		defer close(g.ended)
		defer s.Opts.Crashed.Catch()
		defer cancel(nil)
		g.err = g.ends(ctx, s)
	}()
	return g
}

// phases runs a segment, and others after it as the parameters change. It returns when
// all have ended.
func (t *Test) phases(ctx context.Context, s *core.Session, look *sampler) error {
	now := t.begin(ctx, s, t.view.Params)
	select {
	case <-now.connected:
		t.enter(now, look)
	case <-now.ended:
		return now.err
	}
	for {
		select {
		case <-t.asked:
		case <-now.ended:
			return now.err
		}
		if next := t.next(ctx, s, now, look); next != nil {
			now = next
		}
	}
}

// next makes the segment of the newest change and lets it begin after the one that runs. It returns nil
// if the change could not be made or the test has ended.
func (t *Test) next(ctx context.Context, s *core.Session, now *segment, look *sampler) *segment {
	for {
		t.mu.Lock()
		p := t.wanted
		t.mu.Unlock()
		next := t.begin(ctx, s, p)
		drop := func(why error) { next.cancel(why); <-next.ended }
		select {
		case <-next.connected:
			now.cancel(errChanged)
			<-now.ended
			t.enter(next, look)
			return next
		case <-next.ended:
			t.change(func(v *View) { v.Changing, v.Refused = len(t.asked) > 0, format.Problems(next.err) })
			return nil
		case <-now.ended:
			drop(errChanged)
			return nil
		case <-t.asked:
			drop(errSuperseded)
		}
	}
}

// enter lets a segment that is connected measure.
func (t *Test) enter(g *segment, look *sampler) {
	look.follow(g)
	t.change(func(v *View) {
		v.State, v.Params, v.Info, v.Results, v.Changing = Running, g.p, g.info, nil, len(t.asked) > 0
	})
	close(g.start)
}

// ends runs one end of the test or both. Of two errors it returns the first, unless that
// one only says that the other end has left.
func (g *segment) ends(ctx context.Context, s *core.Session) error {
	if !g.test.view.Both {
		return g.end(ctx, s, g.p, true, nil)
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	var why error
	var mu sync.Mutex
	ended := func(err error) {
		if err == nil {
			return
		}
		fail(err)
		mu.Lock()
		defer mu.Unlock()
		why = bench.Cause(why, err)
	}
	listening := make(chan uint16, 1)
	var server sync.WaitGroup
	server.Go(func() {
		defer s.Opts.Crashed.Catch()
		theirs := g.p
		if theirs.Host = ""; !theirs.CM { // the connection manager needs a port
			theirs.Port = 0
		}
		ended(g.end(ctx, s, theirs, false, listening))
	})
	select {
	case port := <-listening:
		ours := g.p
		ours.Port = port
		ended(g.end(ctx, s, ours, true, nil))
	case <-ctx.Done():
	}
	server.Wait()
	if why == nil {
		why = context.Cause(ctx)
	}
	return why
}

// end runs one end in a session of its own. shown says that its progress is the test's.
func (g *segment) end(ctx context.Context, of *core.Session, p bench.Params, shown bool,
	listening chan<- uint16) (err error) {
	s := of.Another(core.Options{Providers: of.Opts.Providers, Crashed: of.Opts.Crashed, Counters: of.Opts.Counters})
	defer func() {
		if closed := s.Close(); err == nil {
			err = closed
		}
	}()
	watch := bench.Watcher{Waiting: func(port uint16, _ string) {
		if listening != nil {
			listening <- port
			return
		}
		g.test.change(func(v *View) { v.State, v.Port = Listening, port })
	}}
	var run *bench.Run
	watch.Connected = func(bench.Info) { g.server.Store(run) }
	if shown {
		watch.Connected = func(info bench.Info) {
			g.run, g.info, g.counters = run, info, newCounterReader(of, info.DeviceName)
			close(g.connected)
			select {
			case <-g.start:
			case <-ctx.Done():
			}
		}
		watch.Measured = func(res bench.Result) {
			g.test.change(func(v *View) { v.Results = append(v.Results[:len(v.Results):len(v.Results)], res) })
		}
	}
	if run, err = bench.New(s, p, watch); err != nil {
		return err
	}
	return run.Do(ctx)
}
