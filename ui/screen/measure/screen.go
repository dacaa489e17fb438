// Package measure is the screen of the tests of perftest: it runs them between two ends
// in this program or with a peer, shows throughput, message rate and latency while they
// run, and keeps the runs to compare them.
package measure

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/bench"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

// The panes.
const (
	paneForm screen.Pane = iota
	paneRuns
	paneCharts
	paneReport
	panes
)

// Screen is the Measure screen.
type Screen struct {
	env *screen.Env
	th  *theme.Theme

	reader   screen.Reader
	devices  []device
	hosted   bool // devices has been read
	early    bool // a start waits for devices
	opened   []string
	settings settings
	all      bool // the form shows what is seldom used, too
	start    func(p bench.Params, both bool) (test, error)

	form   *widget.Form
	runs   *runs
	table  *widget.Table
	report *report
	pager  *widget.Pager

	screen.Panes
}

var _ screen.Screen = (*Screen)(nil)

// New makes the screen.
func New(env *screen.Env) *Screen {
	th := env.Theme
	s := &Screen{env: env, th: th, settings: newSettings(), form: widget.NewForm(th), runs: &runs{th: th},
		report: &report{th: th}, pager: widget.NewPager(th)}
	s.start = func(p bench.Params, both bool) (test, error) {
		t, err := env.Session.Measure(p, both)
		if err != nil {
			return nil, err
		}
		return t, nil
	}
	s.table = widget.NewTable(th, s.runs, runColumns...)
	s.table.Keeps, s.table.NoHead, s.table.Empty = true, true, "No runs yet."
	s.Panes = screen.Panes{Count: int(panes), Entry: screen.NewEntry(th), Lay: s.lay, Texts: s.texts,
		Boxes: []*widget.Box{
			paneForm: widget.NewBox(th, "test", s.form), paneRuns: widget.NewBox(th, "runs", s.table),
			paneCharts: widget.NewBox(th, "history", &charts{s: s}), paneReport: widget.NewBox(th, "result", s.pager),
		}}
	s.refill()
	return s
}

// refill shows the settings in the form.
func (s *Screen) refill() { s.form.SetFields(s.settings.fields(s.devices, s.usual(), s.all)) }

func (s *Screen) usual() device { return usual(s.devices, s.opened) }

// shown returns the run under the cursor, nil if there is none.
func (s *Screen) shown() *run { return s.runs.at(s.table.Cursor()) }

// behind returns the run that is laid over another, nil if there is none.
func (s *Screen) behind(n *run) *run {
	if c := s.runs.compared; c != nil && c != n && len(c.view.Points) > 0 {
		return c
	}
	return nil
}

// Context implements screen.Screen.
func (s *Screen) Context() keymap.Context {
	switch {
	case s.Entry.Open():
		return s.Entry.Context()
	case s.form.Editing():
		return s.form.Context()
	case s.runs.running() != nil:
		return screen.ContextNow(s, keymap.MeasureBusy, busy)
	}
	return screen.ContextNow(s, keymap.MeasureScreen, idle)
}

// Typing implements screen.Screen.
func (s *Screen) Typing() bool { return s.Entry.Open() || s.form.Editing() }

// Show implements screen.Screen: devices may have come or gone.
func (s *Screen) Show() tea.Cmd {
	s.reader.Ask(func() any { return readDevices(s.env.Inventory) })
	return s.reader.Start()
}

// Refresh implements screen.Screen.
func (s *Screen) Refresh(frame *screen.State) (bool, tea.Cmd) {
	changed := s.runs.refresh()
	names := make([]string, len(frame.Session.Devices))
	for i := range names {
		names[i] = frame.Session.Devices[i].Name
	}
	if !slices.Equal(names, s.opened) {
		s.opened, changed = names, true
		s.refill()
	}
	return changed, nil
}

// From these sizes all panes are shown; in less, one has all the room.
const (
	wideEnough = 64
	highEnough = 14
	leftWidth  = 37
	leftMost   = 54
)

// lay puts the settings and the runs on the left, the plots and the result on the right.
func (s *Screen) lay() widget.Block {
	s.form.Focused, s.table.Focused = s.Has(paneForm), s.Has(paneRuns)
	alone := s.Zoom || s.W < wideEnough || s.H < highEnough
	left := min(max(s.W*2/5, leftWidth), leftMost)
	width := s.W - left
	if alone {
		width = s.W
	}
	s.report.build(s, width-2)
	s.pager.SetLines(len(s.report.rows), func(b *line.Buf, i int) { s.report.rows[i](b) })
	s.retitle()
	if alone {
		return s.Box()
	}
	fields := min(len(s.form.Fields())+2, s.H*2/3)
	return widget.NewRow(
		widget.Fixed(left, widget.NewCol(widget.Fixed(fields, s.Boxes[paneForm]), widget.Flex(1, 4,
			s.Boxes[paneRuns]))),
		widget.Flex(1, 20, widget.NewCol(widget.Flex(1, 6, s.Boxes[paneCharts]), widget.Flex(1, 6,
			s.Boxes[paneReport]))))
}

// retitle names what is shown.
func (s *Screen) retitle() {
	s.Boxes[paneCharts].Note, s.Boxes[paneRuns].Note = "", ""
	if n := s.shown(); n != nil {
		s.Boxes[paneCharts].Note = n.name
		if other := s.behind(n); other != nil {
			s.Boxes[paneCharts].Note += " and " + other.name
		}
	}
}
