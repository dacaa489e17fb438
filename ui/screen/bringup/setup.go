package bringup

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/devices"
	"rdmatui/session"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/steps"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

// setup shows, while there is no queue pair, which objects to make first.
type setup struct {
	th      *theme.Theme
	needs   []steps.Need
	devices []devices.Summary
	read    bool // devices has been filled
	device  int  // the device to open
	table   *widget.Table
	why     *widget.Pager
	shown   string
}

// devicesMsg carries the devices that can be opened.
type devicesMsg []devices.Summary

func newSetup(th *theme.Theme) *setup {
	s := &setup{th: th, why: widget.NewPager(th)}
	s.table = widget.NewTable(th, s,
		widget.TableColumn{Title: "what", Space: widget.Space{Size: 20}},
		widget.TableColumn{Title: "", Space: widget.Space{Size: 1}},
		widget.TableColumn{Title: "command", Space: widget.Space{Weight: 1, Min: 20}})
	s.table.Focused = true
	return s
}

// Len implements widget.TableRows.
func (s *setup) Len() int { return len(s.needs) }

// Cell implements widget.TableRows.
func (s *setup) Cell(b *line.Buf, row, col int) {
	n, g := &s.needs[row], &s.th.Glyphs
	switch {
	case col == 0:
		b.Text(n.What, s.th.Label)
	case col == 1 && n.Have != "":
		b.Text(g.Check, s.th.OK)
	case col == 1:
		b.Text(g.Hollow, s.th.Optional)
	case n.Have != "":
		b.Text(n.Have, s.th.OK)
	default:
		b.Text(n.Line, s.th.Value)
	}
}

// update checks again which objects exist; when the object under the cursor has been
// made, the cursor moves to the first missing one.
func (s *setup) update(snap *session.Snapshot) {
	at := s.table.Cursor()
	s.needs = steps.Bench(snap, s.deviceName())
	if at < 0 || s.needs[at].Have != "" {
		for i := range s.needs {
			if s.needs[i].Have == "" {
				at = i
				break
			}
		}
	}
	s.table.SetCursor(at)
	s.explain()
}

func (s *setup) deviceName() string {
	if len(s.devices) == 0 {
		return ""
	}
	return s.devices[s.device].Name
}

// setDevices chooses the first device with an active port.
func (s *setup) setDevices(list []devices.Summary) {
	s.devices, s.device, s.read = list, 0, true
	for i := range list {
		if screen.HasActive(&list[i]) {
			s.device = i
			return
		}
	}
}

// turn selects another device.
func (s *setup) turn(dir int) {
	if n := len(s.devices); n > 0 {
		s.device = ((s.device+dir)%n + n) % n
	}
}

// missing lists the lines that make all missing objects.
func (s *setup) missing() []string {
	var lines []string
	for _, n := range s.needs {
		if n.Have == "" {
			lines = append(lines, n.Line)
		}
	}
	return lines
}

// marked returns the need under the cursor; nil if there is none.
func (s *setup) marked() *steps.Need {
	if i := s.table.Cursor(); i >= 0 && i < len(s.needs) {
		return &s.needs[i]
	}
	return nil
}

// blocked returns why the marked line cannot be run yet.
func (s *setup) blocked() string {
	n := s.marked()
	if n == nil {
		return "nothing to make"
	}
	if n.Have != "" {
		return n.What + " exists: " + n.Have
	}
	if s.needs[0].Have == "" && s.deviceName() == "" {
		if !s.read {
			return "looking for devices"
		}
		return "no device to open; Devices (1) says why"
	}
	for i := range s.needs {
		switch o := &s.needs[i]; {
		case o == n:
			return ""
		case o.Have == "" && o.What != "memory to send from" && o.What != "memory to receive in" &&
			o.What != "queue pair":
			return "first: " + o.Line
		}
	}
	return ""
}

// explain shows what the marked object is for.
func (s *setup) explain() {
	text := ""
	if n := s.marked(); n != nil {
		text = n.Line + "\n" + n.Why
		if n.Have != "" {
			text = n.Why
		}
		if n == &s.needs[0] && n.Have == "" && len(s.devices) > 1 {
			text = n.Line + "\nOpen a device first. ← and → choose another."
		}
		if why := s.blocked(); why != "" && n.Have == "" {
			text += "\n" + why
		} else {
			text += "\nenter creates the marked object, b all that are missing, e edits the command first."
		}
	}
	if text != s.shown {
		s.shown = text
		s.why.SetText(" "+strings.ReplaceAll(text, "\n", "\n "), s.th.Value)
	}
}

// move takes the keys that move the cursor.
func (s *setup) move(msg tea.Msg) bool {
	used := s.table.Update(msg)
	s.explain()
	return used
}
