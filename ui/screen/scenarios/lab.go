package scenarios

import (
	"cmp"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/session/lab"
	"rdmatui/session/scenario"
	"rdmatui/session/timeline"
	"rdmatui/ui/explained"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

// theLab is the heading of the experiments in the list, and the word beside each.
const theLab = "error lab"

// aboutLab describes the lab.
const aboutLab = "Failures made on purpose between two queue pairs of one device, in a separate session. Each says what to expect, " +
	"shows what happened beside what the specification says, and brings the queue pairs back to work."

// labEntries are the experiments, below a heading.
func labEntries() []entry {
	all, _ := lab.Experiments() // a test finds mistakes in the files
	entries := []entry{{Scenario: &scenario.Scenario{Name: theLab, Summary: "failures made on purpose"}, heading: true}}
	for _, e := range all {
		entries = append(entries, entry{
			Scenario: &scenario.Scenario{Name: e.Name, Summary: e.Title}, against: theLab, exp: e,
		})
	}
	return entries
}

// newExperiment makes the choice for an experiment: only the device can be chosen.
func newExperiment(e *entry, h *host) *choice {
	return &choice{
		sc: e.Scenario, exp: e.exp, p: scenario.Params{Name: e.Name, Device: h.device("").name, GIDIndex: -1},
	}
}

// labFields returns the form of an experiment.
func (c *choice) labFields(h *host) []widget.Field {
	device := widget.Field{
		Name: fieldDevice, Value: c.p.Device, Kind: widget.ChoiceField, Note: "the device of both queue pairs",
	}
	for _, d := range h.devices {
		device.Choices = append(device.Choices, widget.Option{Value: d.name, Help: d.address})
	}
	return []widget.Field{device, c.optionField(scenario.OptionNamed(optionPort), h),
		c.optionField(scenario.OptionNamed(optionGID), h)}
}

// startLab starts the selected experiment.
func (s *Screen) startLab(c *choice, all bool) tea.Cmd {
	p := c.p
	return s.runner.begins(status{params: p, exp: c.exp}, nil, all, func() (program, error) {
		at := lab.Place{Device: p.Device, PortNum: p.DevicePort, GIDIndex: p.GIDIndex}
		return s.env.Session.NewLabRun(p.Name, at, nil)
	})
}

// labAbout describes the selected experiment.
func (r *rows) labAbout(exp *lab.Experiment) {
	r.text(exp.Title, r.th.Info)
	r.text(exp.Expect, r.th.Value)
	r.value("says", exp.Says, r.th.Value)
	r.value("in", exp.Clause, r.th.Dim)
}

// labLine returns the command that does the same without a screen.
func (c *choice) labLine() string {
	text := "rdmatui lab " + c.exp.Name
	if c.p.Device != "" {
		text += " -d " + c.p.Device
	}
	if c.p.DevicePort != 0 {
		text += fmt.Sprintf(" --%s %d", optionPort, c.p.DevicePort)
	}
	if c.p.GIDIndex >= 0 {
		text += fmt.Sprintf(" --%s %d", optionGID, c.p.GIDIndex)
	}
	return text
}

// labTitle is the title of the comparison.
const labTitle = "specification and outcome"

// layLab shows the specification and the outcome side by side, then the reasons.
func (s *Screen) layLab(w int) {
	r := rows{th: s.th, w: w}
	res := s.st.outcome
	if res == nil || res.Verdict == lab.NotRun { // not yet
		r.text(s.st.exp.Expect, s.th.Value)
		r.value("says", s.st.exp.Says, s.th.Value)
		r.value("in", s.st.exp.Clause, s.th.Dim)
		if res != nil {
			r.soFar(res)
		}
		r.into(s.times)
		return
	}
	half := max((w-13)/2, 8)
	r.list = append(r.list, r.compared("", "specified", "happened", half, s.th.Label, ""))
	for i := range res.Findings {
		f := &res.Findings[i]
		style, mark := verdictStyle(s.th, f.Verdict)
		r.list = append(r.list, r.compared(f.Label(), f.Specified, f.Happened, half, style, mark))
	}
	for i := range res.Findings {
		if f := &res.Findings[i]; f.Reason != "" {
			r.value(res.Driver, f.Label()+": "+f.Reason, s.th.Warn)
		}
	}
	r.labMeaning(res)
	r.into(s.times)
}

// soFar shows the observations, which are not judged before the experiment is over.
func (r *rows) soFar(res *lab.Result) {
	for i := range res.Findings {
		if f := &res.Findings[i]; f.Happened != lab.None {
			r.value(f.Label(), f.Happened, r.th.Value)
		}
	}
}

func (r *rows) compared(label, specified, happened string, half int, style theme.Style, mark string) row {
	return func(b *line.Buf) {
		b.Space(1)
		b.Cell(label, 10, line.Left, r.th.Label)
		b.Space(1)
		b.Cell(specified, half, line.Left, r.th.Dim)
		b.Text(mark, style)
		b.Space(1)
		b.Cell(happened, b.Room(), line.Left, style)
	}
}

// labMeaning explains each observed failure, once.
func (r *rows) labMeaning(res *lab.Result) {
	var seen []string
	for i := range res.Told {
		for _, e := range explained.Event(&res.Told[i], "", &session.Snapshot{}) {
			if !slices.Contains(seen, e.Name) {
				seen = append(seen, e.Name)
				r.text(e.Name+": "+cmp.Or(e.Cause, e.Short), r.th.Info)
			}
		}
	}
}

func verdictStyle(th *theme.Theme, v lab.Verdict) (theme.Style, string) {
	switch v {
	case lab.AsSpecified:
		return th.OK, th.Glyphs.Check
	case lab.Differs:
		return th.Warn, "~"
	}
	return th.Err, th.Glyphs.Ban
}

// failuresSince returns the completions that failed and the calls that were refused
// between two results. Asynchronous events are not included: they arrive at any time
// and belong to no line.
func failuresSince(before, now *lab.Result) (failures []timeline.Event) {
	known := 0
	if before != nil {
		known = len(before.Told)
	}
	for _, e := range now.Told[min(known, len(now.Told)):] {
		if e.Command != nil || e.Kind == timeline.KindWC && e.WC.WC.Failed() {
			failures = append(failures, e)
		}
	}
	return failures
}

// labEnded shows the outcome.
func (s *Screen) labEnded(r *rows) {
	res := s.st.outcome
	if res == nil {
		return
	}
	style, _ := verdictStyle(s.th, res.Verdict)
	r.text(fmt.Sprintf("%s; %s.%s", res.Verdict, res.Recovery(), s.left()), style)
}
