package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"rdmatui/session/command"
	"rdmatui/session/timeline"
)

const (
	// blockedAfter is how long a call of the provider may take before the time line
	// says so.
	blockedAfter = 5 * time.Second
	// leftAfter is how long a call has to return once its command was stopped, before
	// the session goes on without it.
	leftAfter = 2 * time.Second
	// closedAfter is how long a call has to return while the session closes.
	closedAfter = 5 * time.Second
	// stoppedAfter is how long a closing session waits for the command under way.
	stoppedAfter = 10 * time.Second
)

// BlockedError says that the session went on without a call that had not returned.
type BlockedError struct {
	Call string // such as ibv_destroy_qp(a)
	For  time.Duration
}

func (e *BlockedError) Error() string {
	return fmt.Sprintf("%s has not returned for %s and was given up: the driver or the kernel blocks it", e.Call, timeline.FormatSpan(e.For.Truncate(time.Second)))
}

// guard makes a call of the provider in a goroutine of its own. Where the call does
// not return, guard does, with a *BlockedError, some time after ctx has ended.
func (s *base) guard(ctx context.Context, call string, f func() error) error {
	began := time.Now()
	done, left, ended := make(chan error), make(chan struct{}), make(chan struct{})
	go func() {
		if s.opts.Crashed != nil { // else the panic ends the process, which must not end by itself before
			defer close(ended)
		}
		defer s.opts.Crashed.Catch()
		err := f()
		select {
		case done <- err:
		case <-left:
			s.note(timeline.LevelWarn, "%s has returned after %s; nothing waited for it any more", call, timeline.FormatSpan(time.Since(began)))
		}
	}()
	tell := time.NewTimer(blockedAfter)
	defer tell.Stop()
	stopped := ctx.Done()
	var giveUp <-chan time.Time
	for {
		select {
		case err := <-done:
			return err
		case <-ended: // without an answer: it panicked, which the hook was told
			return fmt.Errorf("%s: a fault of the program itself", call)
		case <-tell.C:
			s.note(timeline.LevelWarn, "%s has not returned for %s: the driver or the kernel blocks it; stop it to go on without it", call, timeline.FormatSpan(blockedAfter))
		case <-stopped:
			stopped, giveUp = nil, time.After(leftAfter)
		case <-giveUp:
			close(left)
			return &BlockedError{call, time.Since(began)}
		}
	}
}

// takeSlot waits until the command under way has ended, which it should as the
// session's context has.
func (s *base) takeSlot() error {
	for {
		select {
		case s.slot <- struct{}{}:
			return nil
		case <-time.After(stoppedAfter):
			if w, ok := s.Waiting(); ok {
				return &BlockedError{w.Line, time.Since(w.Since)}
			}
		}
	}
}

// closer takes down the objects of a session. It leaves alone what depends on a call
// that did not return: the end of the process gives that back.
type closer struct {
	s     *base
	users map[*node][]*node // of each object, when it began
	left  map[*node]bool    // objects that are left alone, and their devices
	errs  []error
}

// Bodies that need more than Close when a session takes them down.
type (
	// eventReader reads events of the connection manager in a goroutine.
	eventReader interface{ StopEvents() }
	// asyncReader reads asynchronous events in a goroutine.
	asyncReader interface{ StopAsync() }
	// hangsUp returns the call that ends its connection; nil: it has none.
	hangsUp interface{ HangUp(*base) func() error }
	// leaver leaves its multicast groups before it is closed.
	leaver interface{ LeaveGroups(*base) }
)

// takeDown destroys the objects that are meant, each before what it was made from. It
// returns what could not be destroyed. which is called with Session.mu held.
func (s *base) takeDown(which func(*node) bool) []error {
	c := &closer{s: s, left: map[*node]bool{}}
	for _, n := range c.order(which) {
		c.stopEvents(n)
	}
	order := c.order(which) // again: requests have come until the readers ended
	for _, n := range order {
		c.disconnect(n)
	}
	for _, n := range order {
		c.close(n)
	}
	for _, n := range order {
		if d, ok := n.res.(asyncReader); ok { // even of one that could not be closed
			_ = c.step(n, "ibv_get_async_event("+n.name+")", func() error { d.StopAsync(); return nil })
		}
	}
	return c.errs
}

// order lists the objects that are meant, and notes what uses each.
func (c *closer) order(which func(*node) bool) []*node {
	c.s.mu.RLock()
	defer c.s.mu.RUnlock()
	c.users = c.s.graph.users()
	return slices.DeleteFunc(c.s.graph.teardownOrder(), func(n *node) bool { return !which(n) })
}

// step makes a call about an object.
func (c *closer) step(n *node, call string, f func() error) error {
	ctx, cancel := context.WithTimeout(context.Background(), closedAfter-leftAfter)
	defer cancel()
	err := c.s.guard(ctx, call, f)
	var blocked *BlockedError
	if errors.As(err, &blocked) {
		c.s.mu.RLock()
		defer c.s.mu.RUnlock()
		c.left[n] = true
		if d := n.device(); d != nil {
			c.left[d] = true
		}
	}
	return err
}

func (c *closer) close(n *node) {
	if c.leaves(n) {
		return
	}
	err := c.step(n, closeCall(n), func() error {
		if q, ok := n.res.(leaver); ok {
			q.LeaveGroups(c.s)
		}
		return c.destroy(n)
	})
	if err != nil {
		c.errs = append(c.errs, err)
		c.s.note(timeline.LevelError, "%v", err)
	}
}

// destroy gives an object back unless something that needs it is still there. Unlike
// Session.destroy it does not look at all objects for each.
func (c *closer) destroy(n *node) error {
	c.s.mu.RLock()
	inUse := slices.ContainsFunc(c.users[n], c.s.graph.has)
	c.s.mu.RUnlock()
	if inUse {
		return c.s.destroy(n) // which says by what
	}
	return c.s.destroyUnused(n)
}

// stopEvents ends the reader of a channel, so that no event makes an object
// meanwhile.
func (c *closer) stopEvents(n *node) {
	if r, ok := n.res.(eventReader); ok {
		_ = c.step(n, "rdma_get_cm_event("+n.name+")", func() error { r.StopEvents(); return nil })
	}
}

// disconnect ends a connection, so that the peer hears of it at once. The destruction
// tells of a failure.
func (c *closer) disconnect(n *node) {
	if i, ok := n.res.(hangsUp); ok && !c.leaves(n) {
		if hangUp := i.HangUp(c.s); hangUp != nil {
			_ = c.step(n, "rdma_disconnect("+n.name+")", hangUp)
		}
	}
}

// leaves reports whether an object is on a device that blocks, or in use by one that
// is left alone.
func (c *closer) leaves(n *node) bool {
	if len(c.left) == 0 {
		return false
	}
	c.s.mu.RLock()
	defer c.s.mu.RUnlock()
	c.left[n] = c.left[n.device()] || slices.ContainsFunc(c.s.graph.nodes, func(m *node) bool {
		return c.left[m] && (slices.Contains(m.uses, n) || boundTo(m, n))
	})
	return c.left[n]
}

// device is the node of the device that an object is on, nil where there is none.
// Call it with Session.mu held.
func (n *node) device() *node {
	if n.kind == command.KindDevice {
		return n
	}
	for _, used := range n.uses {
		if d := used.device(); d != nil {
			return d
		}
	}
	return nil
}
