package export

import (
	"fmt"
	"strings"

	"rdmatui/session/command"
)

// writer collects the statements of main.
type writer struct {
	text   strings.Builder
	indent int
}

// put writes statements, indenting each line.
func (w *writer) put(format string, args ...any) {
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" {
			w.text.WriteByte('\n')
			continue
		}
		w.text.WriteString(strings.Repeat("\t", w.indent) + line + "\n")
	}
}

// gap puts an empty line between statements.
func (w *writer) gap() {
	if text := w.text.String(); text != "" && !strings.HasSuffix(text, "{\n") {
		w.put("")
	}
}

// open begins a block; close ends it.
func (w *writer) open(format string, args ...any) {
	w.put(format, args...)
	w.indent++
}

func (w *writer) close() {
	w.indent--
	w.put("}")
}

// comment writes a comment of several texts, each on its own lines; an empty one is
// an empty line.
func (w *writer) comment(texts ...string) {
	var lines []string
	for _, text := range texts {
		if text == "" {
			lines = append(lines, "")
		}
		lines = append(lines, wrap(commentText(text), commentWidth-8*w.indent)...)
	}
	switch len(lines) {
	case 0:
	case 1:
		w.put("%s", "/* "+lines[0]+" */")
	default:
		w.put("%s", strings.ReplaceAll("/*\n * "+strings.Join(lines, "\n * ")+"\n */", " * \n", " *\n"))
	}
}

// outcome is the expected result of a step.
type outcome uint8

const (
	works outcome = iota
	fails         // as in the session
	ends          // ends the loop on success
)

// checker writes calls with checks of their expected results.
type checker struct {
	w         *writer
	outcome   outcome
	wantErrno string // expected errno of a failure; "": any
}

// check writes a call that returns no object.
func (c *checker) check(returns command.Returns, call, label string) {
	switch returns {
	case command.ReturnsNothing:
		c.w.put("%s", call+";")
	case command.ReturnsErrno:
		c.errorCall(call, label)
	case command.ReturnsStatus:
		c.statusCall(call, label)
	}
}

// pointerCall writes a call that returns an object, or NULL and errno.
func (c *checker) pointerCall(variable, call, label string) {
	c.w.put("%s = %s;", variable, call)
	switch c.outcome {
	case works:
		c.w.put("if (!%s)\n\tdie(\"%s\", errno);", variable, label)
	case fails:
		c.w.put("must_fail(\"%s\", %s ? 0 : errno, %s);", label, variable, c.errno())
	case ends:
		c.w.put("if (%s)\n\tbreak;", variable)
	}
}

// errorCall writes a call that returns 0 or an errno.
func (c *checker) errorCall(call, label string) {
	switch c.outcome {
	case works:
		c.w.put("err = %s;\nif (err)\n\tdie(\"%s\", err);", call, label)
	case fails:
		c.w.put("must_fail(\"%s\", %s, %s);", label, call, c.errno())
	case ends:
		c.w.put("if (!%s)\n\tbreak;", call)
	}
}

// statusCall writes a call that returns 0, or -1 and errno.
func (c *checker) statusCall(call, label string) {
	switch c.outcome {
	case works:
		c.w.put("if (%s)\n\tdie(\"%s\", errno);", call, label)
	case fails:
		c.w.put("must_fail(\"%s\", %s ? errno : 0, %s);", label, call, c.errno())
	case ends:
		c.w.put("if (!%s)\n\tbreak;", call)
	}
}

// condition writes a check of a condition.
func (c *checker) condition(holds, what string) {
	switch c.outcome {
	case works:
		c.w.put("expect(%s, %s);", holds, quoted(what))
	case fails:
		c.w.put("expect(!(%s), %s);", holds, quoted("this should fail: "+what))
	case ends:
		c.w.put("if (%s)\n\tbreak;", holds)
	}
}

// errno returns the errno that a call must fail with, 0: any.
func (c *checker) errno() string {
	if c.wantErrno == "" {
		return "0"
	}
	return c.wantErrno
}
