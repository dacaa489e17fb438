// Package palette finds one of many things by a few of its letters.
package palette

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"rdmatui/ui/keymap"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/input"
	"rdmatui/ui/widget/line"
	"rdmatui/ui/widget/pager"
)

// Item is one of the things.
type Item struct {
	Kind string // what it is: "screen", "command"
	Text string // what is matched, first of all
	Note string // what it does; its words are matched, too
	Key  string // the key that does the same, "" for none
}

// Event is what came of a message.
type Event uint8

// Events.
const (
	None   Event = iota
	Accept       // enter: Chosen is to be done
	Closed       // esc
)

// hit is an item that is found, with the bytes of its text that were.
type hit struct {
	item int
	at   []int
}

// Palette is a block: a line to type in, and below it what is found.
type Palette struct {
	th    *theme.Theme
	in    *input.Input
	items []Item
	hits  []hit
	at    int
	top   int
	w, h  int
	told  []string // the item under the cursor, if its row cuts it

	textWide, keyWide int // of the widest text and key
}

// New makes a palette of items; with nothing typed they stand in their order, and the
// line says of what to type a few letters.
func New(th *theme.Theme, of string, items []Item) *Palette {
	p := &Palette{th: th, in: input.New(th), items: items}
	p.in.Placeholder = "a few letters of a " + of
	for i := range items {
		p.textWide = max(p.textWide, line.Width(items[i].Text))
		p.keyWide = max(p.keyWide, line.Width(items[i].Key))
	}
	p.find()
	return p
}

// Chosen is the item under the cursor, -1 for none.
func (p *Palette) Chosen() int {
	if p.at < len(p.hits) {
		return p.hits[p.at].item
	}
	return -1
}

// maxHits bounds what can be scrolled through.
const maxHits = 500

// find lists the items whose text has the letters in their order, the best first, and
// then those whose note has all words.
func (p *Palette) find() {
	p.hits, p.at, p.top = p.hits[:0], 0, 0
	words := strings.Fields(strings.ToLower(p.in.Value()))
	if len(words) == 0 {
		for i := range p.items {
			p.hits = append(p.hits, hit{item: i})
		}
		return
	}
	found := fuzzy.FindFromNoSort(strings.Join(words, ""), texts(p.items))
	whole := strings.Join(words, " ")
	rank := func(m fuzzy.Match) int { // a text that begins so, then one that has it, then scattered letters
		text := strings.ToLower(m.Str)
		switch {
		case text == whole:
			return 0
		case strings.HasPrefix(text, whole):
			return 1
		case strings.Contains(text, whole):
			return 2
		}
		return 3
	}
	slices.SortStableFunc(found, func(a, b fuzzy.Match) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(b.Score, a.Score), cmp.Compare(len(a.Str), len(b.Str)))
	})
	seen := make([]bool, len(p.items))
	for _, m := range found {
		p.hits = append(p.hits, hit{m.Index, m.MatchedIndexes})
		seen[m.Index] = true
	}
	var noted []hit
	for i := range p.items {
		note := strings.ToLower(p.items[i].Kind + " " + p.items[i].Text + " " + p.items[i].Note)
		if !seen[i] && !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(note, w) }) {
			noted = append(noted, hit{item: i})
		}
	}
	// Scattered letters over a whole text say less than words of a note.
	near := slices.IndexFunc(found, func(m fuzzy.Match) bool { return rank(m) == 3 && m.Score < 0 })
	if near < 0 {
		near = len(found)
	}
	p.hits = slices.Insert(p.hits, near, noted...)
	p.hits = p.hits[:min(len(p.hits), maxHits)]
}

type texts []Item

// String implements fuzzy.Source.
func (t texts) String(i int) string { return t[i].Text }

// Len implements fuzzy.Source.
func (t texts) Len() int { return len(t) }

// Update takes keys and pastes.
func (p *Palette) Update(msg tea.Msg) Event {
	k, _ := msg.(tea.KeyPressMsg)
	m := &keymap.Palette
	switch {
	case keymap.Matches(k, m.Accept):
		if p.Chosen() >= 0 {
			return Accept
		}
	case keymap.Matches(k, m.Close):
		return Closed
	case keymap.Matches(k, m.Up):
		p.move(-1)
	case keymap.Matches(k, m.Down):
		p.move(1)
	case keymap.Matches(k, m.PageUp):
		p.move(-p.rows())
	case keymap.Matches(k, m.PageDown):
		p.move(p.rows())
	case p.in.Update(msg):
		p.find()
	}
	return None
}

func (p *Palette) move(by int) { p.at = max(min(p.at+by, len(p.hits)-1), 0) }

// Mouse implements widget.Mouser. A click on an item marks it.
func (p *Palette) Mouse(m widget.Mouse) bool {
	switch {
	case m.Kind == widget.WheelUp:
		p.move(-3)
	case m.Kind == widget.WheelDown:
		p.move(3)
	case m.Y >= 2 && m.Y-2 < p.rows() && p.top+m.Y-2 < len(p.hits):
		p.at = p.top + m.Y - 2
	default:
		return false
	}
	return true
}

// AboutRows below the list, and more if it needs them, tell the item under the cursor
// whole, in a window of at least aboutFrom rows.
const (
	AboutRows = 2
	aboutFrom = 12
)

func (p *Palette) foot() int {
	if p.h < aboutFrom {
		return 0
	}
	return max(len(p.told), AboutRows)
}

// about is the item under the cursor, if its row cuts it, in at most half of the rows.
func (p *Palette) about() []string {
	i := p.Chosen()
	if i < 0 {
		return nil
	}
	it := &p.items[i]
	text, note := p.share(it)
	if line.Width(it.Text) <= text && line.Width(it.Note) <= note {
		return nil
	}
	all := it.Text
	if it.Note != "" {
		all += ": " + it.Note
	}
	return pager.Rows(line.Escape(all), p.w-2, p.h/2)
}

// share is the cells that a row has for an item's text and note.
func (p *Palette) share(it *Item) (text, note int) {
	room := max(p.w-kindWide-p.keyWide-3-noteGap, 0)
	if it.Note == "" {
		return room, 0
	}
	text = min(max(room/3, 24), p.textWide, room)
	return text, max(room-text, 0)
}

// rows is how many items are shown.
func (p *Palette) rows() int { return max(p.h-2-p.foot(), 1) }

// SetSize implements widget.Block.
func (p *Palette) SetSize(w, h int) {
	p.w, p.h = w, h
	p.told = p.about()
	p.top = min(max(p.top, p.at-p.rows()+1), p.at)
}

// DrawLine implements widget.Block.
func (p *Palette) DrawLine(b *line.Buf, y int) {
	switch {
	case y == 0:
		b.Space(1)
		b.Text(p.th.Glyphs.Pointer+" ", p.th.Key)
		p.in.Draw(b, b.Room())
	case y == 1:
		b.Repeat(p.th.Glyphs.H, b.Room(), p.th.Frame)
	case y >= p.h-p.foot():
		if at := y - p.h + p.foot(); at < len(p.told) {
			b.Space(1)
			b.Cell(p.told[at], b.Room()-1, line.Left, p.th.Info)
		}
	case len(p.hits) == 0 && y == 2:
		b.Text(" No match.", p.th.Dim)
	case p.top+y-2 < len(p.hits):
		p.drawItem(b, p.top+y-2)
	}
}

const (
	kindWide = 10 // of the longest kind
	noteGap  = 2  // between a text and its note
)

func (p *Palette) drawItem(b *line.Buf, i int) {
	h := p.hits[i]
	it := &p.items[h.item]
	if i == p.at {
		defer b.Over(b.Over(p.th.Selection))
		defer func() { b.Space(b.Room()) }()
	}
	b.Space(1)
	b.Cell(it.Kind, kindWide, line.Left, p.th.Dim)
	b.Space(1)
	text, note := p.share(it)
	r := b.BeginCell(text, line.Left)
	p.drawText(b, it.Text, h.at)
	b.End(r)
	b.Space(noteGap)
	b.Cell(it.Note, note, line.Left, p.th.Dim)
	b.Cell(it.Key, max(b.Room()-1, 0), line.Right, p.th.Key)
}

// drawText marks the letters that were found.
func (p *Palette) drawText(b *line.Buf, text string, found []int) {
	from := 0
	for from < len(text) {
		in := slices.Contains(found, from)
		to := from + 1
		for to < len(text) && slices.Contains(found, to) == in {
			to++
		}
		st := p.th.Value
		if in {
			st = p.th.Accent
		}
		b.Text(text[from:to], st)
		from = to
	}
}
