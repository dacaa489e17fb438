package completions

import (
	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/eventline"
	"rdmatui/ui/widget/line"
	"rdmatui/ui/widget/spark"
)

// queue is a completion queue as it is shown.
type queue struct {
	name, channel string
	cqe, inFlight int
	counts        timeline.CQCounts

	mode      session.CQMode // how a live session takes its completions
	solicited bool
	stats     session.CQStatsByMode
	overruns  uint64
	needed    int // entries with which it could not run over
	fill      int // entries in use, and at most; if fillKnown
	peak      int
	fillKnown bool
}

// queues shows the rate of completions, each completion queue, and how completions
// were taken from the one that is selected. How many entries wait in a queue no verb
// tells, but a software device does; how many may come at most is known always: the
// requests that have not completed. More of them than entries is an overrun to be.
type queues struct {
	th      *theme.Theme
	rate    rate
	list    []queue
	live    bool
	at      int // the queue that is selected
	focused bool
	rows    []func(*line.Buf)
	w, h    int
}

// listed is how many queues are shown at once.
const listed = 5

// SetSize implements widget.Block.
func (q *queues) SetSize(w, h int) { q.w, q.h = w, h }

// rowsWanted is one for the rate, one a queue, within reason, and what is told of
// the one that is selected.
func (q *queues) rowsWanted() int { return len(q.rows) }

// arrange lists the rows anew, after the queues have changed.
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

// choose selects the queue of that name, if there is one.
func (q *queues) choose(name string) {
	for i := range q.list {
		if q.list[i].name == name {
			q.at = i
		}
	}
}

// selected is the queue that keys are about, nil if there is none.
func (q *queues) selected() *queue {
	if q.at >= len(q.list) {
		return nil
	}
	return &q.list[q.at]
}

// DrawLine implements widget.Block: with one row, the rate and the queue.
func (q *queues) DrawLine(b *line.Buf, y int) {
	switch {
	case q.h == 1:
		q.drawRate(b, 16)
		if len(q.list) > 0 {
			b.Space(2)
			q.drawQueue(b, q.at)
		}
	case y < len(q.rows):
		q.rows[y](b)
	}
}

func (q *queues) drawRate(b *line.Buf, points int) {
	b.Space(1)
	spark.Line(b, q.rate.values, min(points, max(b.Room()-16, 0)), 0, q.th.Fill)
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
	r := b.BeginCell(min(max(line.Width(c.name), 4), 12), line.Left)
	b.Text(c.name, th.Value)
	b.End(r)
	b.Space(2)
	eventline.Count(b, c.counts.OK, th.Value)
	b.Text(" ok", th.Dim)
	b.Space(2)
	n, label := th.Value, th.Dim
	if c.counts.Failed > 0 {
		n, label = th.Err, th.Err
	}
	eventline.Count(b, c.counts.Failed, n)
	b.Text(" failed", label)
	b.Space(2)
	fill := th.Fill
	if c.inFlight > c.cqe {
		fill = th.Err
	}
	spark.Gauge(b, float64(c.inFlight)/float64(max(c.cqe, 1)), 8, fill, th.Track)
	b.Space(1)
	b.Int(int64(c.inFlight), th.Value)
	b.Text("/", th.Dim)
	b.Int(int64(c.cqe), th.Value)
	b.Text(" in flight", th.Dim)
	b.Space(2)
	if c.overruns > 0 {
		b.Text("OVERRUN", th.Err)
		return
	}
	b.Text(q.mode(c), th.Dim)
}

// mode says how completions are taken from a queue.
func (q *queues) mode(c *queue) string {
	text := session.ByHand.String()
	if q.live {
		text = c.mode.String()
	}
	if q.live && c.solicited {
		text += ", solicited only"
	}
	if c.channel != "" {
		text += ", channel " + c.channel
	}
	return text
}
