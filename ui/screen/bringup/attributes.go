package bringup

import (
	"rdmatui/session"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
	"rdmatui/verbs/fields"
)

// attribute is one row of the comparison of both ends.
type attribute struct {
	name, mine, theirs string
	fit                fit
	note               string
}

// fit says whether the values of both ends match.
type fit uint8

const (
	noMatter fit = iota
	fits
	clashes
)

// compare lists the known attributes of a queue pair beside those of its peer, with a
// word where the two must agree.
func compare(s *session.Snapshot, q *session.QPView, name string) (other string, rows []attribute) {
	e, known := endOf(s, name)
	if !known {
		e = end{}
	}
	rows = append(rows, attribute{name: "qp_num", mine: q.Num.String(), theirs: numberOf(e)},
		attribute{name: "qp_state", mine: q.State.String(), theirs: stateOf(e)})
	for i := range fields.QP {
		f := &fields.QP[i]
		mine, theirs := valueOf(f, q), valueOf(f, e.qp)
		if f.Bit == verbs.AttrState || mine == "" && theirs == "" {
			continue
		}
		a := attribute{name: f.Name, mine: mine, theirs: theirs}
		if known && mine != "" {
			a.fit, a.note = agree(f.Name, q, &e)
		}
		rows = append(rows, a)
	}
	return e.name, rows
}

// valueOf returns a field's text if the session knows it, "" otherwise.
func valueOf(f *fields.QPField, q *session.QPView) string {
	if q == nil || q.Attr.Mask&f.Bit == 0 {
		return ""
	}
	if f.Bit == verbs.AttrAV && isUnusedPath(f, &q.Attr) || f.Bit == verbs.AttrAltPath && q.Attr.AltAH == (verbs.AHAttr{}) {
		return ""
	}
	return f.Format(&q.Attr)
}

// isUnusedPath reports a zero field of the address vector, which is left out: most
// are seldom used.
func isUnusedPath(f *fields.QPField, a *verbs.QPAttr) bool {
	return f.Name != "sgid_index" && f.Format(a) == f.Format(&verbs.QPAttr{})
}

func numberOf(e end) string {
	if e.name == "" {
		return ""
	}
	return e.num.String()
}

func stateOf(e end) string {
	if e.qp == nil {
		return ""
	}
	return e.qp.State.String()
}

// agree compares an attribute of the local end with the other end.
func agree(name string, q *session.QPView, e *end) (fit, string) {
	a := &q.Attr
	switch name {
	case "dest_qp_num":
		return same(a.DestQPNum == e.num, "qp_num of "+e.name)
	case "rq_psn":
		return same(a.RQPSN == e.psn, "sq_psn of "+e.name)
	case "dgid":
		return same(a.AH.GRH.DGID == e.gid, "GID of "+e.name)
	case "path_mtu":
		if e.qp != nil && e.qp.Attr.Mask&verbs.AttrPathMTU != 0 {
			return same(a.PathMTU == e.qp.Attr.PathMTU, "both ends alike")
		}
	case "max_rd_atomic":
		if e.qp != nil && e.qp.Attr.Mask&verbs.AttrMaxDestRDAtomic != 0 {
			return same(a.MaxRDAtomic <= e.qp.Attr.MaxDestRDAtomic, "at most max_dest_rd_atomic of "+e.name)
		}
	}
	return noMatter, ""
}

func same(ok bool, note string) (fit, string) {
	if ok {
		return fits, note
	}
	return clashes, "must be: " + note
}

// drawAttribute draws a row of the comparison.
func drawAttribute(b *line.Buf, th *theme.Theme, a attribute) {
	value := valueWidth(b.Room())
	b.Space(1)
	b.Cell(a.name, 18, line.Left, th.Label)
	b.Space(1)
	for _, end := range []struct {
		text  string
		style theme.Style
	}{{a.mine, th.Mine}, {a.theirs, th.Theirs}} {
		if end.text == "" {
			b.Cell(th.Glyphs.Dash, value, line.Left, th.Undefined)
		} else {
			b.Cell(end.text, value, line.Left, end.style)
		}
		b.Space(1)
	}
	switch a.fit {
	case fits:
		b.Text(th.Glyphs.Check, th.OK)
		note(b, a.note, th.Dim)
	case clashes:
		b.Text(th.Glyphs.Ban, th.Err)
		note(b, a.note, th.Err)
	}
}

// valueWidth divides a line between name, two values and a note; a short line has no
// note.
func valueWidth(room int) int {
	if room < 60 {
		return max((room-23)/2, 8)
	}
	return min((room-22)/3, 30)
}

func note(b *line.Buf, text string, st theme.Style) {
	if b.Room() > 10 {
		b.Space(1)
		b.Cell(text, b.Room(), line.Left, st)
	}
}
