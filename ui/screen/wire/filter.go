package wire

import (
	"strings"

	"rdmatui/session/capture"
	"rdmatui/session/conversation"
	"rdmatui/session/filter"
	"rdmatui/ui/theme"
)

// setText takes what is typed: an expression if it is one, or a text that a row
// contains.
func (l *list) setText(text string) {
	l.text, l.pass, l.mistake = text, nil, ""
	pass, err := filter.Parse(text, l.number)
	switch {
	case strings.TrimSpace(text) == "":
	case err == nil:
		l.pass = pass
	case strings.ContainsAny(text, "=<>~!()"): // meant as an expression
		l.mistake = err.Error()
	}
}

// number returns the number of a named queue pair.
func (l *list) number(qp string) (uint64, bool) {
	for at, name := range l.names {
		if name == qp {
			return uint64(at.qp), true
		}
	}
	return 0, false
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
	b.Hex(uint64(r.end.qp), 6, theme.Style{})
	return strings.Contains(strings.ToLower(b.String()), strings.ToLower(l.text))
}

// subject is a row as the filter takes it.
func (l *list) subject(r *row) *filter.Subject {
	t := l.talkOf(r)
	ends := [2]conversation.End{{Addr: t.left.addr, QP: t.left.qp}, {Addr: t.right.addr, QP: t.right.qp}}
	return &filter.Subject{
		Frame: &capture.Frame{Packet: *r.Packet, Len: len(r.Data)}, Marks: r.marks(), Talk: &conversation.Conversation{Ends: ends},
	}
}

// marks returns what is known of a packet.
func (r *row) marks() conversation.Marks {
	m := conversation.Own(r.Packet)
	for _, also := range []struct {
		on   bool
		mark conversation.Marks
	}{{r.again, conversation.Again}, {r.twice, conversation.Twice}, {r.gap > 0, conversation.Gap}, {r.lost, conversation.Lost}} {
		if also.on {
			m |= also.mark
		}
	}
	return m
}
