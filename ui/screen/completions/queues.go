package completions

import (
	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/eventline"
	"rdmatui/ui/widget/line"
)

// queue is a completion queue as shown.
type queue struct {
	name, channel string
	cqe, inFlight int
	counts        timeline.CQCounts

	mode      session.CQMode // how a live session takes its completions
	solicited bool
	stats     session.CQStatsByMode
	overruns  uint64
	needed    int // entries with which it could not overflow
	fill      int // entries in use, and the highest so far; if fillKnown
	peak      int
	fillKnown bool
}

// queues shows the rate of completions, each completion queue, and how completions
// were taken from the selected one. No verb tells how many entries a queue holds, but
// a software device does. The number that may still come is always known: the
// requests that have not completed. If it exceeds the free entries, the queue may
// overflow.
type queues struct {
	th      *theme.Theme
	rate    rate
	list    []queue
	live    bool
	waits   string // what the first request that waits waits for, in place of the rate; "": none is known to
	at      int    // the queue that is selected
	all     bool   // what is seldom used shows too: its entries, and statistics of each way to take completions
	focused bool
	rows    []func(*line.Buf)
	w, h    int
}

// listed is the most queues shown at once.
const listed = 5

// SetSize implements widget.Block.
func (q *queues) SetSize(w, h int) { q.w, q.h = w, h }

// rowsWanted returns one row for the rate or what a request waits for, one per queue up to listed, and those
// about the selected queue.
func (q *queues) rowsWanted() int { return len(q.rows) }

// arrange rebuilds the rows after the queues have changed.
func (q *queues) arrange() {
	q.at = min(max(q.at, 0), max(len(q.list)-1, 0))
	q.rows = append(q.rows[:0], func(b *line.Buf) { q.drawRate(b, ratePoints) })
	if len(q.list) == 0 {
		q.rows = append(q.rows, q.say(" no completion queue", q.th.Dim))
		return
	}
	from := min(max(q.at-listed+1, 0), max(len(q.list)-listed, 0))
	for i := from; i < min(from+listed, len(q.list)); i++ {
		q.rows = append(q.rows, func(b *line.Buf) { q.drawQueue(b, i) })
	}
	q.rows = append(q.rows, q.about(&q.list[q.at])...)
}

func (q *queues) say(text string, st theme.Style) func(*line.Buf) {
	return func(b *line.Buf) { b.Text(text, st) }
}

// move selects the next queue.
func (q *queues) move(by int) {
	q.at += by
	q.arrange()
}

// choose selects the named queue, if there is one.
func (q *queues) choose(name string) {
	for i := range q.list {
		if q.list[i].name == name {
			q.at = i
		}
	}
}

// selected returns the queue that keys act on, nil if there is none.
func (q *queues) selected() *queue {
	if q.at >= len(q.list) {
		return nil
	}
	return &q.list[q.at]
}

// DrawLine implements widget.Block: with a single row, it shows the rate and the queue.
func (q *queues) DrawLine(b *line.Buf, y int) {
	switch {
	case q.h == 1:
		q.drawRate(b, 16)
		if len(q.list) > 0 && q.waits == "" {
			b.Space(2)
			q.drawQueue(b, q.at)
		}
	case y < len(q.rows):
		q.rows[y](b)
	}
}

// Below implements widget.Scroller. A single row is a summary.
func (q *queues) Below() int {
	if q.h == 1 {
		return 0
	}
	return max(len(q.rows)-q.h, 0)
}

func (q *queues) drawRate(b *line.Buf, points int) {
	b.Space(1)
	if q.waits != "" {
		b.Text(q.waits, q.th.Warn)
		return
	}
	widget.Spark(b, q.rate.values, min(points, max(b.Room()-16, 0)), 0, q.th.Fill)
	b.Space(1)
	eventline.Count(b, q.rate.last(), q.th.Value)
	b.Text("/s", q.th.Dim)
}

func (q *queues) drawQueue(b *line.Buf, i int) {
	th, c := q.th, &q.list[i]
	if q.focused && i == q.at {
		b.Text(th.Glyphs.Pointer, th.Info)
	} else {
		b.Space(1)
	}
	b.Cell(c.name, q.nameWidth(), line.Left, th.Value)
	b.Space(2)
	b.Pieces(q.parts(c)...)
}

// nameWidth holds the longest name, up to a limit.
func (q *queues) nameWidth() int {
	w := 4
	for i := range q.list {
		w = max(w, line.Width(q.list[i].name))
	}
	return min(w, 12)
}

// parts describes a queue's fill and mode, the least important last.
func (q *queues) parts(c *queue) []line.Piece {
	th := q.th
	n, label, fill := th.Value, th.Dim, th.Fill
	if c.counts.Failed > 0 {
		n, label = th.Err, th.Err
	}
	if c.inFlight > c.cqe {
		fill = th.Err
	}
	part := func(gap, drop int, draw func(b *line.Buf)) line.Piece {
		return line.Piece{Gap: gap, Drop: drop, Draw: draw}
	}
	text := func(drop int, s string, st theme.Style) line.Piece {
		return part(2, drop, func(b *line.Buf) { b.Text(s, st) })
	}
	out := []line.Piece{
		part(0, 0, func(b *line.Buf) { eventline.Count(b, c.counts.OK, th.Value); b.Text(" ok", th.Dim) }),
		part(2, 0, func(b *line.Buf) { eventline.Count(b, c.counts.Failed, n); b.Text(" failed", label) }),
		part(2, 4, func(b *line.Buf) {
			widget.Gauge(b, float64(c.inFlight)/float64(max(c.cqe, 1)), 8, fill, th.Track)
		}),
		part(1, 3, func(b *line.Buf) {
			b.Int(int64(c.inFlight), th.Value)
			b.Text("/", th.Dim)
			b.Int(int64(c.cqe), th.Value)
			b.Text(" in flight", th.Dim)
		}),
	}
	if c.overruns > 0 {
		return append(out, text(0, "OVERRUN", th.Err))
	}
	for i, s := range q.mode(c) {
		out = append(out, text(2+3*i, s, th.Dim))
	}
	return out
}

// mode says how completions are taken from a queue, the most important first.
func (q *queues) mode(c *queue) (out []string) {
	if !q.live {
		out = append(out, session.ByHand.String())
	} else {
		out = append(out, c.mode.String())
		if c.solicited {
			out = append(out, "solicited only")
		}
	}
	if c.channel != "" {
		out = append(out, "channel "+c.channel)
	}
	return out
}
