package measure

import (
	"fmt"
	"io"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/session/measure"
	"rdmatui/session/timeline"
	"rdmatui/ui/screen"
	"rdmatui/ui/widget/line"
)

// writer writes a run to a file.
type writer = func(w io.Writer, name string, v *measure.View) error

// write asks for the format, then for the file name.
func (s *Screen) write(n *run) tea.Cmd {
	limits, _ := s.limits(&n.view)
	var list []screen.Choice
	for _, f := range []struct {
		name, suffix string
		write        writer
	}{
		{"CSV: the history", ".csv", measure.WriteCSV}, {"JSON: all of the run", ".json", measure.WriteJSON},
		{"SVG: the plots", ".svg", func(w io.Writer, name string, v *measure.View) error {
			return measure.WriteSVG(w, name, v, limits)
		}},
	} {
		list = append(list, screen.Choice{Name: f.name, Do: func() tea.Cmd {
			return s.Entry.Ask(&screen.Question{Label: "file", Done: func(path string) tea.Cmd {
				return writeRun(path, f.write, n.name, n.view)
			}}, fileName(n.name)+f.suffix)
		}})
	}
	return s.Entry.Pick("write", list)
}

// fileName makes a file name of a run's name.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_':
			return r
		}
		return '-'
	}, name)
}

// writeRun returns the work of writing a run to a file.
func writeRun(path string, write writer, name string, v measure.View) tea.Cmd {
	return func() tea.Msg {
		if path == "" {
			return screen.FlashMsg{Level: timeline.LevelWarn, Text: "write: a file name is missing"}
		}
		f, err := session.CreateFile(path)
		if err == nil {
			err = f.Finish(write(f, name, &v))
		}
		if err != nil {
			return screen.FlashMsg{Level: timeline.LevelError, Text: "write: " + line.Escape(err.Error())}
		}
		return screen.FlashMsg{Text: fmt.Sprintf("%s written to %s", line.Escape(name), line.Escape(path))}
	}
}
