// Package core holds what every command of a session needs: the graph of objects, the
// running call, turns and waiting, calls that may block, and the events that record
// everything. It knows no kind of object: bodies state their needs through small
// interfaces, and [Wiring] connects the command groups above.
//
// A command takes one way, whether it was typed, read from a script, or made of a form's values: [Session.Exec] waits
// for its turn, [Session.Run] resolves its references, calls its handler, which calls the provider, and records the
// result. A command that consists of others calls Run for each.
package core

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
	"rdmatui/verbs/route"
)

// Options says what a session works on and where it reports events.
type Options struct {
	// Providers are searched for devices in this order.
	Providers []verbs.Provider
	// Live makes the session poll completion queues in the background from the start.
	Live bool
	// Log is the time line; nil: the session makes one.
	Log *timeline.Log
	// Journal receives every event as one line of JSON; may be nil. The data path
	// never waits for it.
	Journal io.Writer
	// Out is called with every event, in order and one at a time; may be nil.
	// It must not call the session.
	Out func(timeline.Event)
	// RefuseWhileWaiting makes a command fail with a [*WaitingError] while another
	// one takes long, instead of waiting for it.
	RefuseWhileWaiting bool
	// NoFiles refuses commands that read or create a file, for scripts from people
	// who are not trusted with the user's files.
	NoFiles bool
	// Input asks a person for a line, for the command input. It returns io.EOF at the
	// end of the input, and ctx's error as soon as ctx ends. Nil: there is nobody to
	// ask.
	Input func(ctx context.Context, prompt string) (string, error)
	// Rand generates the PSNs of queue pairs; nil is the system's generator. Tests
	// make it repeatable.
	Rand func() uint32
	// Network decides which GIDs reach a peer; nil is this host's.
	Network *route.Network
	// Counters reads the hardware counters of a device; nil is this host's.
	Counters func(device string) []verbs.HWCounter
	// Crashed is called after a panic in a goroutine of the session.
	Crashed verbs.CrashHook
}

// logCapacity is how many events a session's own time line keeps.
const logCapacity = 1 << 16

// Session carries out commands, one at a time, and owns the objects that they make.
// Its methods may be called from any goroutine.
type Session struct {
	Opts  Options
	Log   *timeline.Log
	Start time.Time

	Ctx    context.Context // ends when the session is closed
	cancel context.CancelFunc
	Slot   chan struct{} // holds one token: the right to carry out a command
	Turn   turn

	Mu       sync.RWMutex // guards what Snapshot reads: the graph and the bodies of its nodes
	Graph    Graph
	version  atomic.Uint64
	views    viewCache
	departed DepartedObjects // guarded by Mu
	removed  removed         // guarded by Mu

	destroyed []*Destroyed // by commands, oldest first; guarded by Mu

	Tell teller
	Live atomic.Bool

	Companions companions

	wiring Wiring
	Record Recorder
	parts  sync.Map // values of Part, by type
	making sync.Mutex

	number   uint64 // of the newest command; with the slot held
	WRID     uint64 // last one generated; with the slot held
	Leaving  bool   // an until has ended its loop; with the slot held
	closed   bool   // with the slot held
	closeErr error
}

// New makes a session. It must be closed.
func New(opts Options, w Wiring) *Session {
	s := &Session{Opts: opts, wiring: w, Log: opts.Log, Start: time.Now(), Slot: make(chan struct{}, 1)}
	if s.Opts.Rand == nil {
		s.Opts.Rand = rand.Uint32
	}
	if s.Log == nil {
		s.Log = timeline.New(logCapacity, func() time.Duration { return time.Since(s.Start) })
	}
	s.Ctx, s.cancel = context.WithCancel(context.Background())
	s.Live.Store(opts.Live)
	s.Tell.open(s.Log, opts)
	s.Record = w.Record(s)
	if w.Begin != nil {
		w.Begin(s)
	}
	return s
}

// Another makes a session with the same commands. It must be closed.
func (s *Session) Another(opts Options) *Session { return New(opts, s.wiring) }

// Timeline returns the events of the session.
func (s *Session) Timeline() *timeline.Log { return s.Log }

// ErrSessionClosed is the error of calls after Close.
var ErrSessionClosed = fmt.Errorf("the session: %w", verbs.ErrClosed)

// Within returns a context that also ends when the session is closed, with
// [ErrSessionClosed] as its cause. The caller calls end when it needs it no more.
func (s *Session) Within(ctx context.Context) (_ context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(s.Ctx, func() {
		defer s.Opts.Crashed.Catch()
		cancel(ErrSessionClosed)
	})
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// Exec carries out one command: it resolves references, makes the call and records it on the time line. It waits for
// the command before it. A failed command returns its error, and a CommandDone with the same error; a blank or comment
// line does nothing. left is true if it was an until that ends its loop.
func (s *Session) Exec(ctx context.Context, cmd command.Command) (done timeline.CommandDone, left bool, err error) {
	if err := s.TakeTurn(ctx); err != nil {
		return Refused(cmd.Text, err), false, err
	}
	defer s.Release()
	ctx, end := s.begin(ctx, cmd.Text)
	defer end()
	done, err = s.Run(ctx, cmd)
	return done, s.Leaving, err
}

// ExecHeld is Exec with the slot held.
func (s *Session) ExecHeld(ctx context.Context, cmd command.Command) (done timeline.CommandDone, left bool, err error) {
	ctx, end := s.begin(ctx, cmd.Text)
	defer end()
	done, err = s.Run(ctx, cmd)
	return done, s.Leaving, err
}

// begin registers the line that is about to run, until end is called; closing the
// session stops it.
func (s *Session) begin(ctx context.Context, line string) (_ context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	keep, over := context.AfterFunc(s.Ctx, func() { cancel(nil) }), s.Turn.begin(line, cancel)
	s.Leaving = false
	return ctx, func() {
		over()
		keep()
		cancel(nil)
	}
}

// Acquire takes the slot, but never for a caller whose context has ended: a command
// that is stopped while it waits must not start even if the slot becomes free at the
// same time.
func (s *Session) Acquire(ctx context.Context) error {
	select {
	case s.Slot <- struct{}{}:
		if err := ctx.Err(); err != nil {
			s.Release()
			return err
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Release releases the slot.
func (s *Session) Release() { <-s.Slot }

// Changed marks the snapshot as out of date.
func (s *Session) Changed() { s.version.Add(1) }

// Emit records an event and marks the snapshot as out of date. Commands need no mark
// for their changes, since each is recorded.
func (s *Session) Emit(e timeline.Event) {
	s.Tell.Event(e)
	s.Changed()
}

// Note puts a note on the time line.
func (s *Session) Note(level timeline.Level, format string, args ...any) {
	s.Emit(timeline.Event{Kind: timeline.KindNote,
		Note: &timeline.Note{Level: level, Text: fmt.Sprintf(format, args...)}})
}

// Close ends what is running and destroys every object before those that it was made
// from. It returns the errors of objects that could not be destroyed. It is
// idempotent.
func (s *Session) Close() error {
	s.cancel()
	s.Companions.end()
	if err := s.takeSlot(); err != nil {
		s.Note(timeline.LevelError, "%v", err)
		return errors.Join(err, s.Tell.close())
	}
	defer s.Release()
	if s.closed {
		return s.closeErr
	}
	s.closed = true
	errs := s.TakeDown(func(*Node) bool { return true })
	s.closeErr = errors.Join(append(errs, s.wiring.Close(s), s.Tell.close())...)
	return s.closeErr
}

// Destroy destroys one object and removes it. It keeps an object that is in use or
// that the provider fails to destroy.
func (s *Session) Destroy(n *Node) error {
	s.Mu.RLock()
	err := s.Graph.busy(n)
	if s.Graph.bySelf(n) {
		err = nil
	}
	s.Mu.RUnlock()
	if err != nil {
		return closeError(n, err)
	}
	return s.destroyUnused(n)
}

// destroyUnused is Destroy for an object that is not in use.
func (s *Session) destroyUnused(n *Node) error {
	view := s.ViewOf(n)
	if err := n.Body.Close(); err != nil {
		return closeError(n, s.UsersByName(n, CloseVerb(n), err))
	}
	s.Mu.Lock()
	s.Depart(view)
	s.Graph.Remove(n)
	uses := n.Uses
	s.Mu.Unlock()
	s.Changed()
	for _, used := range uses {
		if u, ok := used.Body.(interface{ Unused(*Session) }); ok {
			u.Unused(s)
		}
	}
	return nil
}

// Enter adds a new object to the graph and to the command's result.
func (c *Call) Enter(n *Node) {
	s := c.S
	n.Made = c.Cmd
	s.Mu.Lock()
	s.Graph.Add(n)
	s.Mu.Unlock()
	c.Done.Created = append(c.Done.Created, n.Name)
	s.Changed()
}

// Complete returns candidates for the word at the cursor.
func (s *Session) Complete(line string, cursor int) []command.Candidate {
	return command.Complete(line, cursor, s.ObjectNames, s.fieldNames)
}

// ObjectNames lists the objects of a kind, oldest first.
func (s *Session) ObjectNames(kind command.ObjectKind) []string {
	if kind == command.KindAvailable {
		return s.wiring.Devices(s)
	}
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	return s.Graph.Names(kind)
}

func (s *Session) fieldNames(object string) []string {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	n, err := s.Graph.Find(object)
	if err != nil {
		return nil
	}
	var names []string
	for _, f := range n.Body.Fields() {
		names = append(names, f.Name)
	}
	return names
}

// UsersByName replaces the provider's object names, in an error about a busy object,
// with the session's.
func (s *Session) UsersByName(n *Node, verb string, err error) error {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	var busy *verbs.BusyError
	if users := s.Graph.UsersOf(n); len(users) > 0 && errors.As(err, &busy) {
		return verbs.NewOpError(verb, n.Name, &verbs.BusyError{Object: n.Name, UsedBy: users, Err: busy.Err})
	}
	return err
}
