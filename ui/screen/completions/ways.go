package completions

import (
	"fmt"
	"strconv"

	"rdmatui/session"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/eventline"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/format"
)

// wayColumn is one column of the table of ways to take completions.
type wayColumn struct {
	head string
	w    int
	text func(*session.CQStats) string
}

// wayColumns fit beside the explanation in a window of 120 columns. They count the
// polls that found something and those that found nothing.
var wayColumns = []wayColumn{
	{"taken", 6, func(c *session.CQStats) string { return few(c.Completions) }},
	{"1st poll", 10, func(c *session.CQStats) string { return both(c.FirstFull, c.FirstEmpty) }},
	{"2nd poll", 10, func(c *session.CQStats) string { return both(c.SecondFull, c.SecondEmpty) }},
	{"events", 10, func(c *session.CQStats) string { return both(c.Events, c.Acked) }},
	{"CPU each", 9, cpuEach},
	{"core", 6, share},
}

// wayWidth is the width of the first column, which names the way.
const wayWidth = 12

// few formats a number in at most four characters.
func few(n uint64) string {
	for _, unit := range []struct {
		from uint64
		name string
	}{{1e18, "E"}, {1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if n < unit.from {
			continue
		}
		if whole := n / unit.from; whole >= 10 {
			return strconv.FormatUint(whole, 10) + unit.name
		}
		return fmt.Sprintf("%d.%d%s", n/unit.from, n%unit.from/(unit.from/10), unit.name)
	}
	return strconv.FormatUint(n, 10)
}

func both(a, b uint64) string {
	if a == 0 && b == 0 {
		return ""
	}
	return few(a) + "/" + few(b)
}

func cpuEach(c *session.CQStats) string {
	if !c.Measured || c.Completions == 0 {
		return ""
	}
	return format.Span(c.PerCompletion())
}

func share(c *session.CQStats) string {
	if !c.Measured {
		return ""
	}
	if v := 100 * c.Share(); v < 10 {
		return fmt.Sprintf("%.1f%%", v)
	}
	return fmt.Sprintf("%.0f%%", 100*c.Share())
}

// about returns the rows about one queue, below the list of queues.
func (q *queues) about(c *queue) (rows []func(*line.Buf)) {
	if c.overruns > 0 {
		rows = append(rows,
			q.say(fmt.Sprintf(" OVERRUN: CQ_ERR %s, completions are lost.", times(c.overruns)), q.th.Err),
			q.say(" The CQ is unusable: destroy its queue pairs and the CQ,", q.th.Warn),
			q.say(fmt.Sprintf(" then create_cq with cqe=%d or more and poll more often.", max(c.needed, c.cqe+1)),
				q.th.Warn))
	}
	if !q.all {
		return rows
	}
	if c.fillKnown {
		rows = append(rows, func(b *line.Buf) { q.drawFill(b, c) })
	}
	var ways []func(*line.Buf)
	for m := range c.stats {
		if st := &c.stats[m]; st.Used() {
			mode := session.CQMode(m)
			ways = append(ways, func(b *line.Buf) { q.drawWay(b, c, mode, st) })
		}
	}
	if ways == nil {
		return rows
	}
	return append(append(rows, q.drawWayHeads), ways...)
}

func times(n uint64) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func (q *queues) drawFill(b *line.Buf, c *queue) {
	b.Space(1)
	b.Cell(c.name, wayWidth-1, line.Left, q.th.Value)
	st := q.th.Fill
	if c.fill >= c.cqe || c.overruns > 0 {
		st = q.th.Err
	}
	widget.Gauge(b, float64(c.fill)/float64(max(c.cqe, 1)), 16, st, q.th.Track)
	b.Space(1)
	eventline.Count(b, uint64(c.fill), q.th.Value)
	b.Text(" of ", q.th.Dim)
	eventline.Count(b, uint64(c.cqe), q.th.Value)
	b.Text(" entries in use, ", q.th.Dim)
	eventline.Count(b, uint64(c.peak), q.th.Value)
	b.Text(" at most", q.th.Dim)
}

func (q *queues) drawWayHeads(b *line.Buf) {
	b.Space(1)
	b.Cell("mode", wayWidth-1, line.Left, q.th.Header)
	for i := range wayColumns {
		b.Cell(wayColumns[i].head, wayColumns[i].w, line.Right, q.th.Header)
	}
	if legend := "  polls: full/empty, events: got/acked"; b.Room() >= len(legend) {
		b.Text(legend, q.th.Dim)
	}
}

func (q *queues) drawWay(b *line.Buf, c *queue, mode session.CQMode, stats *session.CQStats) {
	st := q.th.Dim
	if q.live && mode == c.mode || !q.live && mode == session.ByHand {
		st = q.th.Value
	}
	b.Space(1)
	b.Cell(mode.String(), wayWidth-1, line.Left, st)
	for i := range wayColumns {
		text := wayColumns[i].text(stats)
		if text == "" {
			b.Cell(q.th.Glyphs.Dash, wayColumns[i].w, line.Right, q.th.Undefined)
			continue
		}
		b.Cell(text, wayColumns[i].w, line.Right, st)
	}
	for _, text := range []string{" reads in vain", " in vain"} {
		if text = "  " + few(stats.EmptyReads) + text; stats.EmptyReads > 0 && b.Room() >= len(text) {
			b.Text(text, q.th.Dim)
			break
		}
	}
}
