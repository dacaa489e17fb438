package export

import (
	"fmt"
	"slices"
	"strings"

	"rdmatui/session/command"
)

// Script writes a recording as a script for rdmatui run. It contains the names and
// numbers that were chosen for omitted ones, so that a replay uses the same; what
// failed at the provider is expected to fail, and what was refused before that is a
// comment. Recording and exporting a replay gives the same text.
func Script(r Recording) string {
	var s scriptWriter
	s.steps(r.Steps, false)
	s.takeWhatCame(r.Came)
	s.say(r.Rest)
	s.comment()
	return s.text.String()
}

// scriptWriter collects lines, and the comment for the next line.
type scriptWriter struct {
	text      strings.Builder
	why       []string
	early     early
	succeeded bool // without comments, and without what failed
}

// takeWhatCame waits for the completions that the session took in the background.
func (s *scriptWriter) takeWhatCame(came map[string]uint64) {
	for _, cq := range s.early.add(came) {
		s.line(fmt.Sprintf("poll_cq %s n=%d timeout=%dms", cq, came[cq], patience))
	}
}

func (s *scriptWriter) say(text string) {
	if text != "" {
		s.why = append(s.why, text)
	}
}

// comment writes the comment above the next line.
func (s *scriptWriter) comment() {
	if s.succeeded {
		s.why = nil
	}
	text := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(strings.Join(s.why, " "), "?"))
	for _, line := range wrap(text, commentWidth) {
		s.text.WriteString("# " + line + "\n")
	}
	s.why = nil
}

func (s *scriptWriter) line(text string) {
	s.comment()
	s.text.WriteString(text + "\n")
}

func (s *scriptWriter) steps(steps []*Step, inLoop bool) {
	for _, one := range steps {
		s.step(one, inLoop)
	}
}

func (s *scriptWriter) step(one *Step, inLoop bool) {
	s.takeWhatCame(one.Came)
	s.say(one.Why)
	switch {
	case one.Cmd.Spec == nil && one.failed():
		s.refused(one)
	case one.Cmd.Spec == nil, one.is(command.Live) && !inLoop, s.leavesOut(one), s.asksForTaken(one):
	case one.is(command.Loop), one.is(command.Try):
		s.line(one.Cmd.Canonical())
		s.steps(one.Inner, true)
		s.line("end")
	case !one.failed() || inLoop:
		s.line(one.pinned(inLoop))
	case one.is(command.Repeat) && len(one.Inner) > 0:
		s.cutShort(one)
	case !one.Asked && len(one.Inner) > 0:
		s.steps(one.Inner, false)
	case one.Asked:
		s.expectFailure(one)
	default:
		s.refused(one)
	}
}

// asksForTaken reports whether a line that polls asks for completions that were waited for
// above.
func (s *scriptWriter) asksForTaken(one *Step) bool {
	cq, n := one.polls()
	if cq == "" || one.failed() || s.early[cq] == 0 {
		return false
	}
	if n = s.early.claim(cq, n); n > 0 {
		s.line(given(one.Cmd.With("n", fmt.Sprint(n)), func(command.Value) bool { return true }).Canonical())
	}
	return true
}

// refused writes a comment for a line that made no call.
func (s *scriptWriter) refused(one *Step) {
	s.say("refused: " + strings.TrimSpace(one.line()) + ": " + one.Done.Err)
}

// cutShort writes a repeat as far as it succeeded, and the failure.
func (s *scriptWriter) cutShort(one *Step) {
	failure := one.Inner[0]
	if failure.Times > 0 {
		again := one.Cmd.With("n", fmt.Sprint(failure.Times))
		s.line(given(again, func(v command.Value) bool { return v.Arg.Name == "n" }).Canonical())
		failure = failure.Later
	}
	switch {
	case failure == nil:
	case failure.Asked:
		s.expectFailure(failure)
	default:
		s.refused(failure)
	}
}

// expectFailure writes a line as one that must fail.
func (s *scriptWriter) expectFailure(one *Step) {
	if s.succeeded {
		return
	}
	words := "expect error "
	if one.Done.Errno != "" {
		words += one.Done.Errno + " "
	}
	s.line(words + one.pinned(false))
}

// pinned returns the line with the names and numbers that were chosen for it. In a
// loop each round chooses its own.
func (s *Step) pinned(inLoop bool) string {
	if s.Full.Spec == nil || inLoop {
		return s.Cmd.Canonical()
	}
	line := s.Cmd
	var chosen []string
	for _, v := range s.Full.Values {
		if s.Cmd.Given(v.Arg.Name) || !pins(s.Cmd, v.Arg) {
			continue
		}
		line = line.With(v.Arg.Name, v.Text)
		chosen = append(chosen, v.Arg.Name)
	}
	return given(line, func(v command.Value) bool { return slices.Contains(chosen, v.Arg.Name) }).Canonical()
}

// pins reports whether the value chosen for an argument is written out.
func pins(cmd command.Command, a *command.Arg) bool {
	switch a.Type {
	case command.NewName:
		return true
	case command.Object:
		// An identifier determines its device.
		return a.Name != "device" || !cmd.Has("id") && !cmd.Has("channel")
	}
	return a.Name == "wr_id"
}

// given returns the command with some values marked as typed.
func given(c command.Command, which func(command.Value) bool) command.Command {
	c.Values = slices.Clone(c.Values)
	for i := range c.Values {
		if which(c.Values[i]) {
			c.Values[i].Given = true
		}
	}
	return c
}
