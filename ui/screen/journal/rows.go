package journal

import (
	"strings"

	"rdmatui/session/timeline"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/eventline"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/ring"
)

// A flood of completions or packets must not displace the commands: between two other
// events the first ones are kept, and the rest are only counted.
const (
	keepEvents  = 8192
	keepOK      = 32
	keepFailed  = 64
	keepPackets = 32
)

// newRing makes a ring of the events that the journal shows.
func newRing(log *timeline.Log) *timeline.Recent {
	ok, failed, packets := 0, 0, 0
	return timeline.NewRecent(log, keepEvents, func(e *timeline.Event) bool {
		switch {
		case e.Kind == timeline.KindPacket:
			packets++
			return packets <= keepPackets
		case e.Kind != timeline.KindWC:
			ok, failed, packets = 0, 0, 0
			return true
		case e.WC.WC.Failed():
			failed++
			return failed <= keepFailed
		}
		ok++
		return ok <= keepOK
	})
}

// row is a line of the journal: an event, or the number of completions left out.
type row struct {
	event int // index in events; -1: a gap
	gap   uint64
}

// entries is the journal and its rows that pass the filter.
type entries struct {
	th     *theme.Theme
	events []timeline.Event
	view   []row
	total  uint64 // number of the newest event of the log

	kinds      kindSet
	failedOnly bool
	text       string
	buf        *line.Buf
}

// take adds new events and reports whether there were any; dropped is how many rows
// were removed at the top.
func (s *entries) take(from *timeline.Recent) (changed bool, dropped int) {
	looked := from.Looked()
	if looked == s.total {
		return false, 0
	}
	var last uint64
	n := len(s.events)
	if n > 0 {
		last = s.events[n-1].Seq
	}
	s.events = from.Since(last, 0, s.events)
	s.total = looked
	if over := len(s.events) - keepEvents; over > 0 {
		was := s.rowsBefore(over)
		s.events = ring.Newest(s.events, keepEvents)
		s.filter()
		return true, was
	}
	s.endGap(false)
	for i := n; i < len(s.events); i++ {
		s.consider(i)
	}
	s.endGap(true)
	return true, 0
}

func (s *entries) rowsBefore(event int) int {
	for i, r := range s.view {
		if r.event >= event {
			return i
		}
	}
	return len(s.view)
}

// filter rebuilds the view.
func (s *entries) filter() {
	s.view = s.view[:0]
	for i := range s.events {
		s.consider(i)
	}
	s.endGap(true)
}

// consider shows an event if it passes, after the gap before it.
func (s *entries) consider(i int) {
	e := &s.events[i]
	if i > 0 {
		s.gap(e.Seq - s.events[i-1].Seq - 1)
	}
	if s.passes(e) {
		s.view = append(s.view, row{event: i})
	}
}

// gap adds a row for omitted completions or packets. Other events are never omitted.
func (s *entries) gap(n uint64) {
	if n > 0 && (s.kinds.has(timeline.KindWC) || s.kinds.has(timeline.KindPacket)) && s.text == "" && !s.failedOnly {
		s.view = append(s.view, row{event: -1, gap: n})
	}
}

// endGap adds or removes the gap after the last event, which is still growing.
func (s *entries) endGap(add bool) {
	if n := len(s.view); n > 0 && s.view[n-1].event < 0 {
		s.view = s.view[:n-1]
	}
	if n := len(s.events); add && n > 0 && s.total > s.events[n-1].Seq {
		s.gap(s.total - s.events[n-1].Seq)
	}
}

func (s *entries) passes(e *timeline.Event) bool {
	if !s.kinds.has(e.Kind) || s.failedOnly && !eventline.Bad(e) {
		return false
	}
	if s.text == "" {
		return true
	}
	s.buf.Reset()
	eventline.Text(s.buf, e)
	said := s.buf.String()
	if c := e.Command; c != nil {
		said = strings.Join([]string{c.Line, c.Resolved, c.Call(), c.Result, c.Check, c.Err, c.Hint}, "\n")
	}
	return strings.Contains(strings.ToLower(said), s.text)
}

// at returns the event of a row, nil for a gap.
func (s *entries) at(i int) *timeline.Event {
	if i < 0 || i >= len(s.view) || s.view[i].event < 0 {
		return nil
	}
	return &s.events[s.view[i].event]
}

// Len implements widget.TableRows.
func (s *entries) Len() int { return len(s.view) }

var columns = []widget.TableColumn{
	{Title: "time s", Align: line.Right, Space: widget.Space{Size: 11, Min: 8, Drop: 1}},
	{Title: "kind", Space: widget.Space{Size: 7, Drop: 2}},
	{Title: "what", Space: widget.Space{Size: 48, Min: 24, Weight: 1}},
	{Title: "took", Align: line.Right, Space: widget.Space{Size: 7, Drop: 3}},
}

// Cell implements widget.TableRows.
func (s *entries) Cell(b *line.Buf, i, col int) {
	e := s.at(i)
	if e == nil {
		if col == 2 {
			b.Text(s.th.Glyphs.Ellipsis, s.th.Dim)
			b.Space(1)
			eventline.Count(b, s.view[i].gap, s.th.Dim)
			b.Text(" more completions or packets", s.th.Dim)
		}
		return
	}
	switch col {
	case 0:
		eventline.FitTime(b, e.T, s.th.Dim)
	case 1:
		st := s.th.Label
		if eventline.Bad(e) {
			st = s.th.Err
		}
		b.Text(e.Kind.String(), st)
	case 2:
		eventline.Text(b, e)
	case 3:
		if e.Command != nil && e.Command.Took > 0 {
			eventline.Took(b, e.Command.Took, s.th.Dim)
		}
	}
}
