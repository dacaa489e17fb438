package completions

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/session/command/syntax"
	"rdmatui/session/incident"
	"rdmatui/session/timeline"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

// incidentPage shows an incident in place of the panes.
type incidentPage struct {
	th    *theme.Theme
	in    incident.Incident
	box   *widget.Box
	text  *widget.Pager
	lines []wordLine
	w     int
}

func newIncidentPage(th *theme.Theme, in incident.Incident) *incidentPage {
	p := &incidentPage{th: th, in: in, text: widget.NewPager(th)}
	p.box = widget.NewBox(th, fmt.Sprintf("incident %d: %s", in.Number, line.Escape(in.Title())), p)
	p.box.Focused = true
	return p
}

// SetSize implements widget.Block.
func (p *incidentPage) SetSize(w, h int) {
	if w != p.w {
		p.w = w
		p.layOut()
		p.text.SetLines(len(p.lines), func(b *line.Buf, i int) {
			b.Space(1)
			b.Text(p.lines[i].text, p.lines[i].st)
		})
	}
	p.text.SetSize(w, h)
}

// DrawLine implements widget.Block.
func (p *incidentPage) DrawLine(b *line.Buf, y int) { p.text.DrawLine(b, y) }

// Mouse implements widget.Mouser.
func (p *incidentPage) Mouse(m widget.Mouse) bool { return p.text.Mouse(m) }

// layOut makes the lines for the width.
func (p *incidentPage) layOut() {
	p.lines = p.lines[:0]
	c := p.in.Completion.Cause
	if c.Text != "" {
		p.add("", c.Text, p.th.Err)
	}
	p.add("", p.in.Certainty(), p.th.Dim)
	for _, text := range p.in.General {
		p.add("  - ", text, p.th.Value)
	}
	p.add("", p.in.After(), p.th.Dim)
	for _, part := range p.in.Parts {
		p.lines = append(p.lines, wordLine{}, wordLine{part.Head, p.th.Header})
		p.addRows(part.Rows)
	}
}

// add wraps a text with an indent.
func (p *incidentPage) add(indent, text string, st theme.Style) {
	for _, l := range widget.Wrap(nil, indent+line.Escape(text), max(p.w-2, minCell)) {
		p.lines = append(p.lines, wordLine{l, st})
	}
}

// Sizes of a row's cells.
const (
	minCell = 10 // the least width to which a cell is squeezed
	cellGap = 2
)

// addRows lays out rows in columns; a cell wider than its column is wrapped.
func (p *incidentPage) addRows(rows [][]string) {
	widths := columnWidths(rows, p.w-2-cellGap)
	for _, row := range rows {
		cells, height := make([][]string, len(row)), 0
		for i, text := range row {
			cells[i] = wrapCell(line.Escape(text), widths[i])
			height = max(height, len(cells[i]))
		}
		for y := range height {
			b := line.New(&theme.Theme{})
			for i := range cells {
				b.Space(cellGap)
				text := ""
				if y < len(cells[i]) {
					text = cells[i][y]
				}
				b.Cell(text, widths[i], line.Left, theme.Style{})
			}
			p.lines = append(p.lines, wordLine{b.String(), p.th.Value})
		}
	}
}

// wrapCell breaks a text at blanks, and a word that is too long anywhere.
func wrapCell(text string, w int) (all []string) {
	for _, l := range widget.Wrap(nil, text, w) {
		for line.Width(l) > w {
			at, cells := 0, 0
			for i, r := range l {
				if cells += line.Width(string(r)); cells > w {
					break
				}
				at = i + len(string(r))
			}
			if at == 0 {
				break
			}
			all, l = append(all, l[:at]), l[at:]
		}
		all = append(all, l)
	}
	return all
}

// columnWidths returns the widths of the columns. If they exceed the room, the widest are squeezed first.
func columnWidths(rows [][]string, w int) (widths []int) {
	for _, row := range rows {
		for i, text := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], line.Width(line.Escape(text)))
		}
	}
	total := cellGap * (len(widths) - 1)
	for _, n := range widths {
		total += n
	}
	for ; total > w; total-- {
		widest := 0
		for i, n := range widths {
			if n > widths[widest] {
				widest = i
			}
		}
		if widths[widest] <= minCell {
			break
		}
		widths[widest]--
	}
	return widths
}

// openIncident shows the incident of the selected completion.
func (s *Screen) openIncident() tea.Cmd {
	c := s.selected()
	switch {
	case c == nil:
		return nil
	case !c.WC.Failed():
		return screen.Warn("This completion succeeded. E explains it.")
	case c.Cause == nil:
		return screen.Warn("Too many requests failed at once to keep this incident. E explains the status.")
	}
	in, ok := s.env.Session.Incident(c.Cause.Incident)
	if !ok {
		return screen.Warn("This incident is not kept any more. E explains the status.")
	}
	s.page = newIncidentPage(s.th, in)
	return nil
}

// incidentKey handles a key while an incident is shown.
func (s *Screen) incidentKey(k tea.KeyPressMsg) tea.Cmd {
	switch keys := &keymap.Incident; {
	case keymap.Matches(k, keys.Back):
		s.page = nil
	case keymap.Matches(k, keys.Copy):
		return tea.Batch(tea.SetClipboard(s.page.in.Markdown()), screen.Flash("copied as Markdown"))
	case keymap.Matches(k, keys.Write):
		in := s.page.in
		return s.Entry.Pick("write", []screen.Choice{s.recordChoice(in.Number), {Name: "this page", Do: func() tea.Cmd {
			return s.Entry.Ask(&screen.Question{Label: "write Markdown to", Done: func(path string) tea.Cmd {
				return writeIncident(in, path, false)
			}},
				fmt.Sprintf("incident-%d.md", in.Number))
		}}})
	default:
		s.page.text.Update(k)
	}
	return nil
}

// recordChoice is the choice to write an incident with its packets and events.
func (s *Screen) recordChoice(number uint64) screen.Choice {
	return screen.Choice{Name: "incident with packets", Do: func() tea.Cmd {
		return s.Entry.Ask(&screen.Question{Label: "write NAME.pcapng and NAME.md", Done: func(name string) tea.Cmd {
			return s.run(fmt.Sprintf("save_incident %s incident=%d", syntax.Quote(name), number), "")
		}}, fmt.Sprintf("incident-%d", number))
	}}
}

// overwriteMsg asks whether to replace an existing file.
type overwriteMsg struct {
	in   incident.Incident
	path string
}

// writeIncident writes an incident to a file. It replaces an existing file only if replace is set.
func writeIncident(in incident.Incident, path string, replace bool) tea.Cmd {
	return func() tea.Msg {
		err := writeNew(path, in.Markdown(), replace)
		switch {
		case errors.Is(err, syscall.EEXIST) && !replace:
			return overwriteMsg{in, path}
		case err != nil:
			return screen.FlashMsg{Level: timeline.LevelError, Text: "write: " + line.Escape(err.Error())}
		}
		return screen.FlashMsg{Text: "incident written to " + line.Escape(path)}
	}
}

// writeNew creates a file, or replaces one by renaming a new file.
func writeNew(path, text string, replace bool) error {
	to := path
	if path == "" {
		return errors.New("a file name is missing")
	}
	if replace {
		to += ".new"
	}
	f, err := session.CreateFile(to)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = f.Finish(err); err != nil || !replace {
		return err
	}
	return os.Rename(to, path)
}

// askOverwrite asks before a file is replaced.
func (s *Screen) askOverwrite(m overwriteMsg) tea.Cmd {
	return s.Entry.Ask(&screen.Question{Label: line.Escape(m.path) + " exists. Type yes to replace it",
		Done: func(answer string) tea.Cmd {
			if answer != "yes" {
				return screen.Flash("not written")
			}
			return writeIncident(m.in, m.path, true)
		}}, "")
}
