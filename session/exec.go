package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"rdmatui/session/command"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// call is one command while it is carried out.
type call struct {
	s    *base
	ctx  context.Context
	cmd  command.Command // references resolved; what was chosen is added
	done timeline.CommandDone
	body resource // the object concerned, for the hint; may be nil
	verb string   // the C function, where it is not the one that the command names

	after []timeline.Event // to be told after the command
	asked bool             // the provider was asked
}

// choose records a value that the session chose where none was given.
func (c *call) choose(name, text string) { c.cmd = c.cmd.With(name, text) }

// time makes the provider's part of the command and measures it.
func (c *call) time(f func() error) error {
	return c.timeHere(func() error { return c.s.guard(c.ctx, c.done.Call, f) })
}

// timeHere is time for what ends with the command's context, and for posts and
// polls, which are made without end.
func (c *call) timeHere(f func() error) error {
	c.asked = true
	begin := time.Now()
	err := f()
	c.done.Took += time.Since(begin)
	return err
}

// warn records what our own tables say against the command. It does not keep
// the call from being made: the provider's answer is the true one.
func (c *call) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if c.done.Check != "" {
		c.done.Check += "; "
	}
	c.done.Check += text
}

// Handler carries out one command.
type Handler func(*call) error

// Handlers are the commands of a group, by name.
type Handlers map[string]Handler

// Wiring is what carrying out lines needs of the packages above.
type Wiring struct {
	Commands Handlers
	Hint     func(*call, error) string // says what to check after a command that failed, "" if nothing is known
	Record   func(*base) Recorder
	Devices  func(*base) []string // the names of the devices that can be opened
	Flush    func(*base)          // passes on what the command has caused, before the command is told
	Close    func(*base) error    // ends what runs beside the objects, after these are closed
}

// Recorder remembers the lines that are carried out.
type Recorder interface {
	// Begin notes that a line is carried out; End must follow.
	Begin(context.Context, command.Command)
	// Parsed says what the line under way is.
	Parsed(command.Command)
	// End notes the outcome of the line under way.
	End(*call)
	// Told notes the outcome of a line that was not part of another.
	Told(timeline.CommandDone)
}

// run carries out one line with the slot held, and tells of it.
func (s *base) run(ctx context.Context, line string) (timeline.CommandDone, error) {
	cmd, err := command.Parse(line)
	s.record.Begin(ctx, cmd)
	c := &call{s: s, ctx: ctx, cmd: cmd, done: timeline.CommandDone{Line: line}}
	defer s.record.End(c)
	if err == nil && cmd.Spec == nil {
		return c.done, nil
	}
	s.number++
	c.done.Number = s.number
	if err == nil {
		s.record.Parsed(cmd)
		err = s.carryOut(c)
	}
	s.finish(c, err)
	s.wiring.Flush(s) // what the command caused stands before it, as completions do
	done := c.done
	s.emit(timeline.Event{Kind: timeline.KindCommand, Command: &done})
	for _, e := range c.after {
		s.emit(e)
	}
	return done, err
}

func (s *base) carryOut(c *call) error {
	h := s.wiring.Commands[c.cmd.Spec.Name]
	if h == nil {
		return fmt.Errorf("%s is not carried out by this version", c.cmd.Spec.Name)
	}
	if err := c.ctx.Err(); err != nil {
		return err
	}
	cmd, err := c.cmd.Resolve(s.lookUp)
	if err != nil {
		return err
	}
	c.cmd = cmd
	if files := cmd.Files(); s.opts.NoFiles && len(files) > 0 {
		return fmt.Errorf("%s: restricted run: no file is read or written, and this line names %s", cmd.Spec.Name, files[0])
	}
	defer s.turn.limit(cmd.Limit())()
	return h(c)
}

// lookUp is what a reference stands for.
func (s *base) lookUp(object, field string) (string, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	n, err := s.graph.find(object)
	if err != nil {
		return "", err
	}
	return n.field(field)
}

// finish fills in what is the same for all commands.
func (s *base) finish(c *call, err error) {
	if c.cmd.Spec != nil && c.done.Resolved == "" {
		c.done.Resolved = c.cmd.Full()
	}
	if err == nil {
		return
	}
	c.done.Err = wording(err)
	c.done.Errno = verbs.ErrnoName(err)
	var cerr *command.Error
	if errors.As(err, &cerr) && cerr.Hint != "" {
		c.done.Err, c.done.Hint = fmt.Sprintf("column %d: %s", cerr.Column, cerr.Msg), cerr.Hint
		return
	}
	if c.done.Hint == "" {
		c.done.Hint = s.wiring.Hint(c, err)
	}
}

// objectArg returns the object that an argument names. Where it was left out and
// just one fits, that is chosen; fits may be nil.
func (c *call) objectArg(name string, fits func(*node) bool) (*node, error) {
	c.s.mu.RLock()
	defer c.s.mu.RUnlock()
	spec := c.cmd.Spec.Arg(name)
	if spec == nil {
		return nil, fmt.Errorf("%s takes no %s", c.cmd.Spec.Name, name)
	}
	if c.cmd.Has(name) {
		return c.s.graph.find(c.cmd.String(name), spec.Objects...)
	}
	n, err := c.s.graph.only(fits, spec.Objects...)
	if err != nil {
		return nil, err
	}
	c.choose(name, n.name)
	return n, nil
}

// argAs is objectArg for the body behind the node.
func argAs[T resource](c *call, name string, fits func(*node) bool) (T, error) {
	var none T
	n, err := c.objectArg(name, fits)
	if err != nil {
		return none, err
	}
	body, ok := n.res.(T)
	if !ok {
		return none, &NameError{Name: n.name, Kinds: c.cmd.Spec.Arg(name).Objects, Is: n.kind}
	}
	return body, nil
}

// newName is the name for the object that the command makes.
func (c *call) newName(kind command.ObjectKind) (string, error) {
	c.s.mu.RLock()
	defer c.s.mu.RUnlock()
	name := c.cmd.String("name")
	if name == "" {
		name = c.s.graph.freeName(command.NameStem(kind))
		c.choose("name", name)
	}
	if n := c.s.graph.byName[name]; n != nil {
		return "", fmt.Errorf("the name %s is taken by %s", name, n.kind.Indefinite())
	}
	return name, nil
}

func (s *base) taken(name string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.graph.byName[name] != nil
}
