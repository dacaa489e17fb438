package core

import (
	"context"
	"errors"
	"fmt"
	"time"

	"rdmatui/session/command"
	"rdmatui/session/command/syntax"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// Call is one command while it is carried out.
type Call struct {
	S     *Session
	Ctx   context.Context
	Cmd   command.Command // references resolved; what was chosen is added
	Done  timeline.CommandDone
	About Body   // the object concerned, for the hint; may be nil
	Verb  string // the C function, where it is not the one that the command names

	After []timeline.Event // to be told after the command
	Asked bool             // the provider was asked
}

// Choose records a value that the session chose where none was given.
func (c *Call) Choose(name, text string) { c.Cmd = c.Cmd.With(name, text) }

// Time makes the provider's part of the command and measures it.
func (c *Call) Time(f func() error) error {
	return c.TimeHere(func() error { return c.S.Guard(c.Ctx, c.Done.Call, f) })
}

// TimeHere is time for what ends with the command's context, and for posts and
// polls, which are made without end.
func (c *Call) TimeHere(f func() error) error {
	c.Asked = true
	begin := time.Now()
	err := f()
	c.Done.Took += time.Since(begin)
	return err
}

// Warn records what our own tables say against the command. It does not keep
// the call from being made: the provider's answer is the true one.
func (c *Call) Warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if c.Done.Check != "" {
		c.Done.Check += "; "
	}
	c.Done.Check += text
}

// HintFor says what to check after the command has failed, "" if nothing is known.
func (c *Call) HintFor(err error) string { return c.S.wiring.Hint(c, err) }

// Handler carries out one command.
type Handler func(*Call) error

// Handlers carry out the commands.
type Handlers map[*command.Spec]Handler

// Wiring is what carrying out lines needs of the packages above.
type Wiring struct {
	Commands Handlers
	Hint     func(*Call, error) string // says what to check after a command that failed, "" if nothing is known
	Record   func(*Session) Recorder
	Begin    func(*Session)          // prepares a new session, before its first command; may be nil
	Devices  func(*Session) []string // the names of the devices that can be opened
	Flush    func(*Session)          // passes on what the command has caused, before the command is told
	Close    func(*Session) error    // ends what runs beside the objects, after these are closed
}

// Recorder remembers the lines that are carried out.
type Recorder interface {
	// Begin notes that a line is carried out; End must follow.
	Begin(context.Context, command.Command)
	// Parsed says what the line under way is.
	Parsed(command.Command)
	// End notes the outcome of the line under way.
	End(*Call)
	// Told notes the outcome of a line that was not part of another.
	Told(timeline.CommandDone)
}

// Run carries out one line with the slot held, and tells of it.
func (s *Session) Run(ctx context.Context, line string) (timeline.CommandDone, error) {
	cmd, err := command.Parse(line)
	s.Record.Begin(ctx, cmd)
	c := &Call{S: s, Ctx: ctx, Cmd: cmd, Done: timeline.CommandDone{Line: line}}
	defer s.Record.End(c)
	if err == nil && cmd.Spec == nil {
		return c.Done, nil
	}
	s.number++
	c.Done.Number = s.number
	if err == nil {
		s.Record.Parsed(cmd)
		err = s.CarryOut(c)
	}
	s.finish(c, err)
	s.wiring.Flush(s) // what the command caused stands before it, as completions do
	done := c.Done
	s.Emit(timeline.Event{Kind: timeline.KindCommand, Command: &done})
	for _, e := range c.After {
		s.Emit(e)
	}
	return done, err
}

// CarryOut resolves what a line refers to and calls its handler, with the slot held.
func (s *Session) CarryOut(c *Call) error {
	h := s.wiring.Commands[c.Cmd.Spec]
	if h == nil {
		return fmt.Errorf("%s has no implementation in this build", c.Cmd.Spec.Name)
	}
	if err := c.Ctx.Err(); err != nil {
		return err
	}
	cmd, err := c.Cmd.Resolve(s.LookUp)
	if err != nil {
		return err
	}
	c.Cmd = cmd
	if files := cmd.Files(); s.Opts.NoFiles && len(files) > 0 {
		return fmt.Errorf("%s: a restricted run reads and writes no files, and this line names %s", cmd.Spec.Name, files[0])
	}
	defer s.Turn.limit(cmd.Limit())()
	return h(c)
}

// LookUp is what a reference stands for.
func (s *Session) LookUp(object, field string) (string, error) {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	n, err := s.Graph.Find(object)
	if err != nil {
		return "", err
	}
	return n.Field(field)
}

// finish fills in what is the same for all commands.
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
		c.Done.Err, c.Done.Hint = fmt.Sprintf("column %d: %s", cerr.Column, cerr.Msg), cerr.Hint
		return
	}
	if c.Done.Hint == "" {
		c.Done.Hint = c.HintFor(err)
	}
}

// ObjectArg returns the object that an argument names. Where it was left out and
// just one fits, that is chosen; fits may be nil.
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

// ArgAs is objectArg for the body behind the node.
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

// NewName is the name for the object that the command makes.
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
