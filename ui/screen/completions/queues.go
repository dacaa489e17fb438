package completions

import (
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
}

// queues shows the rate of completions and each completion queue. How many
// entries wait in a queue no verb tells; how many may come at most is known: the
// requests that have not completed. More of them than entries is an overrun to be.
type queues struct {
	th   *theme.Theme
	rate rate
	list []queue
	live bool
	w, h int
}

// SetSize implements widget.Block.
func (q *queues) SetSize(w, h int) { q.w, q.h = w, h }

// rowsWanted is one for the rate and one a queue, within reason.
func (q *queues) rowsWanted() int { return 1 + min(max(len(q.list), 1), 5) }

// DrawLine implements widget.Block: with one row, the rate and the first queue.
func (q *queues) DrawLine(b *line.Buf, y int) {
	b.Space(1)
	if y > 0 {
		if y <= len(q.list) {
			q.drawQueue(b, &q.list[y-1])
		} else if len(q.list) == 0 && y == 1 {
			b.Text("no completion queue", q.th.Dim)
		}
		return
	}
	points := ratePoints
	if q.h == 1 {
		points = 16
	}
	spark.Line(b, q.rate.values, min(points, max(b.Room()-16, 0)), 0, q.th.Fill)
	b.Space(1)
	eventline.Count(b, q.rate.last(), q.th.Value)
	b.Text("/s", q.th.Dim)
	if q.h == 1 && len(q.list) > 0 {
		b.Space(3)
		q.drawQueue(b, &q.list[0])
	}
}

func (q *queues) drawQueue(b *line.Buf, c *queue) {
	th := q.th
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
	b.Text(q.mode(c), th.Dim)
}

// mode says how completions are taken from a queue.
func (q *queues) mode(c *queue) string {
	switch {
	case q.live && c.channel != "":
		return "live, channel " + c.channel
	case q.live:
		return "live"
	case c.channel != "":
		return "channel " + c.channel
	}
	return "poll_cq"
}
