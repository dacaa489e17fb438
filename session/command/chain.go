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
	if !ok {
		return nil
	}
	var first *Spec
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
		first = cmd.Spec
		at += len(text)
	}
	return nil
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
