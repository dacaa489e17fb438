package devices

import (
	"fmt"
	"slices"

	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

const (
	// aboutRows is how many lines explain the row under the cursor, if the pane is high
	// enough.
	aboutRows = 2
	aboutFrom = 8
	narrow    = 50 // cells: no room for long notes
)

// pane is a frame around the list, or around one of several sections.
type pane struct {
	s     *Screen
	secs  []sectionID // none: the list
	box   *widget.Box
	w, h  int // of the inside
	about []string
}

func newPane(s *Screen, secs ...sectionID) *pane {
	p := &pane{s: s, secs: secs}
	p.box = widget.NewBox(s.th, "devices", p)
	if len(secs) > 0 {
		p.box.Head = p.drawTabs
	}
	return p
}

func (p *pane) isList() bool { return len(p.secs) == 0 }

// current returns the section selected last.
func (p *pane) current() sectionID {
	return slices.MaxFunc(p.secs, func(a, b sectionID) int { return p.s.stamp[a] - p.s.stamp[b] })
}

// focused reports whether the pane has the focus.
func (p *pane) focused() bool {
	if p.isList() || p.s.inList {
		return p.isList() && p.s.inList
	}
	return p.current() == p.s.sec
}

// Rows above and below the pane's content.
func (p *pane) head() int {
	if !p.isList() && p.focused() && p.sheet() != nil && (p.s.typing || len(p.sheet().words) > 0) {
		return 1
	}
	return 0
}

func (p *pane) foot() int {
	if p.isList() || !p.focused() || p.sheet() == nil || p.h < min(aboutFrom, p.sheet().Len()+1+aboutRows) {
		return 0
	}
	return aboutRows
}

func (p *pane) sheet() *sheet { return p.s.sheets[p.current()] }

// body is the content between head and foot.
func (p *pane) body() interface {
	widget.Block
	widget.Mouser
} {
	switch {
	case p.isList():
		return p.s.list
	case p.current() == diagnosis:
		return p.s.findings
	}
	return p.sheet()
}

// SetSize implements widget.Block.
func (p *pane) SetSize(w, h int) {
	p.w, p.h = w, h
	if !p.isList() && p.sheet() != nil {
		p.sheet().room(w)
	}
	p.body().SetSize(w, max(h-p.head()-p.foot(), 0))
	p.prepare()
}

// framed is a pane in its frame, which contains the tabs.
type framed struct{ p *pane }

// SetSize implements widget.Block.
func (f framed) SetSize(w, h int) { f.p.box.SetSize(w, h) }

// DrawLine implements widget.Block.
func (f framed) DrawLine(b *line.Buf, y int) { f.p.box.DrawLine(b, y) }

// Mouse implements widget.Mouser: a click focuses the pane; on a tab it selects the
// section.
func (f framed) Mouse(m widget.Mouse) bool {
	p := f.p
	if m.Kind == widget.Click {
		p.s.typing = false
		if id, hit := p.tabAt(m.X); hit && m.Y == 0 && !p.isList() {
			p.s.choose(id)
			return true
		}
		p.s.focus(p)
	}
	return p.box.Mouse(m)
}

// prepare updates the frame's texts.
func (p *pane) prepare() {
	p.box.Focused = p.focused()
	p.box.Note = p.note()
	switch {
	case p.isList():
		p.s.list.Focused = p.focused()
	case p.sheet() != nil:
		p.sheet().Focused = p.focused()
	}
	if !p.isList() {
		p.title()
	}
	p.about = nil
	if p.foot() > 0 {
		p.about = wrapped(p.sheet().about(), p.w-2)
	}
}

// title names the device, unless the tabs fit with their keys only without it: the
// list names it too.
func (p *pane) title() {
	name := orDash(p.s.name)
	if p.current() == diagnosis {
		name = "this host"
	}
	_, total := p.makeTabs(true, p.secs...)
	p.box.Title = ""
	if total <= p.room() && total > p.room()-line.Width(name) {
		return
	}
	p.box.Title = name
}

// note shows the window's position in a long sheet.
func (p *pane) note() string {
	switch {
	case p.isList():
		if p.s.listing && !p.s.loaded {
			return "reading…"
		}
		return ""
	case p.current() == diagnosis:
		if p.s.diagnosing {
			return "looking…"
		}
		return p.findingsNote()
	}
	sh := p.sheet()
	if from, to := sh.Visible(); to-from < sh.Len() {
		return fmt.Sprintf("%d-%d of %d", from+1, to, sh.Len())
	}
	return ""
}

// findingsNote shows the window's position, and how to see more at once.
func (p *pane) findingsNote() string {
	f := p.s.findings
	if f.Len() <= p.h {
		return ""
	}
	at := fmt.Sprintf("%d-%d of %d", f.Top()+1, min(f.Top()+p.h, f.Len()), f.Len())
	if p.focused() && len(p.s.grid.panes) > 1 {
		at += ", z enlarges"
	}
	return at
}

// DrawLine implements widget.Block.
func (p *pane) DrawLine(b *line.Buf, y int) {
	if y < p.head() {
		p.drawQuery(b)
		return
	}
	y -= p.head()
	if rest := p.h - p.head() - p.foot(); y >= rest {
		b.Space(1)
		if y -= rest; y < len(p.about) {
			p.drawAbout(b, y)
		}
		return
	}
	if sh := p.asNote(); sh != nil {
		if lines := wrapped(sh.note, p.w-3); y < len(lines) {
			b.Space(2)
			b.Text(lines[y], sh.tone.style(p.s.th))
		}
		return
	}
	p.body().DrawLine(b, y)
}

// asNote returns the sheet if it shows a note instead of rows.
func (p *pane) asNote() *sheet {
	if p.isList() || p.current() == diagnosis {
		return nil
	}
	if sh := p.sheet(); len(sh.all) == 0 {
		return sh
	}
	return nil
}

// Below implements widget.Scroller.
func (p *pane) Below() int {
	if p.asNote() != nil {
		return 0
	}
	return widget.Below(p.body())
}

// drawAbout marks text that does not fit into the lines.
func (p *pane) drawAbout(b *line.Buf, y int) {
	r := b.BeginCell(b.Room()-1, line.Left)
	b.Text(p.about[y], p.s.th.Value)
	if y == aboutRows-1 && len(p.about) > aboutRows {
		b.Text(" "+p.about[y+1], p.s.th.Value)
	}
	b.End(r)
}

// drawQuery draws the line in which the search is typed.
func (p *pane) drawQuery(b *line.Buf) {
	sh, th := p.sheet(), p.s.th
	found := fmt.Sprintf("%d found", sh.hits)
	b.Space(1)
	b.Text("/", th.Key)
	b.Space(1)
	p.s.query.Focused = p.s.typing
	p.s.query.Draw(b, max(b.Room()-len(found)-2, 1))
	b.Cell(found, b.Room()-1, line.Right, th.Dim)
}
