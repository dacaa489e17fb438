package conversation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rdmatui/session/capture"
)

// Subject is a packet with what the others tell of it.
type Subject struct {
	*capture.Frame
	Marks Marks
	Talk  *Conversation // nil: none
}

// Filter passes the packets that an expression selects.
type Filter func(*Subject) bool

// FilterError is a mistake in an expression.
type FilterError struct {
	Column int // from 1, in characters
	Msg    string
}

// FilterError says where the mistake is, and what it is.
func (e *FilterError) Error() string { return fmt.Sprintf("column %d: %s", e.Column, e.Msg) }

// maxFilterDepth bounds nesting: an expression may be pasted.
const maxFilterDepth = 64

// QPNumbers returns the number of a queue pair that has a name.
type QPNumbers func(qp string) (number uint64, ok bool)

// ParseFilter reads an expression:
//
//	nak or rnr                     words: what the other packets tell of one
//	psn==0x3ea567 and qp==17       fields, with == != < <= > >=
//	op~write not ip==10.0.0.0/24   ~: contains, in any case; "and" may be left out
//	(retry or gap) len>=1024
//
// Fields are those of the headers by their names in JSON, and the ones that [FilterWords] lists. Queue pairs may have
// names; names may be nil. An empty expression passes every packet. The error is a [*FilterError].
func ParseFilter(text string, names QPNumbers) (Filter, error) {
	p := &parser{names: names, tokens: splitFilter(text), end: len([]rune(text)) + 1}
	if len(p.tokens) == 0 {
		return func(*Subject) bool { return true }, nil
	}
	f, err := p.either()
	if err == nil && p.at < len(p.tokens) {
		err = p.wrong("%q has no opening parenthesis", p.tokens[p.at].text)
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// token is a word, an operator or a parenthesis.
type token struct {
	text   string
	column int
}

// operators are those of comparisons, the longer ones first.
var operators = []string{"==", "!=", "<=", ">=", "<", ">", "~", "(", ")"}

func splitFilter(text string) (tokens []token) {
	column := 1
	word := func(s string) {
		if s != "" {
			tokens = append(tokens, token{s, column})
			column += len([]rune(s))
		}
	}
	for text != "" {
		end := strings.IndexAny(text, " \t<>=!~()")
		if end < 0 {
			end = len(text)
		}
		word(text[:end])
		if text = text[end:]; text == "" {
			break
		}
		if strings.ContainsAny(text[:1], " \t") {
			text, column = text[1:], column+1
			continue
		}
		op := text[:1]
		if i := slices.IndexFunc(operators, func(op string) bool { return strings.HasPrefix(text, op) }); i >= 0 {
			op = operators[i]
		}
		word(op)
		text = text[len(op):]
	}
	return tokens
}

type parser struct {
	names  QPNumbers
	tokens []token
	at     int
	end    int // the column behind the last token
	depth  int
}

// next returns the text of the next token, "" at the end.
func (p *parser) next() string {
	if p.at < len(p.tokens) {
		return p.tokens[p.at].text
	}
	return ""
}

func (p *parser) take(text string) bool {
	if strings.EqualFold(p.next(), text) {
		p.at++
		return true
	}
	return false
}

// wrong is a mistake at the next token.
func (p *parser) wrong(format string, args ...any) error {
	column := p.end
	if p.at < len(p.tokens) {
		column = p.tokens[p.at].column
	}
	return &FilterError{column, fmt.Sprintf(format, args...)}
}

func (p *parser) either() (Filter, error) {
	f, err := p.both()
	for err == nil && p.take("or") {
		var g Filter
		one := f
		g, err = p.both()
		f = func(s *Subject) bool { return one(s) || g(s) }
	}
	return f, err
}

func (p *parser) both() (Filter, error) {
	f, err := p.one()
	for err == nil && p.more() {
		var g Filter
		one := f
		g, err = p.one()
		f = func(s *Subject) bool { return one(s) && g(s) }
	}
	return f, err
}

// more reports whether another condition follows, with or without "and".
func (p *parser) more() bool {
	if p.take("and") {
		return true
	}
	next := p.next()
	return next != "" && next != ")" && !strings.EqualFold(next, "or")
}

func (p *parser) one() (Filter, error) {
	if p.depth++; p.depth > maxFilterDepth {
		return nil, p.wrong("nested more than %d deep", maxFilterDepth)
	}
	defer func() { p.depth-- }()
	switch {
	case p.take("not"):
		f, err := p.one()
		if err != nil {
			return nil, err
		}
		return func(s *Subject) bool { return !f(s) }, nil
	case p.take("("):
		f, err := p.either()
		if err != nil {
			return nil, err
		}
		if !p.take(")") {
			return nil, p.wrong("a ) is missing")
		}
		return f, nil
	}
	return p.condition()
}

// numberField returns the number of a named queue pair in the place of its name.
func (p *parser) number(of field, value string) string {
	if of.Name == "qp" && p.names != nil {
		if n, ok := p.names(value); ok {
			return strconv.FormatUint(n, 10)
		}
	}
	return value
}

// condition reads a word, or a field with an operator and a value.
func (p *parser) condition() (Filter, error) {
	name := p.next()
	if name == "" {
		return nil, p.wrong("a condition is missing")
	}
	of, known := findField(name)
	if !known {
		return nil, p.wrong("unknown name %q; %s", name, suggestWord(name))
	}
	p.at++
	op := p.next()
	if compared := slices.Contains(operators[:7], op); of.word != nil && !(compared && of.numbers != nil) {
		if compared {
			return nil, p.wrong("%s is a word without a value; leave out %s", name, op)
		}
		return of.word, nil
	}
	if !slices.Contains(of.operators(), op) {
		return nil, p.wrong("%s needs one of %s and a value", name, strings.Join(of.operators(), " "))
	}
	p.at++
	value := p.next()
	if value == "" || slices.Contains(operators, value) {
		return nil, p.wrong("%s%s needs a value", name, op)
	}
	f, err := of.compare(op, p.number(of, value))
	if err != nil {
		return nil, p.wrong("%s", err)
	}
	p.at++
	return f, nil
}
