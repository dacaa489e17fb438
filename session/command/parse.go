package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"rdmatui/session/command/syntax"
)

// Command is one parsed line.
type Command struct {
	Spec   *Spec   // nil for a blank line or a comment
	Text   string  // the line
	Values []Value // given or defaulted, in the order of Spec.Args
	Wrong  error   // why the line is none; the session reports it when its turn comes

	made bool // by [Make]: nobody typed the line
}

// parser is what parsing one line needs to know.
type parser struct {
	known *vocabulary
	line  string
	depth int    // how many lines this line is nested in
	spec  string // the command's name once it is known
	made  bool   // the line was not typed, and its columns mean nothing
}

// Parse reads one line. A blank line or a comment is a Command without Spec.
// An error is an *Error.
func Parse(line string) (Command, error) {
	p := parser{known: known(), line: line}
	c, err := p.parse()
	if err != nil {
		return Command{Text: line, Wrong: err}, err
	}
	return c, nil
}

// Read is Parse for a line whose error comes when it is carried out.
func Read(line string) Command {
	c, _ := Parse(line)
	return c
}

// ReadAll is Read for several lines.
func ReadAll(lines ...string) []Command {
	cmds := make([]Command, len(lines))
	for i, l := range lines {
		cmds[i] = Read(l)
	}
	return cmds
}

// Field is a value of a form, by the name of its argument.
type Field struct{ Name, Text string }

// Make returns the command of values that nobody typed as a line. Its line has them in the given order. What is wrong
// with it, without a column, is in the command too.
func Make(spec *Spec, fields ...Field) (Command, error) {
	p := parser{known: known(), spec: spec.Name, made: true}
	b := binder{parser: &p, spec: spec, bound: make([]*Value, len(spec.Args))}
	var line strings.Builder
	line.WriteString(spec.Name)
	next := 0 // the argument that the next value by place is for
	for _, f := range fields {
		at := slices.IndexFunc(spec.Args, func(a Arg) bool { return a.Name == f.Name })
		place := at == next && spec.Args[at].Positional
		if line.WriteByte(' '); place {
			next++
		} else {
			line.WriteString(f.Name + "=")
		}
		word := syntax.QuoteIfNeeded(f.Text, place)
		b.bind(at, &syntax.Word{Value: line.Len(), Text: f.Text, Quoted: word != f.Text})
		line.WriteString(word)
	}
	p.line = line.String()
	c := Command{Spec: spec, Text: p.line, made: true}
	values, err := b.finish()
	if c.Values = values; err == nil && spec.check != nil {
		err = spec.check(&p, &c)
	}
	if err != nil {
		c.Wrong = err
		return c, err
	}
	return c, nil
}

func (p *parser) parse() (Command, *syntax.Error) {
	c := Command{Text: p.line}
	words, err := syntax.Lex(p.line)
	if err != nil || len(words) == 0 {
		return c, err
	}
	spec, used, err := p.findSpec(words)
	if err != nil {
		return c, err
	}
	c.Spec, p.spec = spec, spec.Name
	b := binder{parser: p, spec: spec, bound: make([]*Value, len(spec.Args))}
	if err := b.bindAll(words[used:]); err != nil {
		return c, err
	}
	if c.Values, err = b.finish(); err != nil {
		return c, err
	}
	if spec.check != nil {
		err = spec.check(p, &c)
	}
	return c, err
}

// findSpec returns the command that the first word, or the first two, name.
func (p *parser) findSpec(words []syntax.Word) (spec *Spec, used int, err *syntax.Error) {
	first := words[0]
	if first.Key == "" && !first.Quoted {
		if s := p.known.byName[first.Text]; s != nil {
			return s, 1, nil
		}
		if forms := p.known.forms(first.Text); forms != nil {
			return p.findForm(forms, words)
		}
	}
	e := p.errorf(first.Start, "unknown command %s", syntax.Show(first.Text))
	e.Token, e.Typo = first.Text, true
	if bare, ok := strings.CutPrefix(first.Text, "ibv_"); ok && p.known.byName[bare] != nil {
		e.Hint = "commands have no ibv_: write " + bare
	} else if e.Hint = syntax.DidYouMean(first.Text, p.known.words); e.Hint == "" {
		e.Hint = "help lists the commands"
	}
	return nil, 0, e
}

func (p *parser) findForm(forms []*Spec, words []syntax.Word) (*Spec, int, *syntax.Error) {
	names := make([]string, len(forms))
	for i, f := range forms {
		_, names[i], _ = strings.Cut(f.Name, " ")
		if len(words) > 1 && words[1].Key == "" && words[1].Text == names[i] {
			return f, 2, nil
		}
	}
	if len(words) == 1 || words[1].Key != "" {
		e := p.errorf(words[0].End, "%s needs a kind", words[0].Text)
		e.Hint, e.Typo = "one of "+strings.Join(names, " "), true
		return nil, 0, e
	}
	e := p.errorf(words[1].Start, "%s does not know %s", words[0].Text, syntax.Show(words[1].Text))
	e.Token, e.Hint, e.Typo = words[1].Text, syntax.DidYouMean(words[1].Text, names), true
	return nil, 0, e
}

func (p *parser) errorf(at int, format string, args ...any) *syntax.Error {
	return &syntax.Error{Line: p.line, Column: at + 1, Msg: fmt.Sprintf(format, args...), Made: p.made}
}

// missing is an error about something that the line lacks: its place is the line's end.
func (p *parser) missing(format string, args ...any) *syntax.Error {
	return p.errorf(len(strings.TrimRight(p.line, " \t\r")), format, args...)
}

// errorAt is an error about a value.
func (p *parser) errorAt(v *Value, format string, args ...any) *syntax.Error {
	e := p.errorf(max(v.column-1, 0), format, args...)
	e.Token = v.Text
	for _, a := range args {
		var flag *flagError
		if err, ok := a.(error); ok && errors.As(err, &flag) {
			e.Token = flag.flag
			e.Column += max(strings.Index(v.Text, flag.flag), 0)
		}
	}
	return e
}

// binder gives the words of a line to the arguments of its command.
type binder struct {
	*parser
	spec  *Spec
	bound []*Value // by index of Spec.Args
	next  int      // the first argument that a value by place may go to
}

func (b *binder) bindAll(words []syntax.Word) *syntax.Error {
	for i := range words {
		w := &words[i]
		if w.Key != "" {
			if err := b.bindKey(w); err != nil {
				return err
			}
			continue
		}
		at := b.placeFor(w)
		if at < 0 {
			return b.misplaced(w)
		}
		if b.spec.Args[at].Type == Line {
			end := words[len(words)-1].End
			b.bind(at, &syntax.Word{Start: w.Start, Value: w.Start, Text: b.line[w.Start:end]})
			return nil
		}
		b.bind(at, w)
		b.next = at + 1
	}
	return nil
}

func (b *binder) bind(at int, w *syntax.Word) {
	b.bound[at] = &Value{Arg: &b.spec.Args[at], Text: w.Text, Given: true, Quoted: w.Quoted, column: w.Value + 1}
}

func (b *binder) bindKey(w *syntax.Word) *syntax.Error {
	at := slices.IndexFunc(b.spec.Args, func(a Arg) bool { return a.Name == w.Key && a.Type != Line })
	if at < 0 {
		e := b.errorf(w.Start, "%s has no argument %s", b.spec.Name, syntax.Show(w.Key))
		e.Token, e.Typo = w.Key, true
		if e.Hint = syntax.DidYouMean(w.Key, argNames(b.spec)); e.Hint == "" {
			e.Hint = "see help " + b.spec.Name
		}
		return e
	}
	if b.bound[at] != nil {
		e := b.errorf(w.Start, "%s is given twice", w.Key)
		e.Token, e.Typo = w.Key, true
		return e
	}
	b.bind(at, w)
	return nil
}

func argNames(s *Spec) []string {
	var names []string
	for i := range s.Args {
		if s.Args[i].Type != Line {
			names = append(names, s.Args[i].Name)
		}
	}
	return names
}

// placeFor returns the index of the argument that a value by place belongs to:
// the next one, unless that may be left out and the value fits a later one
// only. -1 where there is none.
func (b *binder) placeFor(w *syntax.Word) int {
	for i := b.next; i < len(b.spec.Args); i++ {
		a := &b.spec.Args[i]
		if !a.Positional || b.bound[i] != nil {
			continue
		}
		if a.Required || b.fits(a, w, i) {
			return i
		}
	}
	return -1
}

// fits reports whether w can be meant for an argument that may be left out.
func (b *binder) fits(a *Arg, w *syntax.Word, at int) bool {
	v := Value{Arg: a, Text: w.Text, Quoted: w.Quoted}
	if err := b.read(&v, true); err != nil && !(takesReference(a.Type) && isReference(&v)) {
		return false
	}
	if a.Type != Object && a.Type != NewName {
		return true
	}
	return !w.Quoted && !b.isLaterChoice(w.Text, at)
}

// isLaterChoice tells the state in "modify_qp INIT" from a queue pair's name.
func (b *binder) isLaterChoice(text string, at int) bool {
	for i := at + 1; i < len(b.spec.Args); i++ {
		if a := &b.spec.Args[i]; a.Positional && a.Type == Choice && b.bound[i] == nil &&
			slices.Contains(a.Choices, text) {
			return true
		}
	}
	return false
}

// misplaced says why a value by place belongs nowhere: it is one too many, or
// it is wrong for all that could still come, of which the last is the likeliest.
func (b *binder) misplaced(w *syntax.Word) *syntax.Error {
	for i := len(b.spec.Args) - 1; i >= b.next; i-- {
		if a := &b.spec.Args[i]; a.Positional && b.bound[i] == nil {
			b.bind(i, w)
			if err := b.checkValue(b.bound[i], true); err != nil {
				return err
			}
		}
	}
	e := b.errorf(w.Start, "%s takes no further argument: %s", b.spec.Name, syntax.Show(w.Text))
	e.Token = w.Text
	if b.spec.Arg(w.Text) != nil {
		e.Hint = "write " + w.Text + "=value"
	} else if takesText(b.spec) {
		e.Hint = "quote text that has spaces"
	} else {
		e.Hint = "the other arguments are name=value; see help " + b.spec.Name
	}
	return e
}

func takesText(s *Spec) bool {
	return slices.ContainsFunc(s.Args, func(a Arg) bool {
		return a.Positional && (a.Type == Text || a.Type == NewFile || a.Type == Bytes)
	})
}

// finish checks what was given, reports what is missing and adds the defaults.
func (b *binder) finish() ([]Value, *syntax.Error) {
	values := make([]Value, 0, len(b.bound))
	for i := range b.bound {
		a, v := &b.spec.Args[i], b.bound[i]
		switch {
		case v != nil:
			if err := b.checkValue(v, true); err != nil {
				return nil, err
			}
			values = append(values, *v)
		case a.Required:
			e := b.missing("%s needs %s: %s", b.spec.Name, a.Name, a.Doc)
			e.Hint = "for example: " + b.spec.Example
			return nil, e
		case a.Default != "":
			values = append(values, Value{Arg: a, Text: a.Default})
			values[len(values)-1].take()
		}
	}
	return values, nil
}
