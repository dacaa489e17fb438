package export

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// OnlyHere translates a command without an equivalent in C into a comment; why is its
// text.
func OnlyHere(why string) Translation {
	return func(*line) error { return errors.New(why) }
}

// Loop translates loop.
func Loop(t *line) error {
	t.loops++
	defer func() { t.loops-- }()
	if t.hasArg("n") {
		round := "round"
		if t.loops > 1 {
			round = fmt.Sprintf("round_%d", t.loops)
		}
		t.open("for (unsigned long long %s = 0; %s < %s; %s++) {", round, round, t.uint("n"), round)
	} else {
		t.open("for (;;) {")
	}
	t.steps(t.step.Inner)
	t.close()
	return nil
}

// theLine returns the one line that a command carries out.
func (t *line) theLine() (*Step, error) {
	if len(t.step.Inner) == 0 {
		return nil, t.errorf("the line in it was not carried out")
	}
	return t.step.Inner[0], nil
}

// Repeat translates repeat.
func Repeat(t *line) error {
	inner, err := t.theLine()
	if err != nil {
		return err
	}
	n := t.uint("n")
	if inner.Later != nil {
		n = number(inner.Times)
	}
	if !inner.failed() {
		t.loops++
		round := "time"
		if t.loops > 1 {
			round = fmt.Sprintf("time_%d", t.loops)
		}
		t.open("for (unsigned int %s = 0; %s < %s; %s++) {", round, round, n, round)
		t.quiet = true
		t.translate(inner, works, "")
		t.close()
		t.loops--
		inner = inner.Later
	}
	if inner != nil {
		t.translate(inner, works, "")
	}
	return nil
}

// Until translates until.
func Until(t *line) error {
	inner, err := t.theLine()
	if err != nil {
		return err
	}
	if t.loops == 0 {
		return t.errorf("it is in no loop")
	}
	went := *inner
	went.Done.Err, went.Done.Errno = "", ""
	t.quiet = true
	t.translate(&went, ends, "")
	return nil
}

// ExpectError translates expect error.
func ExpectError(t *line) error {
	inner, err := t.theLine()
	if err != nil {
		return err
	}
	t.quiet = true
	if !inner.failed() {
		t.translate(inner, works, "")
		return nil
	}
	t.translate(inner, fails, t.full.String("errno"))
	return nil
}

// Sleep translates sleep.
func Sleep(t *line) error {
	t.put("pause_ns(%s);", number(uint64(t.full.Duration("duration")/time.Nanosecond)))
	return nil
}

// Note translates note.
func Note(t *line) error {
	t.put("%s", "puts("+quoted(strings.TrimSpace(t.full.String("text")))+");")
	return nil
}

// Try translates try as a block; in C a failure in it ends the program.
func Try(t *line) error {
	t.comment("In the session a failure in this block ended the block only. This program ends.")
	t.tries++
	defer func() { t.tries-- }()
	t.open("{")
	t.steps(t.step.Inner)
	t.close()
	return nil
}
