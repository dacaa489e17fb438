package devices

import (
	"strings"

	"rdmatui/ui/theme"
)

// tone is the meaning of a text; the theme decides its look. The style is looked up
// while drawing, because the theme may change under a sheet.
type tone uint8

const (
	plain tone = iota
	label
	dim
	good
	caution
	bad
	heading
)

func (t tone) style(th *theme.Theme) theme.Style {
	return [...]theme.Style{plain: th.Value, label: th.Label, dim: th.Dim, good: th.OK, caution: th.Warn, bad: th.Err,
		heading: th.Header}[t]
}

// cell is one value of a row: a text, or a series drawn as a sparkline.
type cell struct {
	text   string
	tone   tone
	series []float64
}

// ask names an entry of assets/explain: its family, its name, and the value shown.
// The zero value is none.
type ask struct{ family, name, value string }

// row is one entry of a sheet.
type row struct {
	cells  []cell
	head   bool // a heading above the rows that follow
	marked bool
	about  string // the full text, for the lines under the sheet
	ask    ask    // its explanation
	key    string // the text that a search matches, in lower case
}

// headRow is a heading.
func headRow(text string) row { return row{cells: []cell{{text: text, tone: heading}}, head: true} }

// valueRow is a name, its value, and its meaning.
func valueRow(name, value, meaning string) row {
	r := row{cells: []cell{{text: name, tone: label}, {text: value}, {text: meaning, tone: dim}}}
	r.about = joined(strings.TrimSpace(name)+" = "+value, meaning)
	return r
}

// joined puts a colon between a text and its explanation, if there is one.
func joined(text, more string) string {
	if more == "" {
		return text
	}
	return text + ": " + more
}

func searchKey(r *row) string {
	var b strings.Builder
	for _, c := range r.cells {
		b.WriteString(strings.ToLower(c.text))
		b.WriteByte(' ')
	}
	return b.String()
}

// fits reports whether a row contains all the words.
func (r *row) fits(words []string) bool {
	for _, w := range words {
		if !strings.Contains(r.key, w) {
			return false
		}
	}
	return true
}
