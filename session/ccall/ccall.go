// Package ccall writes C calls and the initialisers of their structs. A call is a
// tree that is made once, whatever its values are: those of the moment and the
// user's names for objects, or the expressions of a program. It has two texts: a
// short one for the screen, that can be compared with a program or a man page, and a
// long one that compiles. It is text alone: objects never come here, and nothing is
// called.
package ccall

import (
	"fmt"
	"strings"

	"rdmatui/verbs"
)

// Node is a piece of C.
type Node interface {
	Short() string // in one line, with structs without their types
	Long() string  // for a program
}

// Text is C that is the same in both.
type Text string

// Short is the text.
func (t Text) Short() string { return string(t) }

// Long is the text.
func (t Text) Long() string { return string(t) }

// Flags are constants joined by '|', without spaces.
type Flags string

// Short is the text.
func (f Flags) Short() string { return string(f) }

// Long has spaces around the bars.
func (f Flags) Long() string { return strings.ReplaceAll(string(f), "|", " | ") }

// maskWidth is where a long mask is broken, in characters.
const maskWidth = 92

// mask is Flags that are broken where they are long.
type mask string

func (m mask) Short() string { return string(m) }

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

// Struct is the designated initialisers of a C struct.
type Struct struct {
	ctype   string
	members []designated
}

type designated struct {
	name  string
	value Node
}

// NewStruct is an empty initialiser of a type such as "struct ibv_sge".
func NewStruct(ctype string) *Struct { return &Struct{ctype: ctype} }

// Set adds a member. It returns the struct.
func (s *Struct) Set(name, value string) *Struct { return s.put(name, Text(value)) }

func (s *Struct) put(name string, value Node) *Struct {
	s.members = append(s.members, designated{name, value})
	return s
}

// Empty reports whether no member is named.
func (s *Struct) Empty() bool { return len(s.members) == 0 }

// Member is the value of a member, nil where there is none.
func (s *Struct) Member(name string) Node {
	for _, m := range s.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// Short is the initialiser in one line.
func (s *Struct) Short() string {
	parts := make([]string, len(s.members))
	for i, m := range s.members {
		parts[i] = "." + m.name + " = " + m.value.Short()
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// fewMembers and shortLine say when members stand on one line.
const (
	fewMembers = 2
	shortLine  = 60
)

// Long has one member a line; few that are short stand on one.
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

// Literal is a value of the type, for an assignment.
func (s *Struct) Literal() string { return "(" + s.ctype + ")" + s.Long() }

// Pointer is the address of a struct.
func (s *Struct) Pointer() Node { return pointer{s} }

type pointer struct{ *Struct }

func (p pointer) Long() string { return "&" + p.Literal() }

// List is an array of structs of one type.
type List []*Struct

// Short is the list in one line.
func (l List) Short() string {
	parts := make([]string, len(l))
	for i, s := range l {
		parts[i] = s.Short()
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// Long is the address of a struct that is alone, and else an array.
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

// Linked are structs each of which points to the next by that member.
type Linked []*Struct

// Short has an arrow from each to the next.
func (l Linked) Short() string {
	parts := make([]string, len(l))
	for i, s := range l {
		parts[i] = s.Short()
	}
	return strings.Join(parts, " → ")
}

// Long nests each in the one before it.
func (l Linked) Long() string {
	whole := *l[len(l)-1]
	for i := len(l) - 2; i >= 0; i-- {
		next := whole
		whole = Struct{l[i].ctype, append(l[i].members[:len(l[i].members):len(l[i].members)], designated{"next", next.Pointer()})}
	}
	return whole.Pointer().Long()
}

// Call is a call of a function.
type Call struct {
	Func string
	Args []Node
}

func call(function string, args ...Node) Call { return Call{function, args} }

// Short is the call in one line.
func (c Call) Short() string { return c.text(Node.Short) }

// Long is the call as a program has it, without a semicolon.
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

func (a assignment) Short() string { return a.to + " = " + a.value.Short() }
func (a assignment) Long() string  { return a.to + " = " + a.value.Long() }

// Statements are carried out one after the other.
type Statements []Node

// Short is the statements in one line.
func (s Statements) Short() string {
	parts := make([]string, len(s))
	for i, n := range s {
		parts[i] = n.Short()
	}
	return strings.Join(parts, "; ")
}

// Long has a statement a line.
func (s Statements) Long() string {
	parts := make([]string, len(s))
	for i, n := range s {
		parts[i] = n.Long() + ";"
	}
	return strings.Join(parts, "\n")
}

// Bool is a truth value.
func Bool(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// Hex is a number in hexadecimal.
func Hex[T verbs.Integer](v T) string { return fmt.Sprintf("0x%x", v) }

// Dec is a number in decimal.
func Dec[T verbs.Integer](v T) Node { return Text(fmt.Sprint(v)) }
