package core

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"rdmatui/session/ccall"
	"rdmatui/session/command"
	"rdmatui/session/command/syntax"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// Call is a command that is being carried out.
type Call struct {
	S     *Session
	Ctx   context.Context
	Cmd   command.Command // references resolved, with chosen values added
	Done  timeline.CommandDone
	About Body   // the object that a hint is about; may be nil
	Verb  string // the C function, if it is not the command's own

	Warnings []Warning // those in Done.Check

	After []timeline.Event // to be recorded after the command
	Asked bool             // the provider was called
}

// Choose records a value that the session chose where none was given.
func (c *Call) Choose(name, text string) { c.Cmd = c.Cmd.With(name, text) }

// Time makes the provider call of a command and measures it.
func (c *Call) Time(f func() error) error {
	return c.TimeHere(func() error {
		call := c.Done.C
		if call == nil { // a command of our own
			call = ccall.Text(c.Cmd.Spec.Name)
		}
		return c.S.Guard(c.Ctx, call, f)
	})
}

// TimeHere is Time for calls that end with the command's context, and for posts and
// polls, which are too frequent for a goroutine each.
func (c *Call) TimeHere(f func() error) error {
	end := c.Begin()
	err := f()
	end()
	return err
}

// Begin records that a provider call begins; end must be called when it has returned. The call in C is the one of the
// command's row, unless the command has set another.
func (c *Call) Begin() (end func()) {
	c.Asked = true
	if c.Done.C == nil && c.Cmd.Spec.Call != (command.Call{}) {
		c.Done.C = ccall.Line(c.Cmd, nil)
	}
	begin := time.Now()
	return func() { c.Done.Took += time.Since(begin) }
}

// Warn records a problem that our own checks found. The call is still made: the
// provider's answer decides.
func (c *Call) Warn(format string, args ...any) { c.WarnOf(AnyErrno, fmt.Sprintf(format, args...)) }

// WarnOf is Warn for a problem for which the call can fail only with some errnos; none: what fails is what follows.
func (c *Call) WarnOf(errnos Errnos, text string) {
	if c.Done.Check != "" {
		c.Done.Check += "; "
	}
	c.Done.Check += text
	c.Warnings = append(c.Warnings, Warning{text, errnos})
}

// Warning is a problem that our own checks found before a call.
type Warning struct {
	Text   string
	Errnos Errnos
}

// Errnos are the errnos with which a call can fail for a problem.
type Errnos []syscall.Errno

// AnyErrno is for problems for which a call can fail with whatever errno.
var AnyErrno = Errnos{0}

// WarnedOf joins the warnings that a failure with an errno can be due to, "" if there are none.
func (c *Call) WarnedOf(no syscall.Errno) string {
	var texts []string
	for i := range c.Warnings {
		if w := &c.Warnings[i]; slices.Contains(w.Errnos, no) || slices.Contains(w.Errnos, AnyErrno[0]) {
			texts = append(texts, w.Text)
		}
	}
	return strings.Join(texts, "; ")
}

// HintFor returns what to check after the command has failed, "" if nothing is known.
func (c *Call) HintFor(err error) string { return c.S.wiring.Hint(c, err) }

// Handler carries out one command.
type Handler func(*Call) error

// Handlers maps commands to their handlers.
type Handlers map[*command.Spec]Handler

// Wiring holds what carrying out lines needs from the packages above.
type Wiring struct {
	Commands Handlers
	Hint     func(*Call, error) string       // what to check after a command failed, "" if nothing is known
	InVain   func(*Session, *Awaited) string // why something did not come, "" if nothing is known to be wrong
	Record   func(*Session) Recorder
	Begin    func(*Session)          // prepares a new session, before its first command; may be nil
	Devices  func(*Session) []string // the names of the devices that can be opened
	Gone     func(*Session) string   // an open device that the host has removed, "" if there is none; may be nil
	Flush    func(*Session)          // records what the command has caused, before the command itself is recorded
	Close    func(*Session) error    // ends what else is running, after the objects were closed
}

// Recorder records the lines that are carried out.
type Recorder interface {
	// Begin records that a line starts; End must follow.
	Begin(context.Context, command.Command)
	// Parsed stores the parsed form of the current line.
	Parsed(command.Command)
	// End records the outcome of the current line.
	End(*Call)
}

// Run carries out one command with the slot held, and records it.
func (s *Session) Run(ctx context.Context, cmd command.Command) (timeline.CommandDone, error) {
	if s.closed {
		return timeline.CommandDone{Line: cmd.Text, Err: ErrSessionClosed.Error()}, ErrSessionClosed
	}
	err := cmd.Wrong
	if err != nil {
		cmd = command.Command{Text: cmd.Text} // it is none
	}
	s.Record.Begin(ctx, cmd)
	c := &Call{S: s, Ctx: ctx, Cmd: cmd, Done: timeline.CommandDone{Line: cmd.Text}}
	defer s.Record.End(c)
	if err == nil && cmd.Spec == nil {
		return c.Done, nil
	}
	s.number++
	c.Done.Number = s.number
	var carryOut Handler
	if err == nil {
		s.Record.Parsed(cmd)
		carryOut, err = s.Prepare(c)
	}
	if err == nil {
		defer s.Turn.Limit(c.Cmd.Limit())()
		err = carryOut(c)
	}
	err = s.WhyRemoved(ctx, err)
	s.finish(c, err)
	s.wiring.Flush(s) // effects come before the command on the time line, as completions do
	done := c.Done
	s.Emit(timeline.Event{Kind: timeline.KindCommand, Command: &done})
	for _, e := range c.After {
		s.Emit(e)
	}
	return done, err
}

// Prepare resolves a line's references and returns its handler, with the slot held.
func (s *Session) Prepare(c *Call) (Handler, error) {
	h := s.wiring.Commands[c.Cmd.Spec]
	if h == nil {
		return nil, fmt.Errorf("%s has no implementation in this build", c.Cmd.Spec.Name)
	}
	if err := c.Ctx.Err(); err != nil {
		return nil, err
	}
	cmd, err := c.Cmd.Resolve(s.LookUp)
	if err != nil {
		return nil, err
	}
	c.Cmd = cmd
	if files := cmd.Files(); s.Opts.NoFiles && len(files) > 0 {
		return nil, fmt.Errorf("%s: a restricted run reads and writes no files, and this line names %s",
			cmd.Spec.Name, files[0])
	}
	return h, nil
}

// Expand carries out a line that the command stands for, recorded as if it had been typed. If it fails, its check and
// hint are the command's too.
func (c *Call) Expand(ctx context.Context, line string) (timeline.CommandDone, error) {
	return c.ExpandTo(ctx, command.Read(line))
}

// ExpandTo is Expand for a command.
func (c *Call) ExpandTo(ctx context.Context, cmd command.Command) (timeline.CommandDone, error) {
	done, err := c.S.Run(ctx, cmd)
	if err != nil {
		c.Done.Check, c.Done.Hint = done.Check, done.Hint
	}
	return done, err
}

// LookUp returns the value of a reference.
func (s *Session) LookUp(object, field string) (string, error) {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	n, err := s.Graph.Find(object)
	if err != nil {
		return "", err
	}
	return n.Field(field)
}

// finish sets the fields of the result that all commands share.
func (s *Session) finish(c *Call, err error) {
	if c.Cmd.Spec != nil && c.Done.Resolved == "" {
		c.Done.Resolved = c.Cmd.Full()
	}
	if err == nil {
		return
	}
	c.Done.Err = Wording(err)
	c.Done.Errno = verbs.ErrnoName(err)
	var cerr *syntax.Error
	if errors.As(err, &cerr) && cerr.Hint != "" {
		c.Done.Err, c.Done.Hint = cerr.Brief(), cerr.Hint
		return
	}
	if c.Done.Hint == "" {
		c.Done.Hint = c.HintFor(err)
	}
}

// ObjectArg returns the object that an argument names. If the argument is omitted and
// exactly one object fits, it returns that one; fits may be nil.
func (c *Call) ObjectArg(name string, fits func(*Node) bool) (*Node, error) {
	c.S.Mu.RLock()
	defer c.S.Mu.RUnlock()
	spec := c.Cmd.Spec.Arg(name)
	if spec == nil {
		return nil, fmt.Errorf("%s takes no %s", c.Cmd.Spec.Name, name)
	}
	if c.Cmd.Has(name) {
		return c.S.Graph.Find(c.Cmd.String(name), spec.Objects...)
	}
	n, err := c.S.Graph.Only(fits, spec.Objects...)
	if err != nil {
		return nil, err
	}
	c.Choose(name, n.Name)
	return n, nil
}

// ArgAs is ObjectArg for the body of the node.
func ArgAs[T Body](c *Call, name string, fits func(*Node) bool) (T, error) {
	var none T
	n, err := c.ObjectArg(name, fits)
	if err != nil {
		return none, err
	}
	body, ok := n.Body.(T)
	if !ok {
		return none, &NameError{Name: n.Name, Kinds: c.Cmd.Spec.Arg(name).Objects, Is: n.Kind}
	}
	return body, nil
}

// NewName returns the name for the object that the command makes.
func (c *Call) NewName(kind command.ObjectKind) (string, error) {
	c.S.Mu.RLock()
	defer c.S.Mu.RUnlock()
	name := c.Cmd.String("name")
	if name == "" {
		name = c.S.Graph.FreeName(command.NameStem(kind))
		c.Choose("name", name)
	}
	if n := c.S.Graph.ByName[name]; n != nil {
		return "", fmt.Errorf("the name %s is taken by %s", name, n.Kind.Indefinite())
	}
	return name, nil
}

// Taken reports whether an object has the name.
func (s *Session) Taken(name string) bool {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	return s.Graph.ByName[name] != nil
}

// ObjectOf returns an object of the session by its name, the zero value if there is none of its type.
func ObjectOf[T Body](s *Session, name string) (body T) {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	if n := s.Graph.ByName[name]; n != nil {
		body, _ = n.Body.(T)
	}
	return body
}

// Do carries out a line for a command that makes its own objects. Its error names the line, or only its verb, and has
// the hint. What the line makes belongs to the session.
func (s *Session) Do(ctx context.Context, line string, verbOnly bool) error {
	done, _, err := s.Exec(ctx, command.Read(line))
	if err == nil {
		return nil
	}
	if verbOnly {
		line, _, _ = strings.Cut(line, " ")
	}
	if done.Hint != "" {
		return fmt.Errorf("%s: %w; %s", line, err, done.Hint)
	}
	return fmt.Errorf("%s: %w", line, err)
}
