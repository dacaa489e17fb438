// Package core is what every command of a session needs: the graph of objects,
// the call while it is carried out, turns and waiting, calls that may block,
// and the events that tell of it all. It knows no kind of object: bodies say
// by small interfaces what they need, and the groups of commands above are
// joined by [Wiring].
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
	"rdmatui/verbs/choice"
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
	// NoFiles refuses commands that read or make a file, for scripts from people who
	// are not trusted with the user's files.
	NoFiles bool
	// Input asks a person for a line, for the command input. It returns io.EOF where
	// there is no more to come, and ctx's error as soon as ctx ends. Nil: there is
	// nobody to ask.
	Input func(ctx context.Context, prompt string) (string, error)
	// Rand is where the PSNs of queue pairs come from; nil is the system's
	// generator. Tests make it repeatable.
	Rand func() uint32
	// Network decides which GIDs reach a peer; nil is this host's.
	Network *choice.Network
	// Counters reads the hardware counters of a device; nil is this host's.
	Counters func(device string) []verbs.HWCounter
	// Crashed is told of a panic in a goroutine of the session.
	Crashed verbs.CrashHook
}

// logCapacity is how many events a session's own time line keeps.
const logCapacity = 1 << 16

// Session carries out commands, one at a time, and owns what they make. Its
// methods may be called from any goroutine.
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

	Tell teller
	Live atomic.Bool

	Companions companions

	wiring Wiring
	Record Recorder
	parts  sync.Map // what part returns, by type
	making sync.Mutex

	number   uint64 // that of the newest command; with the slot held
	WRID     uint64 // last one made up; with the slot held
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

// Another makes a session of the same commands. It must be closed.
func (s *Session) Another(opts Options) *Session { return New(opts, s.wiring) }

// Timeline returns the events of the session.
func (s *Session) Timeline() *timeline.Log { return s.Log }

// ErrSessionClosed refuses what comes after Close.
var ErrSessionClosed = fmt.Errorf("the session: %w", verbs.ErrClosed)

// Exec carries out one line: it parses it, resolves what it refers to, makes
// the call and tells of it on the time line. It waits for the command before
// it. A command that failed returns its error, and a CommandDone that says the
// same; a blank or comment line does nothing.
func (s *Session) Exec(ctx context.Context, line string) (timeline.CommandDone, error) {
	done, _, err := s.ExecLoop(ctx, line)
	return done, err
}

// ExecLoop is Exec; left is true where the line was an until that ends its loop.
func (s *Session) ExecLoop(ctx context.Context, line string) (done timeline.CommandDone, left bool, err error) {
	if err := s.TakeTurn(ctx); err != nil {
		return Refused(line, err), false, err
	}
	defer s.Release()
	return s.ExecHeld(ctx, line)
}

// ExecHeld is exec with the slot held.
func (s *Session) ExecHeld(ctx context.Context, line string) (done timeline.CommandDone, left bool, err error) {
	if s.closed {
		return timeline.CommandDone{Line: line, Err: ErrSessionClosed.Error()}, false, ErrSessionClosed
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.Ctx, cancel)()
	defer s.Turn.begin(line, cancel)()
	s.Leaving = false
	done, err = s.Run(ctx, line)
	s.Record.Told(done)
	return done, s.Leaving, err
}

// Acquire takes the slot, never for a caller whose context has ended: what was
// stopped while it waited must not begin because the slot became free at the same
// time.
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

// Release gives the slot back.
func (s *Session) Release() { <-s.Slot }

// Changed marks the snapshot as out of date.
func (s *Session) Changed() { s.version.Add(1) }

// Emit puts an event on the time line, and marks the snapshot as out of date: what a
// command has changed needs no mark of its own, since the command is told of.
func (s *Session) Emit(e timeline.Event) {
	s.Tell.Event(e)
	s.Changed()
}

// Note puts a note on the time line.
func (s *Session) Note(level timeline.Level, format string, args ...any) {
	s.Emit(timeline.Event{Kind: timeline.KindNote, Note: &timeline.Note{Level: level, Text: fmt.Sprintf(format, args...)}})
}

// Close ends what is running and destroys every object, each before what it was
// made from. It returns what could not be destroyed. It is idempotent.
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

// Destroy gives one object back and forgets it. An object that is still in use
// or that the provider does not give up stays.
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

// destroyUnused is destroy for an object that is not in use.
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

// Enter adds a new object to the graph and to what the command tells.
func (c *Call) Enter(n *Node) {
	s := c.S
	s.Mu.Lock()
	s.Graph.Add(n)
	s.Mu.Unlock()
	c.Done.Created = append(c.Done.Created, n.Name)
	s.Changed()
}

// Complete suggests how the word at the cursor may go on.
func (s *Session) Complete(line string, cursor int) []command.Candidate {
	return command.Complete(line, cursor, s.ObjectNames, s.fieldNames)
}

// DeviceNames lists the open devices, oldest first.
func (s *Session) DeviceNames() []string { return s.ObjectNames(command.KindDevice) }

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

// UsersByName replaces the provider's names, in an error that says that an object
// is busy, by the session's.
func (s *Session) UsersByName(n *Node, verb string, err error) error {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	var busy *verbs.BusyError
	if users := s.Graph.UsersOf(n); len(users) > 0 && errors.As(err, &busy) {
		return verbs.NewOpError(verb, n.Name, &verbs.BusyError{Object: n.Name, UsedBy: users, Err: busy.Err})
	}
	return err
}
