// Package ccall writes C calls and the initialisers of their structs. A call is a
// tree, built once from either current values and the user's object names, or the
// expressions of a program. It has two forms: a short one for the screen, easy to
// compare with a program or a man page, and a long one that compiles. The package
// deals in text only: it takes no objects and makes no calls.
package ccall

import (
	"fmt"
	"slices"
	"strings"

	"rdmatui/verbs"
)

// Node is a C expression, statement or initialiser.
type Node interface {
	Short() string // on one line, structs without their types
	Long() string  // as it stands in a program
}

// Text is C text that is the same in both forms.
type Text string

// Short returns the text unchanged.
func (t Text) Short() string { return string(t) }

// Long returns the text unchanged.
func (t Text) Long() string { return string(t) }

// Flags are constants joined by '|', without spaces.
type Flags string

// Short returns the flags without spaces.
func (f Flags) Short() string { return string(f) }

// Long puts spaces around the bars.
func (f Flags) Long() string { return strings.ReplaceAll(string(f), "|", " | ") }

// maskWidth is the width in characters at which a long mask is broken.
const maskWidth = 92

// mask is a set of flags whose long form is broken at maskWidth.
type mask string

// Short returns the flags on one line.
func (m mask) Short() string { return string(m) }

// Long breaks the flags into lines of at most maskWidth characters.
func (m mask) Long() string {
	parts := strings.Split(string(m), "|")
	text, width := parts[0], len(parts[0])
	for _, p := range parts[1:] {
		if width += len(p) + 3; width > maskWidth {
			text, width = text+" |\n\t"+p, len(p)
			continue
		}
		text += " | " + p
	}
	return text
}

// Struct is the designated initialiser of a C struct.
type Struct struct {
	ctype   string
	members []designated
}

type designated struct {
	name  string
	value Node
}

// NewStruct returns an empty initialiser of a type such as "struct ibv_sge".
func NewStruct(ctype string) *Struct { return &Struct{ctype: ctype} }

// Set adds a member and returns the struct.
func (s *Struct) Set(name, value string) *Struct { return s.put(name, Text(value)) }

func (s *Struct) put(name string, value Node) *Struct {
	s.members = append(s.members, designated{name, value})
	return s
}

// Empty reports whether no member is set.
func (s *Struct) Empty() bool { return len(s.members) == 0 }

// Member returns the value of a member, nil if it is not set.
func (s *Struct) Member(name string) Node {
	for _, m := range s.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// Short returns the initialiser on one line.
func (s *Struct) Short() string {
	parts := make([]string, len(s.members))
	for i, m := range s.members {
		parts[i] = "." + m.name + " = " + m.value.Short()
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// fewMembers and shortLine bound the members that Long puts on one line.
const (
	fewMembers = 2
	shortLine  = 60
)

// Long puts each member on its own line, or a few short ones on one line.
func (s *Struct) Long() string {
	if s.Empty() {
		return "{ 0 }"
	}
	parts := make([]string, len(s.members))
	for i, m := range s.members {
		parts[i] = "." + m.name + " = " + m.value.Long()
	}
	line := strings.Join(parts, ", ")
	if len(s.members) <= fewMembers && len(line) < shortLine && !strings.Contains(line, "\n") {
		return "{ " + line + " }"
	}
	return "{\n\t" + strings.ReplaceAll(strings.Join(parts, ",\n"), "\n", "\n\t") + ",\n}"
}

// Literal returns a compound literal of the type, for an assignment.
func (s *Struct) Literal() string { return "(" + s.ctype + ")" + s.Long() }

// Pointer returns a node for the address of the struct.
func (s *Struct) Pointer() Node { return pointer{s} }

type pointer struct{ *Struct }

// Long returns the address of the compound literal.
func (p pointer) Long() string { return "&" + p.Literal() }

// List is an array of structs of one type.
type List []*Struct

// Short returns the list on one line.
func (l List) Short() string {
	parts := make([]string, len(l))
	for i, s := range l {
		parts[i] = s.Short()
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// Long returns the address of a single struct, or an array of several.
func (l List) Long() string {
	if len(l) == 1 {
		return l[0].Pointer().Long()
	}
	return l.array()
}

func (l List) array() string {
	parts := make([]string, len(l))
	for i, s := range l {
		parts[i] = s.Long()
	}
	return "(" + l[0].ctype + "[]){\n\t" + strings.ReplaceAll(strings.Join(parts, ",\n"), "\n", "\n\t") + ",\n}"
}

// Linked is a chain of structs, each of which points to the next through one member.
type Linked []*Struct

// Short puts an arrow between the structs.
func (l Linked) Short() string {
	parts := make([]string, len(l))
	for i, s := range l {
		parts[i] = s.Short()
	}
	return strings.Join(parts, " → ")
}

// Long nests each struct in the one before it.
func (l Linked) Long() string {
	whole := *l[len(l)-1]
	for i := len(l) - 2; i >= 0; i-- {
		next := whole
		whole = Struct{l[i].ctype,
			append(l[i].members[:len(l[i].members):len(l[i].members)], designated{"next", next.Pointer()})}
	}
	return whole.Pointer().Long()
}

// Call is a function call.
type Call struct {
	Func string
	Args []Node
}

func call(function string, args ...Node) Call { return Call{function, args} }

// Short returns the call on one line.
func (c Call) Short() string { return c.text(Node.Short) }

// Long returns the call as in a program, without a semicolon.
func (c Call) Long() string { return c.text(Node.Long) }

func (c Call) text(of func(Node) string) string {
	parts := make([]string, len(c.Args))
	for i, a := range c.Args {
		parts[i] = of(a)
	}
	return c.Func + "(" + strings.Join(parts, ", ") + ")"
}

// assignment gives a variable or member a value.
type assignment struct {
	to    string
	value Node
}

// Short returns the assignment on one line.
func (a assignment) Short() string { return a.to + " = " + a.value.Short() }

// Long returns the assignment without a semicolon.
func (a assignment) Long() string { return a.to + " = " + a.value.Long() }

// Statements are executed in order.
type Statements []Node

// Short returns the statements on one line.
func (s Statements) Short() string {
	parts := make([]string, len(s))
	for i, n := range s {
		parts[i] = n.Short()
	}
	return strings.Join(parts, "; ")
}

// Long puts each statement on its own line.
func (s Statements) Long() string {
	parts := make([]string, len(s))
	for i, n := range s {
		parts[i] = n.Long() + ";"
	}
	return strings.Join(parts, "\n")
}

// Lazy is a node that is made when its text is.
type Lazy func() Node

// Short makes the node, and returns its short form.
func (f Lazy) Short() string { return f().Short() }

// Long makes the node, and returns its long form.
func (f Lazy) Long() string { return f().Long() }

// Format returns text that is formatted when it is shown; of code among the values it has the short form.
func Format(format string, values ...any) Node {
	return Lazy(func() Node {
		texts := slices.Clone(values)
		for i, v := range values {
			if code, ok := v.(interface{ Short() string }); ok {
				texts[i] = code.Short()
			}
		}
		return Text(fmt.Sprintf(format, texts...))
	})
}

// Bool formats a truth value as 1 or 0.
func Bool(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// Hex formats a number in hexadecimal.
func Hex[T verbs.Integer](v T) string { return fmt.Sprintf("0x%x", v) }

// Dec formats a number in decimal.
func Dec[T verbs.Integer](v T) Node { return Text(fmt.Sprint(v)) }
