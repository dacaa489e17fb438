package measure

import (
	tea "charm.land/bubbletea/v2"

	"rdmatui/assets/explain"
	"rdmatui/session/bench"
	"rdmatui/ui/screen"
	"rdmatui/ui/widget"
)

// fieldEntries has the explanations of fields whose names say too little alone.
var fieldEntries = map[string]string{
	fieldEnds: "bench-ends", fieldAddress: "bench-ends", "size": "message-size", fieldDuration: "test-duration",
	fieldIters: "test-iterations", "all": "all-sizes", "events": "bench-events", "rdma_cm": "bench-rdma_cm",
	fieldDevice: "loopback", "port": "bench-ends",
}

// explain explains the field under the form's cursor, the test of the run under the cursor of
// the list, or what the plots and the result show.
func (s *Screen) explain() tea.Cmd {
	var names []string
	t := s.settings.p.Test
	if n := s.shown(); n != nil && s.Focus != paneForm {
		t = n.view.Params.Test
	}
	switch name := s.form.Name(); s.Focus {
	case paneForm:
		names = s.fieldNames(name)
	case paneRuns:
		names = []string{t.String()}
	case paneCharts:
		names = []string{"MsgRate"}
		if !t.Latency {
			names = append(names, "link-limit", "slot-limit")
		}
	case paneReport:
		names = figureEntries(t)
	}
	var entries []explain.Entry
	for _, name := range names {
		entries = append(entries, explain.Lookup(name)...)
	}
	return screen.Explain(entries...)
}

// fieldNames lists what explains a field of the form.
func (s *Screen) fieldNames(name string) []string {
	switch name {
	case fieldTest, widget.MoreFields:
		return []string{s.settings.p.Test.String()}
	case "connection":
		return []string{"qp_type " + s.settings.p.Connection.String()}
	}
	if entry := fieldEntries[name]; entry != "" {
		return []string{entry}
	}
	return []string{name}
}

// figureEntries lists what explains the figures of a result.
func figureEntries(t bench.Test) []string {
	if t.Latency {
		return []string{"t_typical", "p99.9", "thread-CPU"}
	}
	return []string{"BW-peak", "MsgRate", "link-limit", "slot-limit", "thread-CPU"}
}
