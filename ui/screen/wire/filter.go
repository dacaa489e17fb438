package wire

import (
	"strings"

	"rdmatui/session/filter"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/input"
)

// setText takes what is typed: an expression if it is one, or a text that a row
// contains.
func (l *list) setText(text string) {
	l.text, l.pass, l.mistake = text, nil, ""
	pass, err := filter.Parse(text, l.numberOf)
	switch {
	case strings.TrimSpace(text) == "":
	case err == nil:
		l.pass = pass
	case strings.ContainsAny(text, "=<>~!()"): // meant as an expression
		l.mistake = err.Error()
	}
}

// complete lists how an expression may go on.
func complete(text string, cursor int) (list []input.Candidate) {
	for _, c := range filter.Complete(text, cursor) {
		list = append(list, input.Candidate{Text: c.Text, Help: c.Doc, From: c.From, To: c.To})
	}
	return list
}

// numberOf returns the number of a named queue pair.
func (l *list) numberOf(qp string) (uint64, bool) {
	for at, name := range l.names {
		if name == qp {
			return uint64(at.QP), true
		}
	}
	return 0, false
}

// subject is a row as the filter takes it, valid until the next call.
func (l *list) subject(r *row) *filter.Subject {
	l.talked.Talk = l.source.TalkOf(r)
	l.tested = filter.Subject{Frame: &r.Frame, Marks: r.Marks, Talk: &l.talked}
	return &l.tested
}

// matches reports whether a row passes what was typed.
func (l *list) matches(r *row) bool {
	switch {
	case l.text == "":
		return true
	case l.pass != nil:
		return l.pass(l.subject(r))
	}
	b := l.buf
	b.Reset()
	for col := range columns {
		l.draw(b, r, col)
		b.Space(1)
	}
	b.Text(r.Wire.BTH.Opcode.String(), theme.Style{})
	b.Space(1)
	b.Hex(uint64(r.To().QP), 6, theme.Style{})
	return strings.Contains(strings.ToLower(b.String()), strings.ToLower(l.text))
}
