package bringup

import (
	"rdmatui/session"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
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
	if f.Bit == verbs.AttrAV && isUnusedPath(f, &q.Attr) || f.Bit == verbs.AttrAltPath &&
		q.Attr.AltAH == (verbs.AHAttr{}) {
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

// widths are those of the columns of the comparison.
type widths struct{ name, mine, theirs int }

// leastName holds the names of the attributes but one, leastValues two short values.
const leastName, leastValues = 18, 34

// widthsOf divides w cells: the value of each end has what it needs if there is room, and
// then the name. What an attribute that clashes must be stays beside it.
func widthsOf(rows []attribute, mine, theirs string, w int) widths {
	own, other, name, note := max(line.Width(mine), 8), max(line.Width(theirs), 8), leastName, 0
	for _, a := range rows {
		own, other, name = max(own, line.Width(a.mine)), max(other, line.Width(a.theirs)), max(name, line.Width(a.name))
		if a.fit == clashes {
			note = max(note, line.Width(a.note)+1)
		}
	}
	room := w - leastName - 5 // for the blanks and the mark
	if room-note >= leastValues {
		room -= note
	}
	half := max(room/2, 8)
	switch {
	case own+other <= room:
	case own <= half:
		other = max(room-own, 8)
	case other <= half:
		own = max(room-other, 8)
	default:
		own, other = half, half
	}
	return widths{leastName + max(min(name-leastName, room-own-other), 0), own, other}
}

// longestFlag is the width of the longest name in a value.
const longestFlag = len("REMOTE_ATOMIC")

// folded breaks values that are too long for their columns into further rows without a name.
func folded(rows []attribute, cols widths) (out []attribute) {
	for _, a := range rows {
		mine, theirs := fold(a.mine, cols.mine), fold(a.theirs, cols.theirs)
		for i := range max(len(mine), len(theirs)) {
			if i > 0 {
				a = attribute{}
			}
			a.mine, a.theirs = at(mine, i), at(theirs, i)
			out = append(out, a)
		}
	}
	return out
}

// fold breaks a value into lines of w cells. If the name of a flag could break, the value
// stays whole, to be cut where it is drawn: the enlarged pane has room for it.
func fold(value string, w int) []string {
	if w < longestFlag {
		return []string{value}
	}
	return widget.Fill(nil, value, w)
}

// at returns the ith text, "" behind the last.
func at(texts []string, i int) string {
	if i < len(texts) {
		return texts[i]
	}
	return ""
}

// drawAttribute draws a row of the comparison.
func drawAttribute(b *line.Buf, th *theme.Theme, a attribute, cols widths) {
	b.Space(1)
	b.Cell(a.name, cols.name, line.Left, th.Label)
	b.Space(1)
	for _, end := range []struct {
		text  string
		w     int
		style theme.Style
	}{{a.mine, cols.mine, th.Mine}, {a.theirs, cols.theirs, th.Theirs}} {
		if end.text == "" && a.name != "" {
			b.Cell(th.Glyphs.Dash, end.w, line.Left, th.Undefined)
		} else {
			b.Cell(end.text, end.w, line.Left, end.style)
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

func note(b *line.Buf, text string, st theme.Style) {
	if b.Room() > 10 {
		b.Space(1)
		b.Cell(text, b.Room(), line.Left, st)
	}
}
