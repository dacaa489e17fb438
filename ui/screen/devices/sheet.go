package devices

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/assets/explain"
	"rdmatui/ui/explained"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

// A row of a sheet is one line. Text too long for its column is cut, and shown in
// full for the row under the cursor.
const (
	meaning      = 2  // the column of valueColumns
	leastMeaning = 24 // cells; if there are fewer, the column is dropped
	longestName  = 25 // max_total_mcast_qp_attach
	longestValue = 39 // a GID
	wideSheet    = 56
	columnGap    = 2 // of widget.Table: between columns, and before the first
)

// sheet is a table of rows that a search filters.
type sheet struct {
	*widget.Table
	th     *theme.Theme
	cols   []widget.TableColumn
	fit    []int // columns sized to their content
	least  []int // minimum widths
	values bool  // its columns are a name, a value and its meaning
	all    []row
	shown  []int    // indexes of all
	words  []string // of the search, in lower case
	hits   int      // matching rows, without headings
	note   string   // shown instead of rows: reading, or an error
	tone   tone     // of the note
	atTop  bool     // the cursor has not moved yet
	w      int
}

func newSheet(th *theme.Theme, sec *section) *sheet {
	s := &sheet{th: th, cols: slices.Clone(sec.cols), fit: sec.fit, values: len(sec.cols) == meaning+1}
	for _, c := range s.cols {
		s.least = append(s.least, c.Min)
	}
	s.Table = widget.NewTable(th, s, s.cols...)
	return s
}

// set replaces the rows; if there are none, the note is shown.
func (s *sheet) set(rows []row, note string, t tone) {
	for i := range rows {
		rows[i].key = searchKey(&rows[i])
	}
	s.all, s.note, s.tone = rows, note, t
	s.measure()
	s.lay()
}

// measure sizes columns to their content. In a wide pane a column is dropped rather
// than another cut; only the name of a value may be cut, in favour of its meaning.
func (s *sheet) measure() {
	for _, col := range s.fit {
		widest := line.Width(s.cols[col].Title)
		for i := range s.all {
			if col < len(s.all[i].cells) {
				widest = max(widest, line.Width(s.all[i].cells[col].text))
			}
		}
		limit := longestValue
		if col == 0 && s.values {
			limit = longestName
		}
		it := &s.cols[col].Space
		it.Size = min(widest, limit)
		it.Min = min(s.least[col], it.Size)
		if (col > 0 || !s.values) && s.w >= wideSheet {
			it.Min = it.Size
		}
	}
	s.SetColumns(s.cols...)
}

// top puts the cursor on the first row below the first heading, and keeps it there
// until the window has its size.
func (s *sheet) top() {
	s.atTop = true
	s.SetCursor(0)
	if len(s.shown) > 1 && s.all[s.shown[0]].head {
		s.SetCursor(1)
	}
}

// step moves the cursor to the next or previous row, skipping headings; ok is false
// if there is none.
func (s *sheet) step(by int) (ok bool) {
	for i := s.Cursor() + by; i >= 0 && i < len(s.shown); i += by {
		if !s.all[s.shown[i]].head {
			s.atTop = false
			s.SetCursor(i)
			return true
		}
	}
	return false
}

// search shows only rows that contain all the words.
func (s *sheet) search(words []string) {
	if slices.Equal(words, s.words) {
		return
	}
	s.words = words
	s.lay()
	s.top()
}

// lay makes the lines to show, and keeps the cursor on its row. A heading without
// rows is hidden.
func (s *sheet) lay() {
	at := s.row()
	s.shown, s.hits = s.shown[:0], 0
	head, cursor := -1, -1
	for i := range s.all {
		switch {
		case s.all[i].head:
			head = i
			continue
		case !s.all[i].fits(s.words):
			continue
		case head >= 0:
			s.shown, head = append(s.shown, head), -1
		}
		if i == at {
			cursor = len(s.shown)
		}
		s.shown = append(s.shown, i)
		s.hits++
	}
	s.Empty = ""
	if len(s.words) > 0 && len(s.all) > 0 {
		s.Empty = "no row matches the search"
	}
	s.SetRows(s)
	if cursor < 0 {
		s.top()
		return
	}
	s.SetCursor(cursor)
}

// room sets the width of the sheet.
func (s *sheet) room(w int) {
	if s.w == w {
		return
	}
	s.w = w
	s.measure()
	s.lay()
}

// SetSize implements widget.Block.
func (s *sheet) SetSize(w, h int) {
	s.Table.SetSize(w, h)
	if s.atTop {
		s.top()
	}
}

// row returns the index of the row under the cursor, -1 for none.
func (s *sheet) row() int {
	if i := s.Cursor(); i >= 0 && i < len(s.shown) {
		return s.shown[i]
	}
	return -1
}

// text returns the row under the cursor: its name and its value.
func (s *sheet) text() string {
	i := s.row()
	if i < 0 || i >= len(s.all) {
		return ""
	}
	var parts []string
	for n, c := range s.all[i].cells {
		if c.text != "" && !(s.values && n == meaning) {
			parts = append(parts, c.text)
		}
	}
	return strings.Join(parts, " ")
}

// about explains the row under the cursor.
func (s *sheet) about() string {
	if i := s.row(); i >= 0 && i < len(s.all) {
		return s.all[i].about
	}
	return ""
}

// explained returns the explanations of the row under the cursor.
func (s *sheet) explained() []explain.Entry {
	i := s.row()
	if i < 0 || i >= len(s.all) {
		return nil
	}
	ask := s.all[i].ask
	e, ok := explain.Find(ask.family, ask.name)
	if !ok {
		return nil
	}
	e.Asked = ask.value
	return []explain.Entry{explained.Asked(e)}
}

// Update moves the cursor.
func (s *sheet) Update(msg tea.Msg) bool {
	if !s.Table.Update(msg) {
		return false
	}
	s.atTop = false
	return true
}

// Mouse implements widget.Mouser.
func (s *sheet) Mouse(m widget.Mouse) bool {
	taken := s.Table.Mouse(m)
	s.atTop = s.atTop && !taken
	return taken
}

// Len implements widget.TableRows.
func (s *sheet) Len() int { return len(s.shown) }

// Marked implements widget.TableMarks.
func (s *sheet) Marked(i int) bool { return s.all[s.shown[i]].marked }

// Cell implements widget.TableRows.
func (s *sheet) Cell(b *line.Buf, i, col int) {
	r := &s.all[s.shown[i]]
	if col >= len(r.cells) {
		return
	}
	c := r.cells[col]
	switch {
	case c.series != nil:
		widget.Spark(b, c.series, b.Room(), 0, s.th.Fill)
	case len(s.words) > 0 && !r.head:
		s.highlight(b, &c)
	default:
		b.Text(c.text, c.tone.style(s.th))
	}
}

// highlight draws a text with the first matching word marked.
func (s *sheet) highlight(b *line.Buf, c *cell) {
	st, lower := c.tone.style(s.th), strings.ToLower(c.text)
	if len(lower) == len(c.text) { // otherwise offsets in the two differ
		for _, w := range s.words {
			if at := strings.Index(lower, w); at >= 0 {
				b.Text(c.text[:at], st)
				old := b.Over(s.th.Match)
				b.Text(c.text[at:at+len(w)], st)
				b.Over(old)
				b.Text(c.text[at+len(w):], st)
				return
			}
		}
	}
	b.Text(c.text, st)
}
