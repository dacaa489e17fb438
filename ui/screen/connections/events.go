package connections

import (
	"strings"

	"rdmatui/session/timeline"
	"rdmatui/ui/recent"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/eventline"
	"rdmatui/ui/widget/layout"
	"rdmatui/ui/widget/line"
	"rdmatui/ui/widget/table"
)

// keepEvents is how many events can be scrolled through.
const keepEvents = 2048

// events is the log of the connection manager's events, and those that pass the
// filter.
type events struct {
	th   *theme.Theme
	ring *recent.Ring
	all  []timeline.Event // as the ring has them, oldest first
	view []int            // indexes in all of those that pass
	seen uint64           // newest event taken

	only string // the identifier whose events are shown; "" for all
	text string // the filter, in lower case
}

func newEvents(th *theme.Theme, log *timeline.Log) *events {
	return &events{th: th, ring: recent.New(log, keepEvents, isCM)}
}

// take fetches new events, and reports whether there were any and how many of the
// shown rows were dropped.
func (l *events) take() (came bool, gone int) {
	newest := l.ring.Newest()
	if newest == l.seen {
		return false, 0
	}
	before := len(l.all)
	l.all = l.ring.Since(l.seen, 0, l.all)
	l.seen = newest
	if over := len(l.all) - keepEvents; over > 0 {
		l.all = append(l.all[:0:0], l.all[over:]...)
		for gone < len(l.view) && l.view[gone] < over {
			gone++
		}
		l.refilter()
		return true, gone
	}
	for i := before; i < len(l.all); i++ {
		if l.passes(&l.all[i]) {
			l.view = append(l.view, i)
		}
	}
	return true, 0
}

func (l *events) refilter() {
	l.view = l.view[:0]
	for i := range l.all {
		if l.passes(&l.all[i]) {
			l.view = append(l.view, i)
		}
	}
}

func (l *events) passes(e *timeline.Event) bool {
	c := e.CM
	if l.only != "" && c.ID != l.only && c.Listen != l.only {
		return false
	}
	if l.text == "" {
		return true
	}
	for _, s := range [...]string{c.Type.String(), c.ID, c.Listen, c.Peer.String(), c.StatusText, c.Device,
		string(c.PrivateData())} {
		if strings.Contains(strings.ToLower(s), l.text) {
			return true
		}
	}
	return false
}

// at is the i-th event that is shown, nil if there is none.
func (l *events) at(i int) *timeline.Event {
	if i < 0 || i >= len(l.view) {
		return nil
	}
	return &l.all[l.view[i]]
}

// index finds a shown event by its number; -1 for none.
func (l *events) index(seq uint64) int {
	for i := range l.view {
		if l.all[l.view[i]].Seq == seq {
			return i
		}
	}
	return -1
}

// eventColumn is one column of the log.
type eventColumn struct {
	table.Column
	draw func(b *line.Buf, e *timeline.Event, th *theme.Theme)
}

var eventColumns = []eventColumn{
	{table.Column{Title: "time s", Align: line.Right, Item: layout.Item{Size: 8, Drop: 4}},
		func(b *line.Buf, e *timeline.Event, th *theme.Theme) { eventline.Time(b, e.T, 3, th.Dim) }},
	{table.Column{Title: "event", Item: layout.Item{Size: 16, Min: 14}}, drawType},
	{table.Column{Title: "id", Item: layout.Item{Size: 8, Drop: 2}},
		func(b *line.Buf, e *timeline.Event, th *theme.Theme) { drawName(b, e.CM.ID, th) }},
	{table.Column{Title: "peer", Item: layout.Item{Size: 20, Min: 15, Drop: 5}},
		func(b *line.Buf, e *timeline.Event, th *theme.Theme) { drawAddr(b, e.CM.Peer, th) }},
	{table.Column{Title: "what", Item: layout.Item{Size: 21, Weight: 1}}, drawWhat},
}

func drawType(b *line.Buf, e *timeline.Event, th *theme.Theme) {
	b.Text(e.CM.Type.String(), typeStyle(e.CM, th))
}

// typeStyle sets failures and requests to the user apart from other events.
func typeStyle(c *timeline.CMEvent, th *theme.Theme) theme.Style {
	switch {
	case c.Failed():
		return th.Err
	case c.State == "REQUEST":
		return th.Warn
	}
	return th.OK
}

// drawWhat shows the status in words, or how long the step took; then the peer's
// private data.
func drawWhat(b *line.Buf, e *timeline.Event, th *theme.Theme) {
	c := e.CM
	if c.StatusText != "" {
		b.Text(c.StatusText, th.Err)
		b.Space(2)
	} else if c.Step != "" {
		b.Text(c.Step, th.Dim)
		b.Space(1)
		eventline.Took(b, c.Took, th.Value)
		b.Space(2)
	}
	b.Text(eventline.PrivateData(c.PrivateData()), th.Dim)
}

func eventTableColumns() []table.Column {
	out := make([]table.Column, len(eventColumns))
	for i := range eventColumns {
		out[i] = eventColumns[i].Column
	}
	return out
}

// Len implements table.Rows.
func (l *events) Len() int { return len(l.view) }

// Cell implements table.Rows.
func (l *events) Cell(b *line.Buf, row, col int) {
	eventColumns[col].draw(b, &l.all[l.view[row]], l.th)
}
