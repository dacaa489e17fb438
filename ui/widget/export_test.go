package widget

import "rdmatui/ui/theme"

// Char is the text of each byte in a hex dump.
var Char = &char

// PerRow returns how many bytes a row has.
func (d *HexDump) PerRow() int { return d.perRow() }

// Digits returns how many digits an offset has.
func (d *HexDump) Digits() int { return d.digits() }

// RowWidth returns the cells of a row of n bytes.
func (d *HexDump) RowWidth(n int) int { return d.width(n) }

// NoteIn returns the form of a field's note that fits into room cells.
func (fd *Field) NoteIn(room int) string { return fd.noteIn(room) }

// Rows returns how many lines a form has, with those of an open field.
func (f *Form) Rows() int { return len(f.rows) }

// Top returns the first line of a form that is in sight.
func (f *Form) Top() int { return f.top }

// MoveTo puts a form's cursor on field i.
func (f *Form) MoveTo(i int) { f.cursor = i }

// Candidates returns what is listed below the open field.
func (f *Form) Candidates() []Candidate { return f.cycle.List }

// Theme returns the theme in which a form is drawn.
func (f *Form) Theme() *theme.Theme { return f.th }

// HelpKeyWidth is the width of the keys on a page of help, in cells.
const HelpKeyWidth = helpKeyWidth

// HelpRow is a key and what it means in a word, or a heading without a key.
type HelpRow struct{ Key, Text string }

// Columns returns what a page of help shows beside each other.
func (p *HelpPage) Columns() (all [][]HelpRow) {
	for _, c := range p.columns {
		var rows []HelpRow
		for _, r := range c {
			rows = append(rows, HelpRow{r.key, r.text})
		}
		all = append(all, rows)
	}
	return all
}

// Top returns the first line that is in sight.
func (s *search) Top() int { return s.pager.Top() }

// Theme returns the theme in which a palette is drawn.
func (p *Palette) Theme() *theme.Theme { return p.th }

// Found returns the items that are found, the best first.
func (p *Palette) Found() (items []int) {
	for _, h := range p.hits {
		items = append(items, h.item)
	}
	return items
}

// About returns what is told below the list.
func (p *Palette) About() []string { return p.about() }

// Move moves the cursor.
func (p *Palette) Move(by int) { p.move(by) }
