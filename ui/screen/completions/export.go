package completions

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/screen"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// export writes the rows shown to a new file.
func (s *Screen) export(path string) tea.Cmd {
	h := s.list()
	events := make([]timeline.Event, h.Len())
	for i := range events {
		events[i] = *h.at(i)
	}
	return func() tea.Msg {
		if err := exportTo(path, events); err != nil {
			return screen.FlashMsg{Level: timeline.LevelError, Text: "export: " + line.Escape(err.Error())}
		}
		return screen.FlashMsg{
			Text: fmt.Sprintf("%s written to %s", format.Counted(len(events), "completion"), line.Escape(path)),
		}
	}
}

// exportTo never overwrites an existing file.
func exportTo(path string, events []timeline.Event) error {
	if path == "" {
		return errors.New("a file name is missing")
	}
	f, err := session.CreateFile(path)
	if err != nil {
		return err
	}
	write := writeJSON
	if strings.HasSuffix(strings.ToLower(path), ".csv") {
		write = writeCSV
	}
	return f.Finish(write(f, events))
}

// writeJSON writes one object per completion: the journal's, with the received data.
func writeJSON(w io.Writer, events []timeline.Event) error {
	var buf []byte
	for i := range events {
		buf = events[i].AppendJSON(buf[:0])
		if a := events[i].WC.Arrived; a != nil {
			buf = fmt.Appendf(buf[:len(buf)-1], `,"data":"0x%x"}`, a.Data)
		}
		buf = append(buf, '\n')
		if _, err := w.Write(buf); err != nil {
			return err
		}
	}
	return nil
}

// writeCSV writes one line per completion; undefined fields are empty.
func writeCSV(w io.Writer, events []timeline.Event) error {
	out := csv.NewWriter(w)
	head := []string{"seq", "t", "cq", "qp", "wr_opcode", "latency_us"}
	for i := range verbs.WCFields {
		head = append(head, verbs.WCFields[i].Name)
	}
	head = append(head, "data")
	if err := out.Write(head); err != nil {
		return err
	}
	for i := range events {
		if err := out.Write(csvRow(&events[i])); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func csvRow(e *timeline.Event) []string {
	c := &e.WC
	row := []string{strconv.FormatUint(e.Seq, 10), strconv.FormatFloat(e.T.Seconds(), 'f', 9, 64),
		cell(c.CQ), cell(c.QP), "", ""}
	if c.Matched {
		row[4], row[5] = c.Opcode.String(), strconv.FormatFloat(float64(c.Latency.Nanoseconds())/1000, 'f', 3, 64)
		if c.Recv {
			row[4] = "RECV"
		}
	}
	for i := range verbs.WCFields {
		text := ""
		if f := &verbs.WCFields[i]; f.Defined(&c.WC) {
			text = f.Format(&c.WC)
		}
		row = append(row, text)
	}
	if c.Arrived != nil {
		return append(row, fmt.Sprintf("0x%x", c.Arrived.Data))
	}
	return append(row, "")
}

// cell makes a text safe for a spreadsheet: without control characters, and not taken
// for a formula.
func cell(text string) string {
	text = line.Escape(text)
	if text != "" && strings.ContainsRune("=+-@", rune(text[0])) {
		return "'" + text
	}
	return text
}
