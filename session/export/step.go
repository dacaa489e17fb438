// Package export writes a session as an equivalent C program, and as a script that
// can be run again. It only reads the recording.
package export

import (
	"rdmatui/session/command"
	"rdmatui/session/timeline"
)

// Recording is what a session has done.
type Recording struct {
	Steps []*Step
	Came  map[string]uint64 // completions taken live after the last step, by queue
	Cut   bool              // the recording is incomplete
	Rest  string            // comment after the last line
}

// Step is one recorded line.
type Step struct {
	Why   string          // the comment above it
	Cmd   command.Command // as typed, with references; no Spec: nothing to do
	Full  command.Command // with references resolved and omitted values chosen, as far as it got
	Done  timeline.CommandDone
	Ran   bool // false: the loop ended before this line
	Asked bool // the provider was called
	// Stopped says that the line was stopped while it ran; Ran is false then.
	Stopped bool
	// Times is how often it succeeded: more than once in a loop.
	Times uint64
	// Later is the round of a loop in which it failed after it had succeeded, nil if
	// there was none. The other fields are about the first round.
	Later *Step
	// Came counts the completions taken live between the previous step and this one,
	// by queue.
	Came map[string]uint64
	// Inner holds the lines that it carried out: the lines of a loop, the line of a
	// repeat or until, the modify_qp of a connect_qps.
	Inner []*Step
}

// is reports whether the line was this command.
func (s *Step) is(spec *command.Spec) bool { return s.Cmd.Spec == spec }

// line returns what was typed.
func (s *Step) line() string {
	if s.Done.Line != "" {
		return s.Done.Line
	}
	return s.Cmd.Text
}

// failed reports whether the line failed; in a loop, the first time.
func (s *Step) failed() bool { return s.Done.Err != "" }
