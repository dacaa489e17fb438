package export

import (
	"fmt"
	"slices"
	"strings"

	"rdmatui/session/command"
	"rdmatui/verbs/format"
)

// translator writes the program of a recording, line by line.
type translator struct {
	writer
	choices
	objects
	events
	vars     variables
	commands Translations

	quiet bool // the enclosing line already reports the next line
	loops int  // open loops
	tries int  // open tries
	early early
}

// line is a line being translated.
type line struct {
	*translator
	checker
	step      *Step
	cmd, full command.Command
}

// after returns an empty line, for code that belongs to no line.
func (t *translator) after() *line { return &line{translator: t, checker: checker{w: &t.writer}} }

// Translation writes a command in C.
type Translation func(*line)

// Translations maps commands to their translations.
type Translations map[*command.Spec]Translation

// steps translates lines in order.
func (t *translator) steps(steps []*Step) {
	for _, s := range steps {
		t.translate(s, works, "")
	}
}

// translate writes one line: the command, its result, and its C code.
func (t *translator) translate(s *Step, want outcome, errno string) {
	l := &line{translator: t, checker: checker{&t.writer, want, errno}, step: s, cmd: s.Cmd, full: s.Full}
	if l.full.Spec == nil {
		l.full = s.Cmd
	}
	l.takeWhatCame(s.Came)
	if !t.quiet {
		t.gap()
		t.comment(l.story()...)
	}
	t.quiet = false
	switch {
	case s.Cmd.Spec == nil:
		return
	case s.failed() && !s.Asked && s.Inner == nil:
		return // no call was made
	case s.failed() && want == works && s.Inner == nil:
		l.outcome = fails
	}
	l.body()
}

// leftOut says why a line is not in the program. A translation panics with it, which drops what it has written.
type leftOut string

// body writes the statements, or why there are none.
func (t *line) body() {
	t.awaited = nil
	before, indent := t.text.String(), t.indent
	defer func() {
		switch why := recover().(type) {
		case nil:
		case leftOut:
			t.takeBack()
			t.text.Reset()
			t.text.WriteString(before)
			t.indent = indent
			t.comment("Not in this program: " + string(why) + ".")
		default:
			panic(why)
		}
	}()
	f := t.commands[t.cmd.Spec]
	if f == nil {
		panic(leftOut("it has no call in C"))
	}
	f(t)
}

// story returns the comment above a line: its purpose, the line and its result.
func (t *line) story() []string {
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
	if slices.Contains(silent, s.Cmd.Spec) {
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
		text = append(text, fmt.Sprintf("It failed after %s: %s", format.Counted(s.Times, "success"), s.Later.Done.Err))
	}
	return text
}

// silent are commands whose results the comments omit, since the code shows them.
var silent = []*command.Spec{command.QueryDevice, command.Loop, command.Try, command.End}

// label names a call in a message, with its object and special arguments.
func label(verb string, args ...string) string { return verb + "(" + strings.Join(args, ", ") + ")" }

func (t *line) hasArg(arg string) bool { return t.full.Has(arg) }
