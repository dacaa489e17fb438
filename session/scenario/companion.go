package scenario

import (
	"context"
	"strings"
	"sync"

	"rdmatui/session/core"
	"rdmatui/session/timeline"
)

// Companion is the other end of a scenario where both are in one program: in a
// session of its own, so that neither waits for the other's commands, on the same
// devices.
type Companion struct {
	cancel    context.CancelFunc
	listening chan struct{} // closed when a client may come, or it has ended
	once      sync.Once
	ended     chan struct{}
	err       error // why it ended; set before ended is closed
}

// NewCompanion begins to play an end of a scenario, at once and to its end. The
// session waits for it when it is closed.
func NewCompanion(s *core.Session, p Params) *Companion {
	ctx, cancel := context.WithCancel(s.Ctx)
	c := &Companion{cancel: cancel, listening: make(chan struct{}), ended: make(chan struct{})}
	end := func() { c.comeIn(); close(c.ended) }
	if !s.Companions.Start(s.Opts.Crashed, func() { defer end(); c.err = c.play(ctx, s, p) }) {
		c.err = core.ErrSessionClosed
		end()
	}
	return c
}

func (c *Companion) play(ctx context.Context, of *core.Session, p Params) (err error) {
	s := of.Another(core.Options{Providers: of.Opts.Providers, Crashed: of.Opts.Crashed})
	defer func() {
		if closed := s.Close(); err == nil {
			err = closed
		}
	}()
	r, err := New(s, p)
	if err != nil {
		return err
	}
	r.OnListening(c.comeIn)
	for r.At() >= 0 {
		if _, err := r.Step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (c *Companion) comeIn() { c.once.Do(func() { close(c.listening) }) }

// Listening is closed when a client may come, or when it has ended.
func (c *Companion) Listening() <-chan struct{} { return c.listening }

// Ended is closed when it has ended.
func (c *Companion) Ended() <-chan struct{} { return c.ended }

// Err says why it has ended, nil if all went well; it waits for the end.
func (c *Companion) Err() error {
	<-c.ended
	return c.err
}

// Stop ends it, wherever it is, and waits until its objects are gone.
func (c *Companion) Stop() {
	c.cancel()
	<-c.ended
}

// OnListening has f called when the other end may come, at every such moment of
// the server's. f must not call the session.
func (r *Run) OnListening(f func()) { r.onListening = f }

// awaits begin the lines in which a server waits for its client, or the first
// message of a group.
var awaits = []string{"rdma_get_request ", "rdma_get_cm_event CONNECT_REQUEST", "poll_cq "}

// announce says that the line about to be carried out lets the other end come.
// The returned function is to be called after it.
func (r *Run) announce(text string) (after func()) {
	after = func() {}
	if r.onListening == nil || !r.params.Server {
		return after
	}
	for _, begin := range awaits {
		if strings.HasPrefix(text, begin) {
			r.onListening()
			return after
		}
	}
	if strings.HasPrefix(text, "exchange ") {
		return r.s.Log.Attach(func(e *timeline.Event) {
			if e.Kind == timeline.KindNote && e.Note.Ready {
				r.onListening()
			}
		})
	}
	return after
}
