package command

import (
	"slices"
	"strings"
	"time"

	"rdmatui/session/command/syntax"
	"rdmatui/verbs"
	"rdmatui/verbs/fields"
)

// The typed readers below are for a command that [Command.Resolve] returned,
// whose values have all been checked. They return the zero value where the
// argument has no value, or still is a reference.

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
	return ok && !(takesReference(v.Arg.Type) && isReference(v))
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
	values = append(values, Value{Arg: &c.Spec.Args[at], Text: text})
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

// Uint returns a number or an address, 0 if the text is neither.
func (c Command) Uint(name string) uint64 {
	n, _ := verbs.ParseUint(c.String(name), 64)
	return n
}

// Int returns a number that fits an int, 0 if the text is none.
func (c Command) Int(name string) int {
	n, _ := verbs.ParseUint(c.String(name), 63)
	return int(n)
}

// Bool returns whether the argument is on.
func (c Command) Bool(name string) bool { return boolWords[strings.ToLower(c.String(name))] }

// Duration returns a time span, 0 if the text is none.
func (c Command) Duration(name string) time.Duration {
	d, _ := time.ParseDuration(c.String(name))
	return d
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
func (c Command) Share(name string) float64 {
	v, err := parseShare(c.String(name))
	if err != nil {
		return 0
	}
	return v
}

// GID returns a GID, the zero one if the text is none.
func (c Command) GID(name string) verbs.GID {
	g, _ := verbs.ParseGID(c.String(name))
	return g
}

// Access returns a set of access rights.
func (c Command) Access(name string) verbs.Access { return FlagsOf(c, name, verbs.AccessFlags) }

// SendFlags returns a set of send flags.
func (c Command) SendFlags(name string) verbs.SendFlags { return FlagsOf(c, name, verbs.SendFlagNames) }

// SendOps is the value of a set of operations.
func (c Command) SendOps(name string) verbs.SendOps { return FlagsOf(c, name, verbs.SendOpFlags) }

// CQWCFlags returns the requested completion fields.
func (c Command) CQWCFlags(name string) verbs.CQWCFlags { return FlagsOf(c, name, verbs.CQWCFlagNames) }

// Flush returns the options of a FLUSH; omitted ones are GLOBAL and RANGE.
func (c Command) Flush() verbs.FlushWR {
	f := verbs.FlushWR{
		Length: uint32(c.Uint("length")), Type: verbs.FlushToAll, Level: enumOf(c, "level", verbs.FlushLevels),
	}
	if c.Has("type") {
		f.Type = FlagsOf(c, "type", verbs.FlushTypes)
	}
	return f
}

// Opcode returns a work request's opcode.
func (c Command) Opcode(name string) verbs.WROpcode { return enumOf(c, name, verbs.WROpcodes) }

// QPState returns a queue pair's state.
func (c Command) QPState(name string) verbs.QPState { return enumOf(c, name, verbs.QPStates) }

// QPType returns a queue pair's type.
func (c Command) QPType(name string) verbs.QPType { return enumOf(c, name, verbs.QPTypes) }

// EventType returns an asynchronous event's type.
func (c Command) EventType(name string) verbs.EventType { return enumOf(c, name, verbs.EventTypes) }

// CMEventType returns the type of a connection manager's event.
func (c Command) CMEventType(name string) verbs.CMEventType {
	return enumOf(c, name, verbs.CMEventTypes)
}

// PortSpace returns a port space of the connection manager.
func (c Command) PortSpace(name string) verbs.CMPortSpace { return enumOf(c, name, verbs.CMPortSpaces) }

// AddrInfoHints returns the hints for a resolver.
func (c Command) AddrInfoHints() verbs.AddrInfoHints {
	return verbs.AddrInfoHints{
		Flags: FlagsOf(c, "flags", verbs.AddrInfoFlagNames), Family: enumOf(c, "family", verbs.AddrFamilies),
		QPType: enumOf(c, "qp_type", verbs.QPTypes), PortSpace: enumOf(c, "port_space", verbs.CMPortSpaces),
	}
}

// CMOption returns an option of an identifier.
func (c Command) CMOption(name string) verbs.CMOption { return enumOf(c, name, verbs.CMOptions) }

// WCStatus returns a completion's status.
func (c Command) WCStatus(name string) verbs.WCStatus { return enumOf(c, name, verbs.WCStatuses) }

// MTU returns a path MTU.
func (c Command) MTU(name string) verbs.MTU {
	m, err := verbs.ParseMTU(c.String(name))
	if err != nil {
		return 0
	}
	return m
}

// SGEs returns a list of pieces of memory.
func (c Command) SGEs(name string) []SGEText {
	v, ok := c.value(name)
	if !ok {
		return nil
	}
	sges, err := parseSGEs(v.Text, false)
	if err != nil {
		return nil
	}
	return sges
}

// Bytes returns data: a text's bytes, decoded hex, or a pattern.
func (c Command) Bytes(name string) []byte {
	v, ok := c.value(name)
	if !ok {
		return nil
	}
	return parseBytes(v.Text, v.Quoted)
}

// QuotedBytes returns data as a quoted text, which is a string literal in C too.
func (c Command) QuotedBytes(name string) string { return syntax.Quote(string(c.Bytes(name))) }

// QPAttr returns the attributes that are named in the command, with the mask
// bits of those.
func (c Command) QPAttr() (verbs.QPAttr, error) {
	var attr verbs.QPAttr
	for i := range c.Values {
		v := &c.Values[i]
		if f := fields.QPNamed(v.Arg.Name); f != nil {
			text := v.Text
			if v.Arg.Type == Bool {
				text = boolText(boolWords[strings.ToLower(text)])
			}
			if err := f.Set(&attr, text); err != nil {
				p := parser{known: known(), line: c.Text}
				return attr, p.errorAt(v, "%v", err)
			}
		}
	}
	return attr, nil
}

func boolText(on bool) string {
	if on {
		return "1"
	}
	return "0"
}

func enumOf[T verbs.Integer](c Command, name string, e verbs.Enum[T]) T {
	v, err := e.Parse(c.String(name))
	if err != nil {
		return 0
	}
	return v
}

// FlagsOf returns a set of flags, the empty one if the text is none.
func FlagsOf[T verbs.Integer](c Command, name string, f verbs.Flags[T]) T {
	v, err := f.Parse(c.String(name))
	if err != nil {
		return 0
	}
	return v
}

// CName returns the C constants of a choice or of a set of flags, "0" if there are none.
func (c Command) CName(name string) string {
	v, ok := c.value(name)
	switch {
	case ok && v.Arg.Type == FlagSet:
		return v.Arg.cflags(v.Text)
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
