package wire

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/command"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/steps"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// faults is the panel of the faults of one device. A change takes effect at once, by the line that the panel shows.
type faults struct {
	th     *theme.Theme
	form   *widget.Form
	device string
	now    verbs.Faults // as the form shows them
	sent   string       // the line that runs, "" for none
	next   string       // the line to run after it, "" for none
}

func newFaults(th *theme.Theme) *faults { return &faults{th: th, form: widget.NewForm(th)} }

// The values that the keys + and - go through.
var (
	shareSteps = []float64{0, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1}
	spanSteps  = []time.Duration{0, 10 * time.Microsecond, 100 * time.Microsecond, time.Millisecond,
		5 * time.Millisecond, 20 * time.Millisecond, 100 * time.Millisecond, 500 * time.Millisecond, time.Second,
		10 * time.Second, verbs.MaxFaultDelay}
)

// stepped returns the value after or before another among some, which are in ascending order.
func stepped[T float64 | time.Duration](of []T, from T, by int) T {
	i, there := slices.BinarySearch(of, from)
	if by < 0 || there {
		i += by
	}
	return of[max(min(i, len(of)-1), 0)]
}

// take shows the faults in force, unless a change is under way.
func (f *faults) take(device string, now verbs.Faults) {
	if f.sent == "" {
		f.device, f.now = device, now
		f.fill()
	}
}

// fill puts the values into the form; a field keeps its error.
func (f *faults) fill() {
	var fields []widget.Field
	add := func(name string, only verbs.Faults) {
		a := command.Fault.Arg(name)
		fd := widget.FieldOf(a)
		if fd.Note, _, _ = strings.Cut(a.Doc, ";"); only.Active() {
			fd.Value = strings.TrimPrefix(only.String(), name+"=")
		}
		fields = append(fields, fd)
	}
	for _, s := range verbs.FaultShares {
		var only verbs.Faults
		*s.Of(&only) = *s.Of(&f.now)
		add(s.Name, only)
	}
	for _, s := range verbs.FaultSpans {
		var only verbs.Faults
		*s.Of(&only) = *s.Of(&f.now)
		add(s.Name, only)
	}
	f.form.SetFields(fields)
}

// turn changes the fault under the cursor by one step.
func (f *faults) turn(by int) {
	for _, s := range verbs.FaultShares {
		if v := s.Of(&f.now); s.Name == f.form.Name() {
			*v = stepped(shareSteps, *v, by)
		}
	}
	for _, s := range verbs.FaultSpans {
		if v := s.Of(&f.now); s.Name == f.form.Name() {
			*v = stepped(spanSteps, *v, by)
		}
	}
	f.fill()
}

// set takes a typed value, "" for none; problem says why it cannot be taken.
func (f *faults) set(name, text string) (problem string) {
	if text == "" {
		text = "0"
	}
	cmd, err := command.Make(command.Fault, command.Field{Name: "device", Text: f.device},
		command.Field{Name: name, Text: text})
	if err != nil {
		return err.Error()
	}
	for _, s := range verbs.FaultShares {
		if s.Name == name {
			*s.Of(&f.now) = cmd.Share(name)
		}
	}
	for _, s := range verbs.FaultSpans {
		if s.Name == name {
			*s.Of(&f.now) = cmd.Duration(name)
		}
	}
	f.fill()
	return ""
}

// line is the command that puts the faults of the form in force.
func (f *faults) line() string {
	if !f.now.Active() {
		return "fault " + steps.Word(f.device) + " off"
	}
	return "fault " + steps.Word(f.device) + " " + f.now.String()
}

// faultsBox frames the panel.
func faultsBox(s *Screen) *widget.Box {
	f := s.faults
	box := s.Boxes[paneFaults]
	box.Title, box.Note = "faults of "+line.Escape(f.device), "in force at once"
	f.form.Focused = s.Has(paneFaults)
	return box
}

// SetSize implements widget.Block.
func (f *faults) SetSize(w, h int) { f.form.SetSize(w, max(h-1, 0)) }

// DrawLine implements widget.Block: the form, and the line below it.
func (f *faults) DrawLine(b *line.Buf, y int) {
	if y < f.rows()-1 {
		f.form.DrawLine(b, y)
		return
	}
	st := f.th.Dim
	if f.now.Active() {
		st = f.th.Warn
	}
	b.Text(" "+f.line(), st)
}

// rows is the height that shows everything.
func (f *faults) rows() int { return len(verbs.FaultShares) + len(verbs.FaultSpans) + 1 }

// apply runs the line of the form, one after the other: a later value must not be overtaken by an earlier one.
func apply(s *Screen) tea.Cmd {
	f := s.faults
	if f.sent != "" {
		f.next = f.line()
		return nil
	}
	f.sent = f.line()
	return s.env.Exec(f.sent)
}

// applied takes the end of a line, and runs the next.
func applied(s *Screen, ran string) tea.Cmd {
	f := s.faults
	if f.sent == "" || ran != f.sent {
		return nil
	}
	f.sent, f.next = f.next, ""
	s.drawn = false
	if f.sent == "" {
		return nil
	}
	return s.env.Exec(f.sent)
}

// toggleFaults opens the panel for the device that is most likely meant, or closes it.
func toggleFaults(s *Screen) tea.Cmd {
	name := s.faultDevice()
	switch {
	case s.faulting:
		closeFaults(s)
		return nil
	case name == "":
		return screen.Warn("No software device is open; faults need one.")
	}
	s.faulting, s.Focus, s.Count = true, paneFaults, int(paneFaults)+1
	s.faults.take(name, s.taps.faults[name])
	return nil
}

func closeFaults(s *Screen) {
	s.faulting, s.Count = false, int(paneFaults)
	if s.Focus == paneFaults {
		s.Focus = panePackets
	}
}

// faultKey handles a key in the panel; taken is false for one that is for the screen.
func faultKey(s *Screen, k tea.KeyPressMsg) (cmd tea.Cmd, taken bool) {
	f, keys := s.faults, &keymap.Faults
	switch {
	case keymap.Matches(k, keys.More):
		f.turn(1)
	case keymap.Matches(k, keys.Less):
		f.turn(-1)
	case keymap.Matches(k, keys.Off):
		f.now = verbs.Faults{}
		f.fill()
	case keymap.Matches(k, keys.Other):
		known := s.taps.known
		if f.sent == "" && len(known) > 0 {
			name := known[(slices.Index(known, f.device)+1)%len(known)]
			f.take(name, s.taps.faults[name])
		}
		return nil, true
	case keymap.Matches(k, keys.Close):
		closeFaults(s)
		return nil, true
	case keymap.Matches(k, keymap.Form.Edit, keymap.Form.Clear, keymap.List.Up, keymap.List.Down, keymap.List.Home,
		keymap.List.End, keymap.List.PageUp, keymap.List.PageDown):
		return faultEvent(s, f.form.Update(k)), true
	default:
		return nil, false
	}
	return apply(s), true
}

// faultEvent takes over a value that was set in the form.
func faultEvent(s *Screen, ev widget.FormEvent) tea.Cmd {
	if ev.Kind != widget.FormChanged {
		return nil
	}
	if problem := s.faults.set(ev.Name, ev.Value); problem != "" {
		s.faults.form.SetError(ev.Name, problem)
		return screen.Warn(problem)
	}
	return apply(s)
}

// Mouse implements widget.Mouser: a click chooses a fault.
func (f *faults) Mouse(m widget.Mouse) bool { return f.form.Mouse(m) }
