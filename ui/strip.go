package ui

import (
	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/eventline"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/ring"
)

const (
	stripKeep = 4   // events on each side: more than the strip's height
	stripLook = 256 // of the log's events, examined per frame
	stripNone = 34  // width of counters alone
	stripTwo  = 76  // width from which there are two boxes side by side
)

// stripMode is how much of the strip is shown.
type stripMode uint8

// The modes, in the order in which the key S cycles through them.
const (
	stripLine stripMode = iota
	stripPane
	stripHidden
	stripModes
)

// stripHeights are the rows of each mode, stripNames the names in the config,
// stripSaid the messages of the key.
var (
	stripNames   = [stripModes]string{"line", "pane", "hidden"}
	stripHeights = [stripModes]int{stripLine: 1, stripPane: 5}
	stripSaid    = [stripModes]string{"Strip: one line", "Strip: five rows", "Strip hidden; S shows it"}
)

// stripRepeats are the screens whose main pane shows the strip's content.
var stripRepeats = map[screen.ID]bool{screen.Completions: true, screen.Connections: true, screen.Journal: true}

// strip is the live strip below a screen: the last completions and other events. Its
// counters are exact. If completions come faster than frames it shows the last ones,
// and as a pane always the last failed one.
type strip struct {
	mode   stripMode
	th     *theme.Theme
	counts timeline.Counts
	seen   uint64 // number of the newest event examined
	asking uint64 // connection requests that wait for an answer
	waits  string // send requests that wait, "" for none

	wcs    []timeline.Event // the last completions, oldest first
	failed []timeline.Event // the last that failed, if any
	events []timeline.Event // other events, oldest first
	buf    []timeline.Event

	failedRing *timeline.Recent
	eventRing  *timeline.Recent

	left, right, both *widget.Box
	row               *widget.Row
	w, h              int
}

func newStrip(th *theme.Theme) *strip {
	s := &strip{th: th, buf: make([]timeline.Event, 0, stripLook)}
	s.left = widget.NewBox(th, "completions", &widget.Func{Line: s.drawCompletion})
	s.right = widget.NewBox(th, "events", &widget.Func{Line: s.drawEvent})
	s.both = widget.NewBox(th, "completions", &widget.Func{Line: s.drawEither})
	s.left.Head, s.both.Head, s.right.Head = s.drawCounts, s.drawCounts, s.drawEventCount
	s.row = widget.NewRow(widget.Flex(1, 20, s.left), widget.Flex(1, 20, s.right))
	return s
}

// shown reports whether the strip shows an event other than a completion. A
// successful command is reported on the bottom line instead.
func shown(e *timeline.Event) bool {
	switch e.Kind {
	case timeline.KindWC, timeline.KindPacket:
		return false
	case timeline.KindCommand:
		return e.Command != nil && e.Command.Err != ""
	}
	return true
}

// refresh examines the log and reports whether anything is new.
func (s *strip) refresh(log *timeline.Log, st *screen.State) bool {
	if s.eventRing == nil {
		s.failedRing = timeline.NewRecent(log, 1, (*timeline.Event).FailedWC)
		s.eventRing = timeline.NewRecent(log, stripKeep, shown)
	}
	s.counts = st.Counts
	was, waited := s.asking, s.waits
	s.asking, s.waits = asking(&st.Session), stalled(&st.Session)
	last := log.Last()
	if last == s.seen {
		return s.asking != was || s.waits != waited
	}
	from := s.seen
	if last > stripLook {
		from = max(from, last-stripLook)
	}
	s.buf, _ = log.Since(from, s.buf[:0])
	for i := lastCompletions(s.buf, stripKeep); i < len(s.buf); i++ {
		if e := &s.buf[i]; e.Kind == timeline.KindWC {
			s.wcs = ring.Newest(append(s.wcs, *e), stripKeep)
		}
	}
	s.seen = last
	if n := len(s.buf); n > 0 {
		s.seen = s.buf[n-1].Seq
	}
	s.failed = s.failedRing.Since(0, 1, s.failed[:0])
	s.events = s.eventRing.Since(0, stripKeep, s.events[:0])
	return true
}

// asking counts the connection requests that wait for an answer.
func asking(snap *session.Snapshot) (n uint64) {
	for i := range snap.IDs {
		if snap.IDs[i].State == session.IDRequest {
			n++
		}
	}
	return n
}

// lastCompletions returns the index where the last n completions among events begin.
func lastCompletions(events []timeline.Event, n int) int {
	for i := len(events) - 1; i >= 0; i-- {
		if events[i].Kind == timeline.KindWC {
			if n--; n == 0 {
				return i
			}
		}
	}
	return 0
}

// SetSize implements widget.Block.
func (s *strip) SetSize(w, h int) {
	s.w, s.h = w, h
	switch {
	case h <= 1 || s.told(w) != nil:
	case w >= stripTwo:
		s.row.SetSize(w, h)
	default:
		s.both.SetSize(w, h)
	}
}

// DrawLine implements widget.Block.
func (s *strip) DrawLine(b *line.Buf, y int) {
	told := s.told(s.w)
	switch {
	case y < len(told):
		b.Space(1)
		b.Text(told[y], s.th.Value)
	case s.h == 1:
		s.drawOneLine(b)
	case s.w >= stripTwo:
		s.row.DrawLine(b, y)
	default:
		s.both.DrawLine(b, y)
	}
}

// told is the address at which a command waits for a peer, in as many lines of w cells as it needs, if one line has no
// room for it beside the completions; nil otherwise. Somebody has to type it elsewhere, so it is never cut.
func (s *strip) told(w int) []string {
	n := len(s.events)
	if s.mode != stripLine || n == 0 || s.events[n-1].Note == nil || !s.events[n-1].Note.Ready {
		return nil
	}
	text := line.Escape(s.events[n-1].Note.Text)
	if len(s.wcs) == 0 && line.Width(text)+stripNone+4 <= w {
		return nil
	}
	return widget.Wrap(nil, text, max(w-2, 20))
}

// drawOneLine draws counters and the last completion on the left, the last other
// event on the right, which has at least two fifths of the line. Parts that do not
// fit are left out whole, the least important first.
func (s *strip) drawOneLine(b *line.Buf) {
	th, right := s.th, 0
	if len(s.events) > 0 || s.asking > 0 {
		right = b.Room() * 2 / 5
		if len(s.wcs) == 0 {
			right = max(right, b.Room()-stripNone)
		}
	}
	left := b.Begin(b.Room() - right)
	b.Space(1)
	switch {
	case s.counts.WCOK+s.counts.WCFailed == 0 && s.waits != "":
		b.Text(s.waits, th.Warn)
	case s.counts.WCOK+s.counts.WCFailed == 0:
		b.Text("No completions yet", th.Dim)
	default:
		b.Pieces(s.totals()...)
	}
	b.Stop(left)
	if right == 0 {
		return
	}
	b.Space(3)
	cell := b.BeginCell(b.Room()-1, line.Right)
	b.Pieces(s.lastEvent()...)
	b.End(cell)
}

// totals shows the counts of completions, and the last one.
func (s *strip) totals() []line.Piece {
	th := s.th
	out := []line.Piece{{Draw: func(b *line.Buf) {
		b.Text(th.Glyphs.Check, th.OK)
		b.Space(1)
		eventline.Count(b, s.counts.WCOK, th.Value)
		b.Text(" ok", th.Dim)
	}}}
	if s.counts.WCFailed > 0 {
		out = append(out, line.Piece{Gap: 1, Draw: func(b *line.Buf) {
			b.Text(th.Glyphs.Ban, th.Err)
			b.Space(1)
			eventline.Count(b, s.counts.WCFailed, th.Err)
			b.Text(" failed", th.Err)
		}})
	}
	if s.waits != "" {
		out = append(out, line.Piece{Gap: 1, Draw: func(b *line.Buf) { b.Text(s.waits, th.Warn) }})
	}
	if n := len(s.wcs); n > 0 {
		out = append(out, s.last(&s.wcs[n-1])...)
	}
	return out
}

// last shows a completion: its status, its queue pair, then its time.
func (s *strip) last(e *timeline.Event) []line.Piece {
	c, th := &e.WC, s.th
	st := th.OK
	if c.WC.Failed() {
		st = th.Err
	}
	return []line.Piece{{Gap: 3, Drop: 1, Draw: func(b *line.Buf) {
		b.Text("last: ", th.Dim)
		b.Text("wr ", th.Label)
		b.Uint(c.WC.WRID, th.Value)
		b.Space(1)
		b.Text(c.WC.Status.String(), st)
	}}, {Gap: 1, Drop: 2, Draw: func(b *line.Buf) {
		b.Text("qp ", th.Label)
		eventline.QP(b, c, th.Value)
	}}, {Gap: 1, Drop: 3, Draw: func(b *line.Buf) {
		b.Text(th.Glyphs.Sep, th.Dim)
		b.Space(1)
		eventline.Time(b, e.T, 3, th.Dim)
	}}}
}

// lastEvent shows first the requests that wait for an answer.
func (s *strip) lastEvent() (out []line.Piece) {
	th := s.th
	if s.asking > 0 {
		out = append(out, line.Piece{Draw: func(b *line.Buf) {
			eventline.Count(b, s.asking, th.Warn)
			b.Text(" asking", th.Warn)
		}})
	}
	n := len(s.events)
	if n == 0 {
		return out
	}
	out = append(out, line.Piece{Gap: 2, Drop: 1, Draw: func(b *line.Buf) {
		b.Text("events", th.Dim)
		if all := s.eventCount(); all > 0 {
			b.Space(1)
			eventline.Count(b, all, th.Value)
		}
		b.Text(":", th.Dim)
	}})
	for i, p := range eventline.Pieces(th, shortened(&s.events[n-1])) {
		if i == 0 {
			p.Gap = 1
		}
		if p.Drop > 0 {
			p.Drop++ // the count is dropped last
		}
		out = append(out, p)
	}
	return out
}

// shortened replaces a command's error by its errno: the full text is shown where the
// command ran, and in the journal.
func shortened(e *timeline.Event) *timeline.Event {
	if e.Command == nil || e.Command.Errno == "" {
		return e
	}
	short := *e.Command
	short.Err = short.Errno
	return &timeline.Event{Kind: e.Kind, Command: &short}
}

// eventCount returns the number of events of the kinds in stripKinds.
func (s *strip) eventCount() (n uint64) {
	for _, k := range stripKinds {
		n += s.counts.Kind(k.kind)
	}
	return n
}

func (s *strip) drawCounts(b *line.Buf) { eventline.Completions(b, &s.counts, s.th) }

// stripKinds are the kinds of events that are counted.
var stripKinds = [...]struct {
	kind timeline.Kind
	name string
}{{timeline.KindCM, " cm"}, {timeline.KindAsync, " async"}, {timeline.KindState, " state"}}

// drawEventCount shows first the requests that wait for an answer.
func (s *strip) drawEventCount(b *line.Buf) {
	if s.asking > 0 {
		b.Space(2)
		eventline.Count(b, s.asking, s.th.Warn)
		b.Text(" asking", s.th.Warn)
	}
	for _, k := range stripKinds {
		if n := s.counts.Kind(k.kind); n > 0 {
			b.Space(2)
			eventline.Count(b, n, s.th.Value)
			b.Text(k.name, s.th.Dim)
		}
	}
}

// completionAt returns the completion in row y of n: the last completions, newest at
// the bottom; if the last failed one is not among them, it is kept on top.
func (s *strip) completionAt(y, n int) *timeline.Event {
	list := s.wcs[max(len(s.wcs)-n, 0):]
	if len(s.failed) > 0 && len(list) == n && n > 1 && list[0].Seq > s.failed[0].Seq {
		if y == 0 {
			return &s.failed[0]
		}
	}
	if y < len(list) {
		return &list[y]
	}
	return nil
}

func (s *strip) drawCompletion(b *line.Buf, y, _, h int) {
	e := s.completionAt(y, h)
	switch {
	case e != nil:
		s.drawTimed(b, e)
	case y == 0 && s.counts.WCOK+s.counts.WCFailed > 0: // completions of a loop have no rows
		b.Text(" counted only", s.th.Dim)
	case y == 0:
		b.Text(" none yet", s.th.Dim)
	}
}

func (s *strip) drawEvent(b *line.Buf, y, _, h int) {
	list := s.events[max(len(s.events)-h, 0):]
	switch {
	case y < len(list):
		s.drawTimed(b, &list[y])
	case y == 0:
		b.Text(" none yet", s.th.Dim)
	}
}

// drawEither divides one box: completions above, the last event below.
func (s *strip) drawEither(b *line.Buf, y, w, h int) {
	below := 0
	if len(s.events) > 0 {
		below = h / 2
	}
	if above := h - below; y < above {
		s.drawCompletion(b, y, w, above)
	} else {
		s.drawEvent(b, y-above, w, below)
	}
}

func (s *strip) drawTimed(b *line.Buf, e *timeline.Event) {
	st := s.th.Dim
	if eventline.Bad(e) {
		st = s.th.Err
	}
	b.Space(1)
	eventline.Time(b, e.T, 3, st)
	b.Space(2)
	r := b.Begin(b.Room() - 1)
	eventline.Short(b, e)
	b.End(r)
}
