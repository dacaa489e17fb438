package widget

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/keymap"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
)

// Pager shows a window of lines; only those in it are drawn.
type Pager struct {
	Wrap bool // SetText breaks long lines at blanks

	th   *theme.Theme
	text string
	st   theme.Style
	rows []string // of text, wrapped
	n    int
	draw func(b *line.Buf, i int)
	w, h int
	top  int
	find string // search text in lower case; "" for none
	at   int    // the line found last
}

// NewPager makes an empty pager.
func NewPager(th *theme.Theme) *Pager { return &Pager{th: th, Wrap: true} }

// SetText shows text in one style, from its top.
func (p *Pager) SetText(text string, st theme.Style) {
	p.text, p.st, p.draw, p.top = text, st, nil, 0
	p.wrap()
}

// SetLines shows n lines that a function draws, from wherever the window is.
func (p *Pager) SetLines(n int, draw func(b *line.Buf, i int)) {
	p.n, p.draw, p.rows, p.text = n, draw, nil, ""
	p.scroll(0)
}

// Find marks all occurrences of a text and scrolls to the first one at or after the top of the
// window. It works on the text of SetText.
func (p *Pager) Find(text string) {
	p.find = strings.ToLower(text)
	if p.at = p.top; !p.has(p.at) {
		p.next(1)
	}
}

// has reports whether a line contains the search text.
func (p *Pager) has(i int) bool {
	return i < len(p.rows) && p.find != "" && strings.Contains(strings.ToLower(p.rows[i]), p.find)
}

// next scrolls the next line with the search text to the top; the search wraps around.
func (p *Pager) next(by int) {
	for i := 1; i <= len(p.rows); i++ {
		if at := (p.at + i*by + i*len(p.rows)) % len(p.rows); p.has(at) {
			p.at = at
			p.scroll(at - p.top)
			return
		}
	}
}

func (p *Pager) wrap() {
	if p.draw != nil {
		return
	}
	p.rows = p.rows[:0]
	for l := range strings.Lines(p.text) {
		l = strings.TrimSuffix(l, "\n")
		if !p.Wrap || p.w <= 0 {
			p.rows = append(p.rows, l)
			continue
		}
		p.rows = Wrap(p.rows, l, p.w)
	}
	p.n = len(p.rows)
	p.scroll(0)
}

// Wrap appends l broken at blanks into lines of at most w cells; a word that is
// longer gets lines of its own, which are cut where they are drawn.
func Wrap(dst []string, l string, w int) []string {
	indent := l[:len(l)-len(strings.TrimLeft(l, " "))]
	for line.Width(l) > w {
		at, cells := -1, 0
		for i, r := range l {
			if r == ' ' && i > len(indent) && cells <= w {
				at = i
			}
			if cells += line.Width(string(r)); cells > w && at > 0 {
				break
			}
		}
		if at < 0 {
			at = strings.IndexByte(l[len(indent):], ' ') + len(indent)
			if at <= len(indent) {
				break
			}
		}
		dst = append(dst, strings.TrimRight(l[:at], " "))
		l = indent + strings.TrimLeft(l[at:], " ")
	}
	return append(dst, l)
}

// Fill is Wrap that breaks a word that is longer than a line, so that nothing is cut:
// after a '|' or ',' as in a mask of flags, and only a name that is longer than a line
// within it.
func Fill(dst []string, l string, w int) []string {
	for _, l := range Wrap(nil, l, w) {
		for line.Width(l) > w {
			at, cells := 0, 0
			for i, r := range l {
				if cells += line.Width(string(r)); cells > w {
					break
				}
				at = i + len(string(r))
			}
			if i := strings.LastIndexAny(l[:at], "|,"); i >= 0 {
				at = i + 1
			}
			if at == 0 {
				break
			}
			dst, l = append(dst, l[:at]), l[at:]
		}
		dst = append(dst, l)
	}
	return dst
}

// WrapRows is Fill of a text into at most n lines; what is too much stays on the last, so
// that it is drawn with a mark where it is cut.
func WrapRows(text string, w, n int) []string {
	list := Fill(nil, text, max(w, 8))
	if n <= 0 || len(list) <= n {
		return list[:min(max(n, 0), len(list))]
	}
	list[n-1] = strings.Join(list[n-1:], " ")
	return list[:n]
}

// SetSize implements widget.Block.
func (p *Pager) SetSize(w, h int) {
	p.h = h
	if w != p.w {
		p.w = w
		p.wrap()
	}
	p.scroll(0)
}

// Len returns the number of lines.
func (p *Pager) Len() int { return p.n }

// Top returns the first line shown.
func (p *Pager) Top() int { return p.top }

// Below implements widget.Scroller.
func (p *Pager) Below() int { return max(p.n-p.top-p.h, 0) }

func (p *Pager) scroll(by int) { p.top = max(min(p.top+by, p.n-p.h), 0) }

// Update takes the keys of keymap.List that scroll.
func (p *Pager) Update(msg tea.Msg) bool {
	k, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return false
	}
	by, moves := keymap.Move(k, p.h, p.n)
	switch {
	case moves:
		p.scroll(by)
	case p.find != "" && keymap.Matches(k, keymap.Find.Next):
		p.next(1)
	case p.find != "" && keymap.Matches(k, keymap.Find.Prev):
		p.next(-1)
	default:
		return false
	}
	return true
}

// Mouse implements widget.Mouser.
func (p *Pager) Mouse(m Mouse) bool {
	by, ok := m.Wheel()
	p.scroll(3 * by)
	return ok
}

// DrawLine implements widget.Block.
func (p *Pager) DrawLine(b *line.Buf, y int) {
	i := p.top + y
	switch {
	case i >= p.n:
	case p.draw != nil:
		p.draw(b, i)
	default:
		p.drawText(b, p.rows[i])
	}
}

// drawText draws a line with what is searched for marked.
func (p *Pager) drawText(b *line.Buf, text string) {
	lower := strings.ToLower(text)
	for p.find != "" && len(lower) == len(text) { // else offsets of the one are not those of the other
		at := strings.Index(lower, p.find)
		if at < 0 {
			break
		}
		b.Text(text[:at], p.st)
		old := b.Over(p.th.Match)
		b.Text(text[at:at+len(p.find)], p.st)
		b.Over(old)
		text, lower = text[at+len(p.find):], lower[at+len(p.find):]
	}
	b.Text(text, p.st)
}
