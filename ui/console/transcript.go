package console

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"rdmatui/session/timeline"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/format"
)

const (
	// maxEntries bounds the number of commands in the transcript.
	maxEntries = 500
	// maxBytes bounds the text of the transcript.
	maxBytes = 2 << 20
	// maxEntryBytes bounds the text of one entry.
	maxEntryBytes = 256 << 10
)

// kind is the kind of a line of an entry.
type kind uint8

const (
	kindCommand kind = iota // typed, or run by a key
	kindResult
	kindCheck // the verdict of the tables
	kindError
	kindHint
	kinds
)

// part is one text of an entry.
type part struct {
	kind
	text string
}

// entry is a command with its results.
type entry struct {
	parts []part
	took  string // duration, shown beside the command
	bytes int
	rows  []part // the parts, escaped and wrapped
}

// transcript holds the commands so far, newest last.
type transcript struct {
	th      *theme.Theme
	entries []entry
	bytes   int
	w       int
	total   int // rows of all entries
}

// ofCommand makes the entry of a command that was carried out.
func ofCommand(c *timeline.CommandDone) entry {
	e := entry{}
	if c.Took > 0 {
		e.took = format.Span(c.Took)
	}
	e.add(kindCommand, c.Line)
	e.add(kindResult, c.Result)
	e.add(kindCheck, c.Check)
	failed := c.Err
	if c.Errno != "" && !strings.Contains(failed, c.Errno) {
		failed += " (" + c.Errno + ")"
	}
	e.add(kindError, failed)
	if !strings.Contains(c.Err, c.Hint) && !strings.Contains(c.Check, c.Hint) {
		e.add(kindHint, c.Hint)
	}
	return e
}

// add appends a text unless it is empty.
func (e *entry) add(k kind, text string) {
	if text = strings.TrimRight(text, "\n"); text == "" {
		return
	}
	if more := len(text) - maxEntryBytes; more > 0 {
		text = text[:maxEntryBytes] + fmt.Sprintf("\n… %s more bytes: see the Journal (8)", format.Count(uint64(more)))
	}
	e.parts = append(e.parts, part{k, text})
	e.bytes += len(text)
}

// lay wraps the parts to w cells.
func (e *entry) lay(th *theme.Theme, w int) {
	e.rows = e.rows[:0]
	room := max(w-2, 8)
	for _, p := range e.parts {
		for l := range strings.Lines(p.text) {
			l = line.Escape(strings.TrimSuffix(l, "\n"))
			if th.Glyphs.ASCII {
				l = string(line.AppendASCII(nil, l))
			}
			first := room
			if p.kind == kindCommand {
				first = max(room-len(e.took)-1, 8)
			}
			text := strings.TrimLeft(l, " ")
			indent := l[:min(len(l)-len(text), first/2)]
			for _, row := range strings.Split(ansi.Wrap(text, first-len(indent), ""), "\n") {
				e.rows = append(e.rows, part{p.kind, indent + row})
			}
		}
	}
}

// append adds an entry and drops the oldest beyond the bounds. It returns how many
// rows were dropped.
func (t *transcript) append(e entry) (dropped int) {
	if t.w > 0 {
		e.lay(t.th, t.w)
	}
	t.entries = append(t.entries, e)
	t.bytes += e.bytes
	t.total += len(e.rows)
	drop := 0
	for len(t.entries)-drop > 1 && (len(t.entries)-drop > maxEntries || t.bytes > maxBytes) {
		t.bytes -= t.entries[drop].bytes
		dropped += len(t.entries[drop].rows)
		drop++
	}
	t.entries = slices.Delete(t.entries, 0, drop)
	t.total -= dropped
	return dropped
}

// setWidth wraps all entries to another width.
func (t *transcript) setWidth(w int) {
	if w == t.w {
		return
	}
	t.w, t.total = w, 0
	for i := range t.entries {
		t.entries[i].lay(t.th, w)
		t.total += len(t.entries[i].rows)
	}
}

// lastRows returns the number of rows of the newest entry.
func (t *transcript) lastRows() int {
	if n := len(t.entries); n > 0 {
		return len(t.entries[n-1].rows)
	}
	return 0
}

// last returns the text of the newest entry that has one besides its command.
func (t *transcript) last() string {
	for i := len(t.entries) - 1; i >= 0; i-- {
		var texts []string
		for _, p := range t.entries[i].parts {
			if p.kind != kindCommand {
				texts = append(texts, p.text)
			}
		}
		if texts != nil {
			return strings.Join(texts, "\n")
		}
	}
	return ""
}

// text returns the whole transcript, for a file.
func (t *transcript) text() string {
	var b strings.Builder
	for i := range t.entries {
		for _, p := range t.entries[i].parts {
			for l := range strings.Lines(p.text) {
				b.WriteString(marks(&theme.Theme{})[p.kind] + line.Escape(strings.TrimSuffix(l, "\n")) + "\n")
			}
		}
	}
	return b.String()
}

// row finds a row by its number, counted from the oldest over all entries.
func (t *transcript) row(n int) (e *entry, i int) {
	for k := len(t.entries) - 1; k >= 0; k-- { // the rows shown are mostly near the end
		n += len(t.entries[k].rows)
		if n >= t.total {
			return &t.entries[k], n - t.total
		}
	}
	return nil, 0
}

// marks stand before the rows of each kind.
func marks(th *theme.Theme) [kinds]string {
	m := [kinds]string{
		kindCommand: ":", kindResult: "  ", kindCheck: "! ", kindError: th.Glyphs.Ban + " ", kindHint: "  ",
	}
	if th.Glyphs.Ban == "" {
		m[kindError] = "x "
	}
	return m
}

func (t *transcript) drawRow(b *line.Buf, n int) {
	e, i := t.row(n)
	if e == nil {
		return
	}
	th := t.th
	styles := [kinds]theme.Style{
		kindCommand: th.Accent, kindResult: th.Value, kindCheck: th.Warn, kindError: th.Err, kindHint: th.Info,
	}
	r := e.rows[i]
	mark := "  "
	if i == 0 || e.rows[i-1].kind != r.kind {
		mark = marks(th)[r.kind]
	} else if r.kind == kindCommand {
		mark = " "
	}
	b.Text(mark, styles[r.kind])
	if i > 0 || e.took == "" {
		b.Text(r.text, styles[r.kind])
		return
	}
	b.Cell(r.text, max(b.Room()-line.Width(e.took)-1, 0), line.Left, styles[r.kind])
	b.Space(1)
	b.Text(e.took, th.Dim)
}
