package scenario

import (
	"cmp"
	"context"
	"strings"
	"sync"

	"rdmatui/session/core"
	"rdmatui/session/script"
	"rdmatui/session/timeline"
)

// Companion is the other end of a scenario in the same program: it has its own
// session on the same devices, so that neither end waits for the other's commands.
type Companion struct {
	cancel    context.CancelFunc
	listening chan struct{} // closed when a client may connect, or the companion has ended
	once      sync.Once
	ended     chan struct{}
	err       error // why it failed; set before ended is closed
}

// NewCompanion starts an end of a scenario and runs it to its end. The session's
// Close waits for it.
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

func (c *Companion) play(ctx context.Context, of *core.Session, p Params) error {
	s := of.Another(core.Options{Providers: of.Opts.Providers, Crashed: of.Opts.Crashed})
	r, err := New(s, p)
	if err == nil {
		r.OnListening(c.comeIn)
		err = script.Rest(ctx, r, nil)
	}
	return cmp.Or(err, s.Close())
}

func (c *Companion) comeIn() { c.once.Do(func() { close(c.listening) }) }

// Listening is closed when a client may connect, or the companion has ended.
func (c *Companion) Listening() <-chan struct{} { return c.listening }

// Ended is closed when it has ended.
func (c *Companion) Ended() <-chan struct{} { return c.ended }

// Err waits for the end and returns the error, nil on success.
func (c *Companion) Err() error {
	<-c.ended
	return c.err
}

// Stop stops it and waits until its objects are destroyed.
func (c *Companion) Stop() {
	c.cancel()
	<-c.ended
}

// OnListening sets a function to call whenever a client may connect to the server. f
// must not call the session.
func (r *Run) OnListening(f func()) { r.onListening = f }

// awaits are the beginnings of lines in which a server waits for its client, or for
// the first message to a group.
var awaits = []string{"rdma_get_request ", "rdma_get_cm_event CONNECT_REQUEST", "poll_cq "}

// announce reports that the peer may connect during the next line. Call the returned
// function after the line.
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
