package core

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"rdmatui/session/ccall"
	"rdmatui/session/command"
	"rdmatui/session/timeline"
	"rdmatui/verbs/format"
)

const (
	// BlockedAfter is how long a provider call may take before a note reports it.
	BlockedAfter = 5 * time.Second
	// leftAfter is how long a call may take to return after its command was stopped,
	// before the session abandons it.
	leftAfter = 2 * time.Second
	// ClosedAfter is how long a call may take while the session closes.
	ClosedAfter = 5 * time.Second
	// StoppedAfter is how long Close waits for the running command.
	StoppedAfter = 10 * time.Second
)

// BlockedError reports a call that had not returned when the session abandoned it.
type BlockedError struct {
	Call string // such as ibv_destroy_qp(a)
	For  time.Duration
}

// Error names the abandoned call and how long it had blocked.
func (e *BlockedError) Error() string {
	return fmt.Sprintf("%s was abandoned after %s: the driver or the kernel blocks it", e.Call,
		format.Span(e.For.Truncate(time.Second)))
}

// Guard makes a provider call in a goroutine. If the call does not return, Guard
// returns a *BlockedError some time after ctx has ended.
func (s *Session) Guard(ctx context.Context, call timeline.Code, f func() error) error {
	began := time.Now()
	done, left, ended := make(chan error), make(chan struct{}), make(chan struct{})
	go func() {
		if s.Opts.Crashed != nil { // otherwise the panic ends the process, which must not exit before that
			defer close(ended)
		}
		defer s.Opts.Crashed.Catch()
		err := f()
		select {
		case done <- err:
		case <-left:
			s.Note(timeline.LevelWarn, "%s returned after %s, after it had been abandoned", call.Short(),
				format.Span(time.Since(began)))
		}
	}()
	tell := time.NewTimer(BlockedAfter)
	defer tell.Stop()
	stopped := ctx.Done()
	var giveUp <-chan time.Time
	for {
		select {
		case err := <-done:
			return err
		case <-ended: // the call panicked, which Crashed was told
			return fmt.Errorf("%s: rdmatui has a fault (panic)", call.Short())
		case <-tell.C:
			s.Note(timeline.LevelWarn,
				"%s has not returned for %s: the driver or the kernel blocks it; interrupt it to go on without it",
				call.Short(), format.Span(BlockedAfter))
		case <-stopped:
			stopped, giveUp = nil, time.After(leftAfter)
		case <-giveUp:
			close(left)
			return &BlockedError{call.Short(), time.Since(began)}
		}
	}
}

// takeSlot waits until the running command has ended, which it should since the
// session's context has.
func (s *Session) takeSlot() error {
	for {
		select {
		case s.Slot <- struct{}{}:
			return nil
		case <-time.After(StoppedAfter):
			if w, ok := s.Waiting(); ok {
				return &BlockedError{w.Line, time.Since(w.Since)}
			}
		}
	}
}

// closer destroys the objects of a session. It skips whatever depends on a call that
// did not return: the kernel frees that when the process exits.
type closer struct {
	s     *Session
	users map[*Node][]*Node // by object, at the start
	left  map[*Node]bool    // skipped objects and their devices
	errs  []error
}

// Bodies that need more than Close when a session is closed.
type (
	// eventReader reads events of the connection manager in a goroutine.
	eventReader interface{ StopEvents() }
	// asyncReader reads asynchronous events in a goroutine.
	asyncReader interface{ StopAsync() }
	// hangsUp returns the call that ends its connection; nil: not connected.
	hangsUp interface{ HangUp(*Session) func() error }
	// leaver leaves its multicast groups before it is closed.
	leaver interface{ LeaveGroups(*Session) }
)

// TakeDown destroys the selected objects, each before those it was made from, and
// returns the errors. which is called with Session.mu held.
func (s *Session) TakeDown(which func(*Node) bool) []error {
	c := &closer{s: s, left: map[*Node]bool{}}
	for _, n := range c.order(which) {
		c.stopEvents(n)
	}
	order := c.order(which) // again: requests may have arrived until the readers ended
	for _, n := range order {
		c.disconnect(n)
	}
	for _, n := range order {
		c.close(n)
	}
	for _, n := range order {
		if d, ok := n.Body.(asyncReader); ok { // even if it could not be closed
			_ = c.step(n, ccall.Text("ibv_get_async_event("+n.Name+")"), func() error { d.StopAsync(); return nil })
		}
	}
	return c.errs
}

// order lists the selected objects, and records what uses each.
func (c *closer) order(which func(*Node) bool) []*Node {
	c.s.Mu.RLock()
	defer c.s.Mu.RUnlock()
	c.users = c.s.Graph.Users()
	return slices.DeleteFunc(c.s.Graph.TeardownOrder(), func(n *Node) bool { return !which(n) })
}

// step makes a call that concerns an object.
func (c *closer) step(n *Node, call timeline.Code, f func() error) error {
	ctx, cancel := context.WithTimeout(context.Background(), ClosedAfter-leftAfter)
	defer cancel()
	err := c.s.Guard(ctx, call, f)
	var blocked *BlockedError
	if errors.As(err, &blocked) {
		c.s.Mu.RLock()
		defer c.s.Mu.RUnlock()
		c.left[n] = true
		if d := n.Device(); d != nil {
			c.left[d] = true
		}
	}
	return err
}

func (c *closer) close(n *Node) {
	if c.leaves(n) {
		return
	}
	err := c.step(n, CloseCall(n), func() error {
		if q, ok := n.Body.(leaver); ok {
			q.LeaveGroups(c.s)
		}
		return c.destroy(n)
	})
	if err != nil {
		c.errs = append(c.errs, err)
		c.s.Note(timeline.LevelError, "%v", err)
	}
}

// destroy destroys an object unless something still uses it. Unlike Session.Destroy
// it does not search all objects each time.
func (c *closer) destroy(n *Node) error {
	c.s.Mu.RLock()
	inUse := slices.ContainsFunc(c.users[n], c.s.Graph.has)
	c.s.Mu.RUnlock()
	if inUse {
		return c.s.Destroy(n) // whose error names the users
	}
	return c.s.destroyUnused(n)
}

// stopEvents stops the reader of a channel, so that no event creates an object
// meanwhile.
func (c *closer) stopEvents(n *Node) {
	if r, ok := n.Body.(eventReader); ok {
		_ = c.step(n, ccall.Text("rdma_get_cm_event("+n.Name+")"), func() error { r.StopEvents(); return nil })
	}
}

// disconnect ends a connection, so that the peer learns of it at once. A failure
// shows up when the object is destroyed.
func (c *closer) disconnect(n *Node) {
	if i, ok := n.Body.(hangsUp); ok && !c.leaves(n) {
		if hangUp := i.HangUp(c.s); hangUp != nil {
			_ = c.step(n, ccall.Text("rdma_disconnect("+n.Name+")"), hangUp)
		}
	}
}

// leaves reports whether an object is on a blocked device, or used by a skipped
// object.
func (c *closer) leaves(n *Node) bool {
	if len(c.left) == 0 {
		return false
	}
	c.s.Mu.RLock()
	defer c.s.Mu.RUnlock()
	c.left[n] = c.left[n.Device()] || slices.ContainsFunc(c.s.Graph.Nodes, func(m *Node) bool {
		return c.left[m] && (slices.Contains(m.Uses, n) || BoundTo(m, n))
	})
	return c.left[n]
}

// Device returns the node of the device that an object is on, nil if there is none.
// Session.mu is held.
func (n *Node) Device() *Node {
	if n.Kind == command.KindDevice {
		return n
	}
	for _, used := range n.Uses {
		if d := used.Device(); d != nil {
			return d
		}
	}
	return nil
}
