package measure

import (
	"fmt"

	"rdmatui/session/bench"
	"rdmatui/session/measure"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/format"
)

// test is what the screen uses of a started test.
type test interface {
	View() measure.View
	Change(p bench.Params) error
	Stop()
}

// run is a test in the list.
type run struct {
	name     string
	settings settings // it was started with
	test     test
	view     measure.View
}

// maxRuns is how many runs are kept. The oldest that has ended goes first.
const maxRuns = 32

// runs is the list of runs, the newest first.
type runs struct {
	th       *theme.Theme
	list     []*run
	compared *run // laid over the one shown; nil: none
	number   int  // of the newest run
}

// nextName returns the name of a new run: its number and its test.
func (r *runs) nextName(p *bench.Params) string {
	r.number++
	return fmt.Sprintf("%d %s", r.number, title(p))
}

// add puts a run on top.
func (r *runs) add(n *run) {
	r.list = append([]*run{n}, r.list...)
	if over := len(r.list) - maxRuns; over > 0 {
		r.remove(len(r.list) - 1)
	}
}

// remove removes a run.
func (r *runs) remove(i int) {
	if r.list[i] == r.compared {
		r.compared = nil
	}
	r.list = append(r.list[:i:i], r.list[i+1:]...)
}

// at returns a run, nil if there is none.
func (r *runs) at(i int) *run {
	if i < 0 || i >= len(r.list) {
		return nil
	}
	return r.list[i]
}

// refresh looks at the runs, and reports whether one has changed.
func (r *runs) refresh() (changed bool) {
	for _, n := range r.list {
		if n.view.State.Over() {
			continue
		}
		if v := n.test.View(); v.Version != n.view.Version {
			n.view, changed = v, true
		}
	}
	return changed
}

// running returns the test that has not ended, nil if there is none.
func (r *runs) running() *run {
	for _, n := range r.list {
		if !n.view.State.Over() {
			return n
		}
	}
	return nil
}

var runColumns = []widget.TableColumn{
	{Title: "run", Space: widget.Space{Size: 10, Min: 8, Weight: 1}},
	{Title: "result", Align: line.Right, Space: widget.Space{Size: 11, Min: 8}},
	{Title: "", Space: widget.Space{Size: 1, Min: 1}},
}

// Len implements widget.TableRows.
func (r *runs) Len() int { return len(r.list) }

// Cell implements widget.TableRows.
func (r *runs) Cell(b *line.Buf, i, col int) {
	n, th := r.list[i], r.th
	switch col {
	case 0:
		st := th.Value
		if n == r.compared {
			st = th.Theirs
		}
		b.Text(n.name, st)
	case 1:
		text, st := n.figure(th)
		b.Text(text, st)
	case 2:
		switch {
		case n == r.compared:
			b.Text(th.Glyphs.Full, th.Theirs)
		case n.view.State == measure.Failed:
			b.Text(th.Glyphs.Ban, th.Err)
		case n.view.State == measure.Ended:
			b.Text(th.Glyphs.Check, th.OK)
		case !n.view.State.Over():
			b.Text(th.Glyphs.Pointer, th.Accent)
		}
	}
}

// figure returns what a run has measured in one figure.
func (n *run) figure(th *theme.Theme) (string, theme.Style) {
	v := &n.view
	switch {
	case v.State == measure.Failed:
		return "failed", th.Err
	case v.State < measure.Running:
		return "waiting", th.Dim
	case len(v.Results) > 0:
		last := &v.Results[len(v.Results)-1]
		if last.Latency != nil {
			return microseconds(last.Latency.Average), th.Value
		}
		return fmt.Sprintf("%s %s", figures(last.Report.Average), unit(&v.Params)), th.Value
	}
	p, ok := v.Mean(v.Last())
	switch {
	case !ok && v.State == measure.Stopped:
		return "stopped", th.Dim
	case !ok:
		return "running", th.Dim
	case v.Params.Test.Latency:
		return format.Span(p.Latency), th.Value
	}
	return throughput(&v.Params, p.Throughput()), th.Value
}

// title names a test in short: what differs most.
func title(p *bench.Params) string {
	text := p.Test.String()
	if p.All {
		text += " -a"
	} else {
		text += " " + format.Size(p.Size)
	}
	if p.QPs > 1 {
		text += fmt.Sprintf(" %d QPs", p.QPs)
	}
	return text
}

// unit is the unit of throughput.
func unit(p *bench.Params) string {
	if p.Gbits {
		return "Gbit/s"
	}
	return "MiB/s"
}

// unitBytes is the bytes per second of a unit.
func unitBytes(p *bench.Params) float64 {
	if p.Gbits {
		return 125_000_000
	}
	return 1 << 20
}

// throughput formats bytes per second.
func throughput(p *bench.Params, perSecond float64) string {
	return figures(perSecond/unitBytes(p)) + " " + unit(p)
}

// figures formats a number with at least three significant digits.
func figures(v float64) string {
	switch {
	case v >= 1000:
		return format.Count(uint64(v + 0.5))
	case v >= 100:
		return fmt.Sprintf("%.1f", v)
	case v >= 0.1:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.4f", v)
}

func microseconds(v float64) string { return fmt.Sprintf("%.2f µs", v) }
