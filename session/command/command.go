package command

import (
	"math"
	"slices"
	"strings"
	"time"

	"rdmatui/session/command/syntax"
	"rdmatui/verbs"
	"rdmatui/verbs/fields"
)

// The getters below return what was read when the line was parsed, or when its references were resolved: the zero value
// where the argument has no value, or still is a reference.

func (c *Command) value(name string) (*Value, bool) {
	for i := range c.Values {
		if c.Values[i].Arg.Name == name {
			return &c.Values[i], true
		}
	}
	return nil, false
}

// Get returns an argument's value, given or default.
func (c Command) Get(name string) (Value, bool) {
	if v, ok := c.value(name); ok {
		return *v, true
	}
	return Value{}, false
}

// Has reports whether the argument has a value, given or default.
func (c Command) Has(name string) bool { _, ok := c.value(name); return ok }

// Given reports whether the argument was typed.
func (c Command) Given(name string) bool {
	v, ok := c.value(name)
	return ok && v.Given
}

// IsResolved reports whether the argument has a value that is not a reference.
func (c Command) IsResolved(name string) bool {
	v, ok := c.value(name)
	return ok && v.read
}

// With returns the command with the named argument set to text, as chosen by the
// session rather than the user. If the command has no such argument it is unchanged.
func (c Command) With(name, text string) Command {
	at := slices.IndexFunc(c.Spec.Args, func(a Arg) bool { return a.Name == name })
	if at < 0 {
		return c
	}
	order := func(v Value) int {
		return slices.IndexFunc(c.Spec.Args, func(a Arg) bool { return a.Name == v.Arg.Name })
	}
	values := make([]Value, 0, len(c.Values)+1)
	for _, v := range c.Values {
		if order(v) < at {
			values = append(values, v)
		}
	}
	chosen := Value{Arg: &c.Spec.Args[at], Text: text}
	chosen.takeFor(c.Spec)
	values = append(values, chosen)
	for _, v := range c.Values {
		if order(v) > at {
			values = append(values, v)
		}
	}
	c.Values = values
	return c
}

// Without returns the command without a value for the named argument.
func (c Command) Without(name string) Command {
	c.Values = slices.DeleteFunc(slices.Clone(c.Values), func(v Value) bool { return v.Arg.Name == name })
	return c
}

// String returns the argument's text, "" where it has none.
func (c Command) String(name string) string {
	if v, ok := c.value(name); ok {
		return v.Text
	}
	return ""
}

// Uint returns a number or an address.
func (c Command) Uint(name string) uint64 { return number[uint64](c, name) }

// Int returns a number, 0 if it does not fit an int.
func (c Command) Int(name string) int {
	if n := c.Uint(name); n <= math.MaxInt {
		return int(n)
	}
	return 0
}

// Bool returns whether the argument is on.
func (c Command) Bool(name string) bool { return c.Uint(name) != 0 }

// Duration returns a time span.
func (c Command) Duration(name string) time.Duration { return number[time.Duration](c, name) }

// number returns the number, the choice or the set of flags that an argument stands for.
func number[T verbs.Integer | time.Duration](c Command, name string) T {
	if v, ok := c.value(name); ok {
		return T(v.number)
	}
	return 0
}

// other returns what an argument stands for that is no number; ok is false where it has no value.
func other[T any](c Command, name string) (is T, ok bool) {
	if v, has := c.value(name); has {
		is, ok = v.other.(T)
	}
	return is, ok
}

// Limit returns how long the command waits at most; 0: it does not wait, or has no
// limit.
func (c Command) Limit() time.Duration {
	for i := range c.Values {
		if a := c.Values[i].Arg; a.Limits {
			return c.Duration(a.Name)
		}
	}
	return 0
}

// Share returns a probability from 0 to 1.
func (c Command) Share(name string) float64 { return math.Float64frombits(c.Uint(name)) }

// GID returns a GID.
func (c Command) GID(name string) verbs.GID { gid, _ := other[verbs.GID](c, name); return gid }

// Access returns a set of access rights.
func (c Command) Access(name string) verbs.Access { return number[verbs.Access](c, name) }

// SendFlags returns a set of send flags.
func (c Command) SendFlags(name string) verbs.SendFlags { return number[verbs.SendFlags](c, name) }

// SendOps is the value of a set of operations.
func (c Command) SendOps(name string) verbs.SendOps { return number[verbs.SendOps](c, name) }

// CQWCFlags returns the requested completion fields.
func (c Command) CQWCFlags(name string) verbs.CQWCFlags { return number[verbs.CQWCFlags](c, name) }

// WCFlags returns the flags of a completion.
func (c Command) WCFlags(name string) verbs.WCFlags { return number[verbs.WCFlags](c, name) }

// DataInOrderFlags returns the flags of a query for the order of data.
func (c Command) DataInOrderFlags(name string) verbs.DataInOrderFlags {
	return number[verbs.DataInOrderFlags](c, name)
}

// Flush returns the options of a FLUSH; omitted ones are GLOBAL and RANGE.
func (c Command) Flush() verbs.FlushWR {
	f := verbs.FlushWR{
		Length: uint32(c.Uint("length")), Type: verbs.FlushToAll, Level: number[verbs.FlushLevel](c, "level"),
	}
	if c.Has("type") {
		f.Type = number[verbs.FlushType](c, "type")
	}
	return f
}

// Opcode returns a work request's opcode.
func (c Command) Opcode(name string) verbs.WROpcode { return number[verbs.WROpcode](c, name) }

// QPState returns a queue pair's state.
func (c Command) QPState(name string) verbs.QPState { return number[verbs.QPState](c, name) }

// QPType returns a queue pair's type.
func (c Command) QPType(name string) verbs.QPType { return number[verbs.QPType](c, name) }

// MWType returns a memory window's type.
func (c Command) MWType(name string) verbs.MWType { return number[verbs.MWType](c, name) }

// EventType returns an asynchronous event's type.
func (c Command) EventType(name string) verbs.EventType { return number[verbs.EventType](c, name) }

// CMEventType returns the type of a connection manager's event.
func (c Command) CMEventType(name string) verbs.CMEventType {
	return number[verbs.CMEventType](c, name)
}

// PortSpace returns a port space of the connection manager.
func (c Command) PortSpace(name string) verbs.CMPortSpace { return number[verbs.CMPortSpace](c, name) }

// AddrInfoHints returns the hints for a resolver.
func (c Command) AddrInfoHints() verbs.AddrInfoHints {
	return verbs.AddrInfoHints{
		Flags: number[verbs.AddrInfoFlags](c, "flags"), Family: number[verbs.AddrFamily](c, "family"),
		QPType: c.QPType("qp_type"), PortSpace: c.PortSpace("port_space"),
	}
}

// CMOption returns an option of an identifier.
func (c Command) CMOption(name string) verbs.CMOption { return number[verbs.CMOption](c, name) }

// WCStatus returns a completion's status.
func (c Command) WCStatus(name string) verbs.WCStatus { return number[verbs.WCStatus](c, name) }

// MTU returns a path MTU.
func (c Command) MTU(name string) verbs.MTU { return number[verbs.MTU](c, name) }

// SGEs returns a list of pieces of memory.
func (c Command) SGEs(name string) []SGEText { list, _ := other[[]SGEText](c, name); return list }

// QuotedBytes returns data as a quoted text, which is a string literal in C too.
func (c Command) QuotedBytes(name string) string { return syntax.Quote(string(c.Bytes(name))) }

// QPAttr returns the attributes that are named in the command, with the mask bits of those. One that still is a
// reference is an error.
func (c Command) QPAttr() (attr verbs.QPAttr, err error) {
	for i := range c.Values {
		v := &c.Values[i]
		f := fields.QPNamed(v.Arg.Name)
		if f != nil && !v.read {
			p := parser{known: known(), line: c.Text, made: c.made}
			return attr, p.errorAt(v, "%v", f.Set(&attr, v.Text))
		}
		if f != nil {
			gid, _ := v.other.(verbs.GID)
			f.Store(&attr, v.number, gid)
		}
	}
	return attr, nil
}

// CName returns the C constants of a choice or of a set of flags, "0" if there are none.
func (c Command) CName(name string) string {
	v, ok := c.value(name)
	switch {
	case ok && v.Arg.Type == FlagSet:
		return v.Arg.cflags(v.number)
	case !ok || !slices.Contains(v.Arg.Choices, v.Text):
		return "0"
	}
	return v.Arg.cprefix + v.Text
}

// Canonical renders the command as a line: what was typed, in the table's order
// and spelling. Parsing it gives the same command.
func (c Command) Canonical() string {
	return c.render(func(v *Value) bool { return v.Given })
}

// Full is Canonical with defaults and the session's choices.
func (c Command) Full() string {
	return c.render(func(*Value) bool { return true })
}

func (c Command) render(want func(*Value) bool) string {
	if c.Spec == nil {
		return ""
	}
	var b strings.Builder
	b.WriteString(c.Spec.Name)
	skipped := false // a value by place was left out, so later ones need their names
	for i := range c.Spec.Args {
		a := &c.Spec.Args[i]
		v, ok := c.value(a.Name)
		if !ok || !want(v) {
			skipped = skipped || a.Positional
			continue
		}
		b.WriteByte(' ')
		if a.Type == Line {
			b.WriteString(v.Text)
			continue
		}
		word := v.word(a.Positional && !skipped)
		if a.Positional && word[0] == '"' && isNamed(a.Type) {
			skipped = true // by place, what is in quotes is taken for text
		}
		if !a.Positional || skipped {
			b.WriteString(a.Name + "=")
			word = v.word(false)
		}
		b.WriteString(word)
	}
	return b.String()
}

// word returns the value as written in a line.
func (v *Value) word(place bool) string {
	if v.Quoted && quotesMatter(v.Arg.Type) {
		return syntax.Quote(v.Text)
	}
	if path, ok := v.FilePath(); ok {
		return syntax.FilePrefix + syntax.QuoteIfNeeded(path, false)
	}
	return syntax.QuoteIfNeeded(v.Text, place)
}

func isNamed(t Type) bool { return t == Object || t == NewName }

// quotesMatter reports whether a value of the type may mean something else
// without its quotes.
func quotesMatter(t Type) bool {
	return t == Text || t == NewFile || t == Word || t == Bytes || t == SGEList
}
