package export

import (
	"errors"
	"fmt"
	"strings"

	"rdmatui/session/command"
	"rdmatui/verbs/format"
)

// translator makes the program of a recording, a line at a time.
type translator struct {
	writer
	vars    variables
	objects []*object // in the order in which they were made
	byName  map[string]*object

	commands map[string]translation // handed in, since some of them translate the lines within them

	// Of the step at hand.
	step      *Step
	cmd, full command.Command
	outcome   outcome
	wantErrno string

	awaited []awaited // what the statements so far wait for beside what lines took

	quiet   bool // the next line is told by the one that it is in
	loops   int  // that are open
	tries   int  // likewise
	early   early
	device  string // the name of the first device that is opened
	port    string // the first port number
	gid     string // the first row of the GID table
	hasGID  bool
	service string // the first port of a peer or listener
	hosts   []define
	devices []define
	gids    []define
}

// define is a value that differs from host to host.
type define struct{ name, value string }

// awaited is an event that an identifier's last call led to.
type awaited struct {
	id    *object
	event string
}

// translation writes what a command is in C.
type translation func(*translator) error

// steps translates lines one after another.
func (t *translator) steps(steps []*Step) {
	for _, s := range steps {
		t.translate(s, works, "")
	}
}

// saved is the part of a translator that belongs to one step.
type saved struct {
	step      *Step
	cmd, full command.Command
	outcome   outcome
	wantErrno string
}

func (t *translator) save() saved { return saved{t.step, t.cmd, t.full, t.outcome, t.wantErrno} }

func (t *translator) restore(s saved) {
	t.step, t.cmd, t.full, t.outcome, t.wantErrno = s.step, s.cmd, s.full, s.outcome, s.wantErrno
}

// translate writes one line: what it was, what came of it, and what it is in C.
func (t *translator) translate(s *Step, want outcome, errno string) {
	defer t.restore(t.save())
	t.step, t.cmd, t.full, t.outcome, t.wantErrno = s, s.Cmd, s.Full, want, errno
	if t.full.Spec == nil {
		t.full = s.Cmd
	}
	t.takeWhatCame(s.Came)
	if !t.quiet {
		t.gap()
		t.comment(t.story()...)
	}
	t.quiet = false
	switch {
	case s.Cmd.Spec == nil:
		return
	case s.failed() && !s.Asked && s.Inner == nil:
		return // no call was made
	case s.failed() && want == works && s.Inner == nil:
		t.outcome = fails
	}
	if err := t.body(); err != nil {
		t.comment("Not in this program: " + err.Error() + ".")
	}
}

// body writes the statements, or nothing where that fails.
func (t *translator) body() error {
	f := t.commands[t.cmd.Spec.Name]
	if f == nil {
		return errors.New("it has no call in C")
	}
	before, indent, waits := t.text.String(), t.indent, len(t.awaited)
	err := f(t)
	if err != nil {
		for _, a := range t.awaited[waits:] {
			a.id.pending = a.event
		}
		t.awaited = t.awaited[:waits]
		t.text.Reset()
		t.text.WriteString(before)
		t.indent = indent
	}
	return err
}

// story is the comment above a line: what it is for, what it was, what it said.
func (t *translator) story() []string {
	s := t.step
	var text []string
	if s.Why != "" {
		text = append(text, s.Why, "")
	}
	text = append(text, strings.TrimSpace(s.line()))
	switch {
	case s.Stopped:
		return append(text, "The session was stopped at this.")
	case !s.Ran:
		return append(text, "The session did not come to this.")
	case s.Done.Check != "":
		text = append(text, "Beforehand: "+s.Done.Check)
	}
	took := ""
	if s.Done.Took > 0 {
		took = " (" + format.Span(s.Done.Took) + ")"
	}
	result := s.Done.Result
	if silent[s.name()] {
		result = ""
	}
	switch {
	case s.failed():
		errno := ""
		if s.Done.Errno != "" {
			errno = s.Done.Errno + ", "
		}
		asked := "It failed: "
		if !s.Asked {
			asked = "It was refused before any call: "
		}
		text = append(text, asked+errno+s.Done.Err+took)
	case result != "":
		text = append(text, "-> "+result+took)
	}
	if s.Later != nil {
		text = append(text, fmt.Sprintf("After %d times it failed: %s", s.Times, s.Later.Done.Err))
	}
	return text
}

// silent are commands whose results say nothing that the program does not.
var silent = map[string]bool{"query_device": true, "loop": true, "try": true, "end": true}

// label names a call in a message: with its object, and what is special.
func label(verb string, args ...string) string { return verb + "(" + strings.Join(args, ", ") + ")" }

func (t *translator) hasArg(name string) bool { return t.full.Has(name) }

func (t *translator) errorf(format string, args ...any) error { return fmt.Errorf(format, args...) }
