package widget

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"rdmatui/ui/keymap"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
)

// TableColumn describes one column; the Space says how wide it is and when it goes.
type TableColumn struct {
	Title string
	Align line.Align
	Space
}

// TableRows is where the rows come from. Cell appends a cell's text to b, in the
// styles it likes; b cuts and pads it. Both are called from DrawLine and must be
// cheap and must not block.
type TableRows interface {
	Len() int // number of rows
	Cell(b *line.Buf, row, col int)
}

// TableMarks is a row source some of whose rows are marked, beside the cursor.
type TableMarks interface {
	Marked(row int) bool
}

// Table is a view on Rows with a cursor.
type Table struct {
	Focused bool   // the cursor's row is drawn as having the keys
	Keeps   bool   // the row stays marked without the keys: others show what it is about
	Tail    bool   // follow new rows while the cursor is on the last
	Empty   string // shown when there are no rows
	NoHead  bool   // no line of column titles

	th      *theme.Theme
	cols    []TableColumn
	items   []Space
	size    []int
	rows    TableRows
	w, h    int
	n       int // rows when last looked at
	cursor  int
	top     int
	follows bool
}

const columnGap = 2 // cells between columns

// NewTable makes a table; rows may be nil until SetRows.
func NewTable(th *theme.Theme, rows TableRows, cols ...TableColumn) *Table {
	t := &Table{th: th, rows: rows, follows: true}
	t.SetColumns(cols...)
	return t
}

// SetColumns replaces the columns.
func (t *Table) SetColumns(cols ...TableColumn) {
	t.cols, t.items = cols, t.items[:0]
	for _, c := range cols {
		t.items = append(t.items, c.Space)
	}
	t.solve()
}

// SetRows replaces the source; the cursor stays at its index.
func (t *Table) SetRows(r TableRows) { t.rows = r; t.sync() }

// SetSize implements widget.Block.
func (t *Table) SetSize(w, h int) {
	if w != t.w {
		t.w = w
		t.solve()
	}
	t.h = h
	t.sync()
}

// solve leaves two cells at the left for the pointer and marks.
func (t *Table) solve() { t.size = Divide(t.size[:0], max(t.w-columnGap, 0), columnGap, t.items) }

func (t *Table) head() int {
	if t.NoHead || t.h < 2 {
		return 0
	}
	return 1
}

func (t *Table) page() int { return max(t.h-t.head(), 1) }

// sync looks at the number of rows and keeps cursor and window within them.
func (t *Table) sync() {
	t.n = 0
	if t.rows != nil {
		t.n = t.rows.Len()
	}
	if t.Tail && t.follows {
		t.cursor = t.n - 1
	}
	t.cursor = max(min(t.cursor, t.n-1), 0)
	t.top = min(t.top, t.cursor)
	t.top = max(t.top, t.cursor-t.page()+1)
	t.top = max(min(t.top, t.n-t.page()), 0)
}

// Cursor returns the row under the cursor, or -1 if there are none.
func (t *Table) Cursor() int {
	t.sync()
	if t.n == 0 {
		return -1
	}
	return t.cursor
}

// SetCursor moves the cursor; with Tail the last row means to follow again.
func (t *Table) SetCursor(row int) {
	if t.rows != nil {
		t.n = t.rows.Len()
	}
	t.cursor = max(min(row, t.n-1), 0)
	t.follows = t.cursor >= t.n-1
	t.sync()
}

// Following reports whether new rows move the cursor.
func (t *Table) Following() bool { return t.Tail && t.follows }

// Shift says that the source dropped its n oldest rows, as a ring does, so that
// cursor and window stay on the rows they were on.
func (t *Table) Shift(n int) {
	t.cursor = max(t.cursor-n, 0)
	t.top = max(t.top-n, 0)
}

// Visible returns the range of rows in the window.
func (t *Table) Visible() (from, to int) {
	t.sync()
	return t.top, min(t.top+t.page(), t.n)
}

// Below implements widget.Scroller.
func (t *Table) Below() int { return max(t.n-t.top-t.page(), 0) }

// RowAt returns the row drawn on line y of the table.
func (t *Table) RowAt(y int) (row int, ok bool) {
	row = t.top + y - t.head()
	return row, y >= t.head() && y < t.h && row < t.n
}

// ColAt returns the column at cell x, for clicks on a title; -1 between columns.
func (t *Table) ColAt(x int) int {
	at := columnGap
	for i, w := range t.size {
		if w == 0 {
			continue
		}
		if x >= at && x < at+w {
			return i
		}
		at += w + columnGap
	}
	return -1
}

// Update takes the keys of keymap.List that move. It reports
// whether it used the message; the screen handles open, mark, filter and sort.
func (t *Table) Update(msg tea.Msg) bool {
	k, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return false
	}
	t.sync()
	by, ok := keymap.Move(k, t.page(), t.n)
	if ok {
		t.SetCursor(t.cursor + by)
	}
	return ok
}

// textCell is more than any cell needs.
const textCell = 1024

// Text returns the row under the cursor without styles, no cell of it cut; "" for none.
func (t *Table) Text() string {
	row := t.Cursor()
	if row < 0 {
		return ""
	}
	var cells []string
	for col := range t.cols {
		b := line.New(t.th)
		r := b.Begin(textCell)
		t.rows.Cell(b, row, col)
		b.End(r)
		b.Finish()
		if text := strings.TrimSpace(ansi.Strip(b.String())); text != "" {
			cells = append(cells, text)
		}
	}
	return strings.Join(cells, "  ")
}

// Mouse implements widget.Mouser: a click moves the cursor, the wheel moves it by
// three rows.
func (t *Table) Mouse(m Mouse) bool {
	switch m.Kind {
	case WheelUp:
		t.SetCursor(t.cursor - 3)
	case WheelDown:
		t.SetCursor(t.cursor + 3)
	case Click:
		row, ok := t.RowAt(m.Y)
		if !ok {
			return false
		}
		t.SetCursor(row)
	}
	return true
}

// DrawLine implements widget.Block.
func (t *Table) DrawLine(b *line.Buf, y int) {
	if y == 0 {
		t.sync()
		if t.head() == 1 {
			t.drawHead(b)
			return
		}
	}
	row, ok := t.RowAt(y)
	if !ok {
		if t.n == 0 && y == t.head() && t.Empty != "" {
			b.Space(columnGap)
			b.Text(t.Empty, t.th.Dim)
		}
		return
	}
	t.drawRow(b, row)
}

func (t *Table) drawHead(b *line.Buf) {
	b.Space(columnGap)
	for i := range t.cols {
		w := t.size[i]
		if w == 0 {
			continue
		}
		c := &t.cols[i]
		r := b.BeginCell(w, c.Align)
		b.Text(c.Title, t.th.Header)
		b.End(r)
		b.Space(columnGap)
	}
}

// pointed reports whether a row is drawn as the cursor's.
func (t *Table) pointed(row int) bool { return row == t.cursor && (t.Focused || t.Keeps) }

func (t *Table) drawRow(b *line.Buf, row int) {
	if t.pointed(row) {
		st := t.th.SelBlur
		if t.Focused {
			st = t.th.Selection
		}
		defer b.Over(b.Over(st))
		defer func() { b.Space(b.Room()) }()
	}
	t.drawMark(b, row)
	for i := range t.cols {
		w := t.size[i]
		if w == 0 {
			continue
		}
		r := b.BeginCell(w, t.cols[i].Align)
		t.rows.Cell(b, row, i)
		b.End(r)
		b.Space(columnGap)
	}
}

// drawMark fills the two cells before the first column.
func (t *Table) drawMark(b *line.Buf, row int) {
	switch {
	case !t.pointed(row):
		b.Space(1)
	case t.Focused:
		b.Text(t.th.Glyphs.Pointer, t.th.Accent)
	default:
		b.Text(t.th.Glyphs.Pointer, t.th.Dim)
	}
	if m, ok := t.rows.(TableMarks); ok && m.Marked(row) {
		b.Text(t.th.Glyphs.Full, t.th.Info)
		return
	}
	b.Space(1)
}
