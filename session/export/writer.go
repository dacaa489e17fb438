package export

import (
	"fmt"
	"strings"
)

// writer collects the statements of main.
type writer struct {
	text   strings.Builder
	indent int
}

// put writes statements, each line of them indented.
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

// comment writes a comment of several texts, each on lines of its own; an empty one
// is an empty line.
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

// initialiser is a C initialiser by the names of the members.
type initialiser struct{ members [][2]string }

func (i *initialiser) set(member, value string) {
	i.members = append(i.members, [2]string{member, value})
}

// member is the value of a member, "" where there is none.
func (i *initialiser) member(name string) string {
	for _, m := range i.members {
		if m[0] == name {
			return m[1]
		}
	}
	return ""
}

// String writes one member a line; short ones that say little each stand on one.
func (i *initialiser) String() string {
	parts := make([]string, len(i.members))
	short := true
	for n, m := range i.members {
		parts[n] = "." + m[0] + " = " + m[1]
		short = short && !strings.Contains(m[1], "\n")
	}
	if line := strings.Join(parts, ", "); short && len(i.members) <= 2 && len(line) < 60 {
		return "{ " + line + " }"
	}
	return "{\n\t" + strings.ReplaceAll(strings.Join(parts, ",\n"), "\n", "\n\t") + ",\n}"
}

// pointer is the address of a value of a type with these members.
func (i *initialiser) pointer(ctype string) string { return "&(" + ctype + ")" + i.String() }

// outcome is what is to come of a step.
type outcome uint8

const (
	works outcome = iota
	fails         // as it did in the session
	ends          // it ends the loop if it works
)

// pointerCall writes a call that gives an object, or NULL and errno.
func (t *translator) pointerCall(variable, call, label string) {
	t.put("%s = %s;", variable, call)
	switch t.outcome {
	case works:
		t.put("if (!%s)\n\tdie(\"%s\", errno);", variable, label)
	case fails:
		t.put("must_fail(\"%s\", %s ? 0 : errno, %s);", label, variable, t.errno())
	case ends:
		t.put("if (%s)\n\tbreak;", variable)
	}
}

// errorCall writes a call that gives 0 or an errno.
func (t *translator) errorCall(call, label string) {
	switch t.outcome {
	case works:
		t.put("err = %s;\nif (err)\n\tdie(\"%s\", err);", call, label)
	case fails:
		t.put("must_fail(\"%s\", %s, %s);", label, call, t.errno())
	case ends:
		t.put("if (!%s)\n\tbreak;", call)
	}
}

// statusCall writes a call that gives 0, or -1 and errno.
func (t *translator) statusCall(call, label string) {
	switch t.outcome {
	case works:
		t.put("if (%s)\n\tdie(\"%s\", errno);", call, label)
	case fails:
		t.put("must_fail(\"%s\", %s ? errno : 0, %s);", label, call, t.errno())
	case ends:
		t.put("if (!%s)\n\tbreak;", call)
	}
}

// condition writes something that is to hold.
func (t *translator) condition(holds, what string) {
	switch t.outcome {
	case works:
		t.put("expect(%s, %s);", holds, quoted(what))
	case fails:
		t.put("expect(!(%s), %s);", holds, quoted("it is not so: "+what))
	case ends:
		t.put("if (%s)\n\tbreak;", holds)
	}
}

// errno is what a call is to fail with, 0: anything.
func (t *translator) errno() string {
	if t.wantErrno == "" {
		return "0"
	}
	return t.wantErrno
}
