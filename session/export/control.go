package export

import (
	"fmt"
	"strings"
	"time"
)

// OnlyHere translates a command without an equivalent in C into a comment; why is its
// text.
func OnlyHere(why string) Translation {
	return func(*line) { panic(leftOut(why)) }
}

// Loop translates loop.
func Loop(t *line) {
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
}

// theLine returns the one line that a command carries out.
func (t *line) theLine() *Step {
	if len(t.step.Inner) == 0 {
		panic(leftOut("the line in it was not carried out"))
	}
	return t.step.Inner[0]
}

// Repeat translates repeat.
func Repeat(t *line) {
	inner := t.theLine()
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
}

// Until translates until.
func Until(t *line) {
	inner := t.theLine()
	if t.loops == 0 {
		panic(leftOut("it is in no loop"))
	}
	went := *inner
	went.Done.Err, went.Done.Errno = "", ""
	t.quiet = true
	t.translate(&went, ends, "")
}

// ExpectError translates expect error.
func ExpectError(t *line) {
	inner := t.theLine()
	t.quiet = true
	if !inner.failed() {
		t.translate(inner, works, "")
		return
	}
	t.translate(inner, fails, t.full.String("errno"))
}

// Sleep translates sleep.
func Sleep(t *line) {
	t.put("pause_ns(%s);", number(uint64(t.full.Duration("duration")/time.Nanosecond)))
}

// Note translates note.
func Note(t *line) {
	t.put("%s", "puts("+quoted(strings.TrimSpace(t.full.String("text")))+");")
}

// Try translates try as a block; in C a failure in it ends the program.
func Try(t *line) {
	t.comment("In the session a failure in this block ended the block only. This program ends.")
	t.tries++
	defer func() { t.tries-- }()
	t.open("{")
	t.steps(t.step.Inner)
	t.close()
}
