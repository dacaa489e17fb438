// Package session is what the user did and what is running: it carries out the
// command language on verbs objects, keeps those in a graph that is taken down
// in order, and tells what happens on one time line. It is the only owner of
// verbs objects; what it hands out are values.
package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"rdmatui/session/command"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// Options says what a session works on and where it tells of it.
type Options struct {
	// Providers are asked for devices in this order.
	Providers []verbs.Provider
	// Live makes the session poll completion queues by itself from the start.
	Live bool
	// Log is the time line; nil: one of the session's own.
	Log *timeline.Log
	// Journal takes every event as one line of JSON; may be nil. It is never
	// waited for by the data path.
	Journal io.Writer
	// Out is called with every event, in order and one at a time; may be nil.
	// It must not call the session.
	Out func(timeline.Event)
	// RefuseWhileWaiting refuses a command while another one takes long, with a
	// [*WaitingError], instead of having it stand in line.
	RefuseWhileWaiting bool
	// NoFiles refuses commands that read or make a file, for scripts from people who are not trusted with the user's files.
	NoFiles bool
	// Input asks a person for a line, for the command input. It returns io.EOF where
	// there is no more to come, and ctx's error as soon as ctx ends. Nil: there is
	// nobody to ask.
	Input func(ctx context.Context, prompt string) (string, error)
	// Rand is where the PSNs of queue pairs come from; nil is the system's generator. Tests make it repeatable.
	Rand func() uint32
	// Network decides which GIDs reach a peer; nil is this host's.
	Network *verbs.Network
	// Crashed is told of a panic in a goroutine of the session.
	Crashed verbs.CrashHook
}

// logCapacity is how many events a session's own time line keeps.
const logCapacity = 1 << 16

// Session carries out commands, one at a time, and owns what they make. Its
// methods may be called from any goroutine.
type base struct {
	opts  Options
	log   *timeline.Log
	start time.Time

	ctx    context.Context // ends when the session is closed
	cancel context.CancelFunc
	slot   chan struct{} // holds one token: the right to carry out a command
	turn   turn

	mu      sync.RWMutex // guards what Snapshot reads: the graph and the bodies of its nodes
	graph   graph
	version atomic.Uint64
	views   viewCache

	tell teller
	live atomic.Bool

	companions companions

	wiring Wiring
	record Recorder
	parts  sync.Map // what part returns, by type
	making sync.Mutex

	number   uint64 // that of the newest command; with the slot held
	wrID     uint64 // last one made up; with the slot held
	leaving  bool   // an until has ended its loop; with the slot held
	closed   bool   // with the slot held
	closeErr error
}

// newSession makes a session. It must be closed.
func newSession(opts Options, w Wiring) *base {
	s := &base{opts: opts, wiring: w, log: opts.Log, start: time.Now(), slot: make(chan struct{}, 1)}
	if s.opts.Rand == nil {
		s.opts.Rand = rand.Uint32
	}
	if s.log == nil {
		s.log = timeline.New(logCapacity, func() time.Duration { return time.Since(s.start) })
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.live.Store(opts.Live)
	s.tell.open(s.log, opts)
	s.record = w.Record(s)
	return s
}

// another makes a session of the same commands. It must be closed.
func (s *base) another(opts Options) *base { return newSession(opts, s.wiring) }

// Timeline returns the events of the session.
func (s *base) Timeline() *timeline.Log { return s.log }

var errSessionClosed = fmt.Errorf("the session: %w", verbs.ErrClosed)

// Exec carries out one line: it parses it, resolves what it refers to, makes
// the call and tells of it on the time line. It waits for the command before
// it. A command that failed returns its error, and a CommandDone that says the
// same; a blank or comment line does nothing.
func (s *base) Exec(ctx context.Context, line string) (timeline.CommandDone, error) {
	done, _, err := s.exec(ctx, line)
	return done, err
}

// exec is Exec; left is true where the line was an until that ends its loop.
func (s *base) exec(ctx context.Context, line string) (done timeline.CommandDone, left bool, err error) {
	if err := s.takeTurn(ctx); err != nil {
		return refused(line, err), false, err
	}
	defer s.release()
	return s.execHeld(ctx, line)
}

// execHeld is exec with the slot held.
func (s *base) execHeld(ctx context.Context, line string) (done timeline.CommandDone, left bool, err error) {
	if s.closed {
		return timeline.CommandDone{Line: line, Err: errSessionClosed.Error()}, false, errSessionClosed
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	defer s.turn.begin(line, cancel)()
	s.leaving = false
	done, err = s.run(ctx, line)
	s.record.Told(done)
	return done, s.leaving, err
}

// acquire takes the slot, never for a caller whose context has ended: what was stopped while it waited must not begin because the slot became
// free at the same time.
func (s *base) acquire(ctx context.Context) error {
	select {
	case s.slot <- struct{}{}:
		if err := ctx.Err(); err != nil {
			s.release()
			return err
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *base) release() { <-s.slot }

// changed marks the snapshot as out of date.
func (s *base) changed() { s.version.Add(1) }

// emit puts an event on the time line.
func (s *base) emit(e timeline.Event) {
	s.tell.event(e)
	s.changed()
}

func (s *base) note(level timeline.Level, format string, args ...any) {
	s.emit(timeline.Event{Kind: timeline.KindNote, Note: &timeline.Note{Level: level, Text: fmt.Sprintf(format, args...)}})
}

// Close ends what is running and destroys every object, each before what it was
// made from. It returns what could not be destroyed. It is idempotent.
func (s *base) Close() error {
	s.cancel()
	s.companions.end()
	if err := s.takeSlot(); err != nil {
		s.note(timeline.LevelError, "%v", err)
		return errors.Join(err, s.tell.close())
	}
	defer s.release()
	if s.closed {
		return s.closeErr
	}
	s.closed = true
	errs := s.takeDown(func(*node) bool { return true })
	s.closeErr = errors.Join(append(errs, s.wiring.Close(s), s.tell.close())...)
	return s.closeErr
}

// destroy gives one object back and forgets it. An object that is still in use
// or that the provider does not give up stays.
func (s *base) destroy(n *node) error {
	s.mu.RLock()
	err := s.graph.busy(n)
	if s.graph.bySelf(n) {
		err = nil
	}
	s.mu.RUnlock()
	if err != nil {
		return closeError(n, err)
	}
	return s.destroyUnused(n)
}

// destroyUnused is destroy for an object that is not in use.
func (s *base) destroyUnused(n *node) error {
	if err := n.res.close(); err != nil {
		return closeError(n, s.usersByName(n, closeVerb(n), err))
	}
	s.mu.Lock()
	s.graph.remove(n)
	uses := n.uses
	s.mu.Unlock()
	s.changed()
	for _, used := range uses {
		if u, ok := used.res.(interface{ Unused(*base) }); ok {
			u.Unused(s)
		}
	}
	return nil
}

// enter adds a new object to the graph and to what the command tells.
func (c *call) enter(n *node) {
	s := c.s
	s.mu.Lock()
	s.graph.add(n)
	s.mu.Unlock()
	c.done.Created = append(c.done.Created, n.name)
	s.changed()
}

// Complete suggests how the word at the cursor may go on.
func (s *base) Complete(line string, cursor int) []command.Candidate {
	return command.Complete(line, cursor, s.objectNames, s.fieldNames)
}

func (s *base) objectNames(kind command.ObjectKind) []string {
	if kind == command.KindAvailable {
		return s.wiring.Devices(s)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.graph.names(kind)
}

func (s *base) fieldNames(object string) []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	n, err := s.graph.find(object)
	if err != nil {
		return nil
	}
	var names []string
	for _, f := range n.res.fields() {
		names = append(names, f.name)
	}
	return names
}

// usersByName replaces the provider's names, in an error that says that an object
// is busy, by the session's.
func (s *base) usersByName(n *node, verb string, err error) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var busy *verbs.BusyError
	if users := s.graph.usersOf(n); len(users) > 0 && errors.As(err, &busy) {
		return verbs.NewOpError(verb, n.name, &verbs.BusyError{Object: n.name, UsedBy: users, Err: busy.Err})
	}
	return err
}
