// Package export writes a session as a C program that does the same, and as a
// script that can be run again. It reads what was done; it carries out nothing.
package export

import (
	"rdmatui/session/command"
	"rdmatui/session/timeline"
)

// Recording is what a session has done.
type Recording struct {
	Steps []*Step
	Came  map[string]uint64 // completions that were taken live after the last step, by queue
	Cut   bool              // more was done than was remembered
	Rest  string            // a comment below the last line
}

// Step is one line as it was carried out.
type Step struct {
	Why   string          // the comment above it
	Cmd   command.Command // as it was typed, references and all; no Spec: nothing was to be done
	Full  command.Command // with references resolved and what was left out chosen, as far as it came
	Done  timeline.CommandDone
	Ran   bool // false: the loop was left before it came to this line
	Asked bool // the provider was asked
	// Stopped says that somebody ended it while it was carried out, with Ran false.
	Stopped bool
	// Times is how often it went well: more than once in a loop.
	Times uint64
	// Later is the round of a loop in which it failed after it had gone well, nil if
	// there was none. The rest is about the first.
	Later *Step
	// Came is how many completions were taken live before it, since the step before,
	// by queue.
	Came map[string]uint64
	// Inner is what it carried out in turn: the lines of a loop, the line of a
	// repeat or until, the modify_qp of a connect_qps.
	Inner []*Step
}

// is reports whether the line was this command.
func (s *Step) is(spec *command.Spec) bool { return s.Cmd.Spec == spec }

// line is what was typed.
func (s *Step) line() string {
	if s.Done.Line != "" {
		return s.Done.Line
	}
	return s.Cmd.Text
}

// failed reports whether the line did not succeed, the first time in a loop.
func (s *Step) failed() bool { return s.Done.Err != "" }
