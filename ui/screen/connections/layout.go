package connections

import (
	"rdmatui/session"
	"rdmatui/ui/screen"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

// From these sizes the events are beside the identifiers; in less, below them.
const (
	wide = 110
	high = 22
	tiny = 12
)

func newPanes(s *Screen) screen.Panes {
	about, detail := widget.NewBox(s.th, "", s.about.pager), widget.NewBox(s.th, "event", s.detail)
	about.Divider = func(part int) string { return [...]string{"next", "C call and result"}[min(part, 1)] }
	detail.Head, detail.Note = s.drawEventName, "E explain"
	return screen.Panes{Count: int(panes), Entry: screen.NewEntry(s.th), Lay: s.lay, Used: s.pointed,
		Texts: func(at screen.Pane) []screen.CopyText { return texts(s, at) }, Boxes: []*widget.Box{
			paneIDs: widget.NewBox(s.th, "identifiers", s.ids), paneAbout: about,
			paneEvents: widget.NewBox(s.th, "events", s.log), paneDetail: detail,
		}}
}

// pointed updates the screen after a mouse action.
func (s *Screen) pointed() {
	if i := s.ids.Cursor(); i >= 0 && s.snap.IDs[i].Name != s.name {
		s.pickID()
	}
	s.followEvent()
	s.retitle()
}

// mostSaid is how many rows the last result takes below panes that have no room for it.
const mostSaid = 4

// lay builds the panes for the size and reuses their blocks. Where they have no room for
// results, the last one shows below them until the next key.
func (s *Screen) lay() widget.Block {
	s.answers = false
	panes := face(s)
	if s.answers || !s.said || s.H < tiny {
		return panes
	}
	s.outcome.SetSize(s.W, mostSaid)
	rows := s.outcome.Len()
	s.H -= rows
	panes, s.answers = face(s), true
	return widget.NewCol(widget.Rest(5, panes), widget.Fixed(rows, s.outcome))
}

// face builds the panes.
func face(s *Screen) widget.Block {
	s.ids.Focused, s.log.Focused = s.Has(paneIDs), s.Has(paneEvents)
	switch {
	case s.Zoom || s.H < tiny:
		s.fillAbout(s.W-2, s.H-2)
		s.fillDetail(s.W-2, s.H-2)
		if s.Focus == paneIDs && (len(s.snap.IDs) == 0 || s.draft != nil) {
			return s.Boxes[paneAbout] // an empty list does not show how to begin
		}
		return s.Box()
	case s.W >= wide && s.H >= high:
		return s.wide()
	}
	return s.stacked()
}

// idRowsShown returns the number of identifier rows, at most most.
func (s *Screen) idRowsShown(most int) int { return max(min(len(s.snap.IDs), most), 1) }

// wide puts the identifiers on the left, their events on the right.
func (s *Screen) wide() widget.Block {
	h, w := s.H, s.W
	left := w * 48 / 100
	top := s.idRowsShown(max(h/5, 3)) + 3
	s.fillAbout(left-2, h-top-2)
	s.fillDetail(w-left-2, h/2-2)
	return widget.NewRow(
		widget.Fixed(left, widget.NewCol(widget.Fixed(top, s.Boxes[paneIDs]), widget.Rest(8, s.Boxes[paneAbout]))),
		widget.Rest(40,
			widget.NewCol(widget.Rest(6, s.Boxes[paneEvents]), widget.Fixed(h/2, s.Boxes[paneDetail]))))
}

// stacked has them above each other. Where there is little room the keys
// decide whether the identifier or the event is shown.
func (s *Screen) stacked() widget.Block {
	h, w := s.H, s.W
	onEvents := s.Focus == paneEvents || s.Focus == paneDetail
	if h >= 36 {
		s.fillAbout(w-2, h*2/5-2)
		s.fillDetail(w-2, h/4-2)
		return widget.NewCol(widget.Fixed(s.idRowsShown(4)+3, s.Boxes[paneIDs]),
			widget.Fixed(h*2/5, s.Boxes[paneAbout]),
			widget.Rest(5, s.Boxes[paneEvents]), widget.Fixed(h/4, s.Boxes[paneDetail]))
	}
	if onEvents {
		s.fillDetail(w-2, h*3/5-2)
		return widget.NewCol(widget.Rest(5, s.Boxes[paneEvents]), widget.Fixed(h*3/5, s.Boxes[paneDetail]))
	}
	most := 2
	if h >= 24 {
		most = 3
	}
	top := s.idRowsShown(most) + 3
	log := 4
	if h >= 20 {
		log = 7
	}
	if len(s.events.all) == 0 && s.current() == nil {
		log = 0
	}
	s.fillAbout(w-2, h-top-log-2)
	if log == 0 {
		return widget.NewCol(widget.Fixed(top, s.Boxes[paneIDs]), widget.Rest(7, s.Boxes[paneAbout]))
	}
	return widget.NewCol(widget.Fixed(top, s.Boxes[paneIDs]), widget.Rest(7, s.Boxes[paneAbout]),
		widget.Fixed(log, s.Boxes[paneEvents]))
}

// fillAbout lays out the description of the identifier for the inside of its box.
func (s *Screen) fillAbout(w, h int) {
	box := s.Boxes[paneAbout]
	box.Title = aboutTitle(s)
	id := s.current()
	fresh := s.draft == nil && id == nil
	s.nextRows = s.rowsOfNext(w)
	switch {
	case fresh:
		s.start.lay(w, h < 14)
		s.about.show(s.start.rows)
	case id == nil || s.draft != nil:
		s.about.show(s.draftRows(w))
	default:
		serves, ethernet := s.wishFor(id.Name).serves, onEthernet(&s.snap, id)
		s.about.lay(id, facts{serves, ethernet, s.start.reachedAt(), s.now(), h < 18}, w)
	}
	if fresh && h < 14 {
		box.SetParts(widget.Rest(2, s.about.pager))
		return
	}
	most := max(h/3, 2)
	if h >= 12 {
		most = max(h-len(s.about.rows)-7, 3)
	}
	parts := []widget.Child{widget.Rest(2, s.about.pager), widget.Fixed(min(len(s.nextRows), most), s.next)}
	if h >= 12 {
		parts = append(parts, widget.Fixed(max(min(h/5, 5), 3), s.outcome).OrDrop(1))
		s.answers = !s.Zoom || s.Focus == paneAbout
	}
	box.SetParts(parts...)
}

// Answers implements screen.Answerer.
func (s *Screen) Answers() bool { return s.answers }

func aboutTitle(s *Screen) string {
	id := s.current()
	switch {
	case s.draft != nil && s.draft.serves:
		return "new: " + s.draft.name + ", a server"
	case s.draft != nil:
		return "new: " + s.draft.name + ", a client"
	case id == nil:
		return "no identifier yet"
	case id.State == session.IDRequest:
		return id.Name + " asks for a connection"
	}
	return id.Name + " is in " + id.State.String()
}

// fillDetail gives the private data as many rows as it needs, at most half.
func (s *Screen) fillDetail(w, h int) {
	parts := []widget.Child{widget.Rest(2, s.detail)}
	if n := s.detail.bytes(); n > 0 && h >= 5 {
		per := 16
		if w < 75 {
			per = 8
		}
		parts = append(parts, widget.Fixed(min((n+per-1)/per, max(h/3, 2)), s.detail.dump).OrDrop(1))
	}
	s.Boxes[paneDetail].SetParts(parts...)
	s.Boxes[paneDetail].Divider = func(int) string { return "private data" }
}

func (s *Screen) drawNext(b *line.Buf, y, _, _ int) {
	if y < len(s.nextRows) {
		s.nextRows[y](b)
	}
}

// drawEventName names the event in the title of its box.
func (s *Screen) drawEventName(b *line.Buf) {
	if s.detail.some {
		b.Space(1)
		drawType(b, &s.detail.event, s.th)
	}
}
