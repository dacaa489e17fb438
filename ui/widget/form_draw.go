package widget

import (
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
)

// formRow is one line of the drawn form: a field, its error, or one line of the list that
// is open under it.
type formRow struct {
	field int
	part  formPart
	i     int
}

type formPart uint8

const (
	partField formPart = iota
	partErr
	partFlag
	partCandidate
)

const candidates = 6 // shown under an open field

// SetSize implements widget.Block.
func (f *Form) SetSize(w, h int) { f.w, f.h = w, h; f.layOut() }

// Lines returns how many lines the whole form has.
func (f *Form) Lines() int { f.layOut(); return len(f.rows) }

// Below implements widget.Scroller.
func (f *Form) Below() int { return max(len(f.rows)-f.top-f.h, 0) }

// layOut lists the lines and scrolls so that the field under the cursor is visible, with as much
// of its open list as fits.
func (f *Form) layOut() {
	f.rows = f.rows[:0]
	from, to, hot := 0, 0, 0
	for i := range f.fields {
		if i == f.cursor {
			from, hot = len(f.rows), len(f.rows)
		}
		f.rows = append(f.rows, formRow{i, partField, 0})
		if f.fields[i].Err != "" {
			f.rows = append(f.rows, formRow{i, partErr, 0})
		}
		if i != f.cursor {
			continue
		}
		if f.open {
			hot = f.layOutOpen(i, hot)
		}
		to = len(f.rows)
	}
	f.top = max(f.top, to-f.h)
	f.top = min(f.top, from)
	f.top = max(f.top, hot-f.h+1)
	f.top = max(min(f.top, len(f.rows)-f.h), 0)
}

func (f *Form) layOutOpen(i, hot int) int {
	if f.fields[i].Kind == FlagsField {
		for j := range f.on {
			if j == f.flag {
				hot = len(f.rows)
			}
			f.rows = append(f.rows, formRow{i, partFlag, j})
		}
		return hot
	}
	n := min(len(f.cycle.List), candidates)
	first := f.cycle.Window(n)
	for j := range n {
		f.rows = append(f.rows, formRow{i, partCandidate, first + j})
	}
	return hot
}

// Mouse implements widget.Mouser: a click puts the cursor on a field, unless one
// is open; the wheel moves the cursor.
func (f *Form) Mouse(m Mouse) bool {
	if f.open {
		return false
	}
	switch m.Kind {
	case WheelUp:
		f.move(-1)
	case WheelDown:
		f.move(1)
	case Click:
		if i := f.top + m.Y; m.Y >= 0 && i < len(f.rows) {
			f.cursor = f.rows[i].field
			return true
		}
		return false
	}
	return true
}

// DrawLine implements widget.Block.
func (f *Form) DrawLine(b *line.Buf, y int) {
	if y == 0 {
		f.layOut()
	}
	if f.top+y >= len(f.rows) {
		return
	}
	r := f.rows[f.top+y]
	fd := &f.fields[r.field]
	switch r.part {
	case partField:
		f.drawField(b, fd, r.field == f.cursor)
	case partErr:
		b.Space(4)
		b.Cell(fd.Err, b.Room(), line.Left, f.th.Err)
	case partFlag:
		f.drawFlag(b, fd.Choices, r.i)
	case partCandidate:
		c := f.cycle.List[r.i]
		f.drawOption(b, "  ", Option{c.Text, c.Help}, optionWidth, r.i == f.cycle.At)
	}
}

func (f *Form) drawField(b *line.Buf, fd *Field, here bool) {
	if here {
		st := f.th.SelBlur
		if f.Focused {
			st = f.th.Selection
		}
		if !f.open {
			defer b.Over(b.Over(st))
			defer func() { b.Space(b.Room()) }()
		}
	}
	b.Space(1)
	f.drawMark(b, fd)
	b.Space(1)
	name, value, dim := f.th.Label, f.th.Value, f.th.Dim
	if fd.Mark == Forbidden && fd.Value == "" {
		name, value, dim = f.th.Undefined, f.th.Undefined, f.th.Undefined
	}
	nw, vw := f.widths()
	b.Cell(fd.Name, nw, line.Left, name)
	b.Space(1)
	switch {
	case here && f.open && fd.Kind != FlagsField:
		f.in.Draw(b, b.Room()) // the edited text may cover the note
		return
	case fd.Value == "":
		b.Cell(f.th.Glyphs.Dash, vw, line.Left, dim)
	default:
		// Rather the note is cut than the value.
		b.Cell(fd.Value, max(vw, min(line.Width(fd.Value), b.Room())), line.Left, value)
	}
	b.Space(noteGap)
	if b.Room() >= leastNote {
		b.Cell(fd.noteIn(b.Room()), b.Room(), line.Left, dim)
	}
}

// noteIn is the longest form of the note that fits, "" if none does.
func (fd *Field) noteIn(room int) string {
	if fd.Shorter == nil || line.Width(fd.Note) <= room {
		return fd.Note
	}
	for _, s := range fd.Shorter {
		if line.Width(s) <= room {
			return s
		}
	}
	return ""
}

const (
	noteGap   = 2 // cells between a value and its note
	leastNote = 5 // less of a note is useless
)

// widths divides a line between name, value and note.
func (f *Form) widths() (name, value int) {
	for i := range f.fields {
		name = max(name, line.Width(f.fields[i].Name))
		value = max(value, line.Width(f.fields[i].Value))
	}
	name = min(name, max(f.w*2/5, 8))
	room := max(f.w-name-4-noteGap, 0)
	return name, min(max(value, 8), max(room*3/5, min(room, 12)))
}

// drawMark distinguishes a field that takes no value from one that has a value nevertheless.
func (f *Form) drawMark(b *line.Buf, fd *Field) {
	g, th := &f.th.Glyphs, f.th
	mark := [...]struct {
		glyph string
		style theme.Style
	}{Unmarked: {" ", th.Value}, Required: {g.Full, th.Required}, Optional: {g.Hollow, th.Optional},
		Forbidden: {g.Dash, th.Forbidden}}[fd.Mark]
	if fd.Wrong() {
		mark.glyph, mark.style = g.Ban, th.Err
	}
	b.Text(mark.glyph, mark.style)
}

// optionWidth returns the cells of an option before its help. Flags get only what the
// longest of them needs if the help would be cut.
const optionWidth, roomyOptions = 20, 60

func (f *Form) drawFlag(b *line.Buf, all []Option, i int) {
	box, width := "[ ] ", optionWidth
	if i < len(f.on) && f.on[i] {
		box = "[x] "
	}
	if f.w < roomyOptions {
		width = 0
		for _, o := range all {
			width = max(width, line.Width(o.Value))
		}
		width = min(width, optionWidth)
	}
	f.drawOption(b, box, all[i], width, i == f.flag)
}

func (f *Form) drawOption(b *line.Buf, box string, o Option, width int, here bool) {
	if here {
		defer b.Over(b.Over(f.th.Selection))
		defer func() { b.Space(b.Room()) }()
	}
	b.Space(3)
	b.Text(box, f.th.Key)
	b.Cell(o.Value, min(max(line.Width(o.Value), width), b.Room()), line.Left, f.th.Value)
	b.Space(1)
	b.Cell(o.Help, b.Room(), line.Left, f.th.Dim)
}
