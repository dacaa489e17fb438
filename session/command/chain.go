package command

import (
	"slices"
	"strings"

	"rdmatui/session/command/syntax"
)

// chainable are the commands whose requests can be posted as a list.
var chainable = []*Spec{PostSend, PostRecv, PostSRQRecv}

func chainableNames() string {
	names := make([]string, len(chainable))
	for i, s := range chainable {
		names[i] = s.Name
	}
	return strings.Join(names, ", ")
}

// SplitChain splits the text of a chain into lines: a ; that ends a bare word, or
// stands alone, separates two.
func SplitChain(text string) []string {
	words, _ := syntax.Lex(text)
	var lines []string
	from := 0
	for _, w := range words {
		if !w.Quoted && strings.HasSuffix(text[:w.End], ";") {
			lines = append(lines, strings.TrimSpace(text[from:w.End-1]))
			from = w.End
		}
	}
	if len(words) > 0 {
		from, end := from, words[len(words)-1].End
		lines = append(lines, strings.TrimSpace(text[from:end]))
	}
	return lines
}

// chainStart returns where the last line of a chain starts in its text.
func chainStart(text string) int {
	words, _ := syntax.Lex(text)
	start := 0
	for _, w := range words {
		if !w.Quoted && strings.HasSuffix(text[:w.End], ";") {
			start = w.End
		}
	}
	return start
}

// checkChain requires all lines of a chain to be valid and of one kind.
func checkChain(p *parser, c *Command) *syntax.Error {
	v, ok := c.value("line")
	if _, known := v.nested(); !ok || known {
		return nil
	}
	var first *Spec
	var links []Command
	at := 0
	for _, text := range SplitChain(v.Text) {
		at += strings.Index(v.Text[at:], text)
		inner := parser{known: p.known, line: text, depth: p.depth + 1}
		cmd, err := inner.parse()
		switch {
		case err == nil && cmd.Spec == nil:
			err = inner.errorf(0, "there is no request between two ;")
		case err == nil && !slices.Contains(chainable, cmd.Spec):
			err = inner.errorf(0, "%s cannot be in a chain", cmd.Spec.Name)
			err.Token, err.Hint = cmd.Spec.Name, "it takes "+chainableNames()
		case err == nil && first != nil && first != cmd.Spec:
			err = inner.errorf(0, "%s and %s do not go into one chain: each call is for one queue", first.Name,
				cmd.Spec.Name)
			err.Token = cmd.Spec.Name
		case err == nil:
			err = checkLink(&inner, &cmd)
		}
		if err != nil {
			outer := *err
			outer.Line, outer.Column = p.line, err.Column+at+v.column-1
			return &outer
		}
		first, links = cmd.Spec, append(links, cmd)
		at += len(text)
	}
	v.other = links
	return nil
}

// nested returns the commands in a value of type Line, once they are read; v may be nil.
func (v *Value) nested() (inner []Command, ok bool) {
	if v != nil {
		inner, ok = v.other.([]Command)
	}
	return inner, ok
}

// Nested returns the commands in the command's line: those of a chain, or one.
func (c Command) Nested() []Command { inner, _ := other[[]Command](c, "line"); return inner }

// takeFor is take with the line of a command.
func (v *Value) takeFor(of *Spec) {
	if v.take(); v.Arg.Type != Line {
		return
	}
	lines := []string{v.Text}
	if of == Chain {
		lines = SplitChain(v.Text)
	}
	var inner []Command
	for _, text := range lines {
		inner = append(inner, Read(text))
	}
	v.other = inner
}

// checkLink refuses arguments that apply only to a request posted alone.
func checkLink(p *parser, c *Command) *syntax.Error {
	for _, name := range []string{"count", "outstanding", "signal_every"} {
		if v, ok := c.value(name); ok && v.Given {
			return p.errorAt(v, "%s does not apply to a request in a chain", name)
		}
	}
	return nil
}
