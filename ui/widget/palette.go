package widget

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"rdmatui/ui/keymap"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
)

// PaletteItem is one of the things.
type PaletteItem struct {
	Kind string // what it is: "screen", "command"
	Text string // what is matched, first of all
	Note string // what it does; its words are matched, too
	Key  string // the key that does the same, "" for none
	// Answer marks what explains rather than does: found after everything else, and alone behind a "?".
	Answer bool
}

// PaletteEvent is what came of a message.
type PaletteEvent uint8

// Events.
const (
	PaletteUnchanged PaletteEvent = iota
	PaletteAccept                 // enter: Chosen is to be done
	PaletteClosed                 // esc
)

// hit is an item that is found, with the bytes of its text that were.
type hit struct {
	item int
	at   []int
}

// Palette is a block: a line to type in, and below it what is found.
type Palette struct {
	th    *theme.Theme
	in    *Input
	items []PaletteItem
	plain []said // of each item
	hits  []hit
	at    int
	top   int
	w, h  int
	told  []string // the item under the cursor, if its row cuts it

	textWide, keyWide int // of the widest text and key
}

// NewPalette makes a palette of items; with nothing typed they stand in their order, and the
// line says of what to type a few letters.
func NewPalette(th *theme.Theme, of string, items []PaletteItem) *Palette {
	p := &Palette{th: th, in: NewInput(th), items: items}
	p.in.Placeholder = "a few letters of a " + of
	for i := range items {
		p.textWide = max(p.textWide, line.Width(items[i].Text))
		p.keyWide = max(p.keyWide, line.Width(items[i].Key))
		text := plain(items[i].Text)
		p.plain = append(p.plain, said{text, plain(items[i].Kind+" "+items[i].Note) + " " + text})
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

// articles say nothing of what is looked for.
var articles = map[string]bool{"a": true, "an": true, "the": true}

// words is what was typed, in lower case, its names in parts ("rdma_write" is two); asks reports whether it begins
// with "?".
func words(typed string) (words []string, asks bool) {
	typed, asks = strings.CutPrefix(strings.TrimSpace(typed), "?")
	words = strings.Fields(plain(typed))
	if rest := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return articles[w] }); len(rest) > 0 {
		words = rest
	}
	return words, asks
}

// plain is a text as it is compared: in lower case, with a space between the parts of a name.
func plain(text string) string { return joined.Replace(strings.ToLower(text)) }

var joined = strings.NewReplacer("_", " ", "-", " ")

// Ranks of what is found, the best first.
const (
	same     = iota // the text is what was typed
	begins          // it begins so
	has             // it has it
	hasWords        // it has all words
	near            // it has the letters in their order, close together
	noted           // its kind, text and note together have all words
	letters         // it has the letters, scattered
	ranks
)

// said is what an item says, as it is compared.
type said struct{ text, all string }

// rankOf ranks what an item says; m is where the fuzzy search found the letters, its zero value if it did not. ok is
// false for an item that is not found.
func rankOf(it *said, words []string, m fuzzy.Match) (rank int, ok bool) {
	text, whole := it.text, strings.Join(words, " ")
	lack := func(in string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(in, w) })
	}
	switch {
	case text == whole:
		rank = same
	case strings.HasPrefix(text, whole):
		rank = begins
	case strings.Contains(text, whole):
		rank = has
	case !lack(text):
		rank = hasWords
	case len(m.MatchedIndexes) > 0 && m.Score >= 0:
		rank = near
	case !lack(it.all):
		rank = noted
	case len(m.MatchedIndexes) > 0:
		rank = letters
	default:
		return 0, false
	}
	return rank, true
}

// find lists what is found, the best first; with nothing typed everything in its order.
func (p *Palette) find() {
	p.hits, p.at, p.top = p.hits[:0], 0, 0
	words, asks := words(p.in.Value())
	found := map[int]fuzzy.Match{}
	for _, m := range fuzzy.FindFromNoSort(strings.Join(words, ""), texts(p.items)) {
		found[m.Index] = m
	}
	order := make([][3]int, 0, len(p.items)) // of each item: rank, score of its letters, length
	for i := range p.items {
		it, m := &p.items[i], found[i]
		r, ok := 0, true
		if len(words) > 0 {
			r, ok = rankOf(&p.plain[i], words, m)
		}
		if it.Answer {
			r += ranks
		}
		order = append(order, [3]int{r, -m.Score, len(it.Text)})
		if ok && (it.Answer || !asks) {
			p.hits = append(p.hits, hit{i, m.MatchedIndexes})
		}
	}
	if len(words) > 0 {
		slices.SortStableFunc(p.hits, func(a, b hit) int {
			return slices.Compare(order[a.item][:], order[b.item][:])
		})
	}
	p.hits = p.hits[:min(len(p.hits), maxHits)]
}

type texts []PaletteItem

// String implements fuzzy.Source.
func (t texts) String(i int) string { return t[i].Text }

// Len implements fuzzy.Source.
func (t texts) Len() int { return len(t) }

// Update takes keys and pastes.
func (p *Palette) Update(msg tea.Msg) PaletteEvent {
	k, _ := msg.(tea.KeyPressMsg)
	m := &keymap.Palette
	switch {
	case keymap.Matches(k, m.Accept):
		if p.Chosen() >= 0 {
			return PaletteAccept
		}
	case keymap.Matches(k, m.Close):
		return PaletteClosed
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
	return PaletteUnchanged
}

func (p *Palette) move(by int) { p.at = max(min(p.at+by, len(p.hits)-1), 0) }

// Mouse implements widget.Mouser. A click on an item marks it.
func (p *Palette) Mouse(m Mouse) bool {
	switch {
	case m.Kind == WheelUp:
		p.move(-3)
	case m.Kind == WheelDown:
		p.move(3)
	case m.Y >= 2 && m.Y-2 < p.rows() && p.top+m.Y-2 < len(p.hits):
		p.at = p.top + m.Y - 2
	default:
		return false
	}
	return true
}

// PaletteAboutRows below the list, and more if it needs them, tell the item under the cursor
// whole, in a window of at least aboutFrom rows.
const (
	PaletteAboutRows = 2
	aboutFrom        = 12
)

func (p *Palette) foot() int {
	if p.h < aboutFrom {
		return 0
	}
	return max(len(p.told), PaletteAboutRows)
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
	return WrapRows(line.Escape(all), p.w-2, p.h/2)
}

// share is the cells that a row has for an item's text and note.
func (p *Palette) share(it *PaletteItem) (text, note int) {
	room := max(p.w-kindWide-p.keyWide-3-paletteNoteGap, 0)
	if it.Note == "" {
		return room, 0
	}
	text = min(max(room*3/5, 24), p.textWide, room)
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
	kindWide       = 10 // of the longest kind
	paletteNoteGap = 2  // between a text and its note
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
	b.Space(paletteNoteGap)
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
