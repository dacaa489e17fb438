package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"rdmatui/session/bothends"
	"rdmatui/session/capture"
	"rdmatui/session/conversation"
	"rdmatui/session/filter"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/format"
)

// endReport collects the selected packets of one capture.
type endReport struct {
	join *bothends.Join
	at   int
	capture.Totals
}

func (r *endReport) packet(s *filter.Subject) error { r.join.Add(r.at, s.Frame); return nil }
func (r *endReport) end(t *capture.Totals) error    { r.Totals = *t; return nil }

// bothEnds joins two captures and prints what became of the packets of each way.
func (c *call) bothEnds(ctx context.Context, names []string, pass filter.Filter) error {
	join := bothends.New()
	var ends [2]endReport
	for at, name := range names {
		ends[at] = endReport{join: join, at: at}
		if err := c.readEnd(ctx, name, &ends[at], pass); err != nil {
			return err
		}
	}
	out := bufio.NewWriter(c.Stdout)
	var err error
	if c.json {
		err = endsJSON(out, names, &ends, join)
	} else {
		err = endsText(out, names, &ends, join)
	}
	return errors.Join(err, out.Flush())
}

func (c *call) readEnd(ctx context.Context, name string, to *endReport, pass filter.Filter) error {
	from, err := c.openCapture(ctx, name)
	if err != nil {
		return err
	}
	defer from.Close()
	r, err := capture.NewReader(from)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	w := &wireRun{r: r, talks: conversation.New(), pass: pass, report: to}
	if err := w.read(ctx); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return to.end(&r.Totals)
}

func endsText(out io.Writer, names []string, ends *[2]endReport, join *bothends.Join) error {
	for at, name := range names {
		fmt.Fprintf(out, "%s: %s", line.Escape(name), format.Counted(ends[at].RoCE, "RoCE packet"))
		if n := ends[at].Dropped; n > 0 {
			fmt.Fprintf(out, "; the capturing side lost %s, which may be taken for lost on the way", format.Count(n))
		}
		fmt.Fprintln(out)
	}
	if join.Skipped > 0 {
		fmt.Fprintf(out, "%s cannot be known again: cut by a capture (tcpdump -s 0 keeps them whole)\n", format.Counted(join.Skipped, "packet"))
	}
	var err error
	for i, r := range join.Reports() {
		if i == 0 {
			fmt.Fprintln(out, offsetText(&r))
		}
		fmt.Fprintf(out, "\n%s -> %s: %s\n", r.Src, r.Dst, wayText(&r))
		for _, p := range r.Lost {
			_, err = fmt.Fprintf(out, "   lost: packet %d of %s  %s qp 0x%06x psn 0x%06x\n", p.Seq, line.Escape(names[r.From]), p.Opcode, p.DestQP, uint32(p.PSN))
		}
	}
	return err
}

// offsetText says how the clocks differ.
func offsetText(r *bothends.Report) string {
	switch {
	case !r.Measured:
		return "clocks: not compared, since no packet of both ways is in both captures; taken as equal"
	case r.Offset < 0:
		return "clocks: the second is " + format.Span(-r.Offset) + " behind the first"
	}
	return "clocks: the second is " + format.Span(r.Offset) + " ahead of the first"
}

// wayText says what became of the packets of a way.
func wayText(r *bothends.Report) string {
	text := fmt.Sprintf("%s sent, %s arrived, %s lost on the way", format.Count(r.Sent), format.Count(r.Arrived), format.Count(uint64(len(r.Lost))))
	for _, n := range []struct {
		of   uint64
		what string
	}{
		{r.Late, "overtaken"}, {r.Copied, "arrived as copies"}, {r.Unsent, "not in the capture near the sender"},
		{r.Outside, "while the other capture did not run"},
	} {
		if n.of > 0 {
			text += fmt.Sprintf(", %s %s", format.Count(n.of), n.what)
		}
	}
	if len(r.Delays) > 0 && r.Measured {
		text += "; on the way"
		for i, d := range percentilesOf(r.Delays) {
			text += fmt.Sprintf(" %s %s", percentiles[i].name, format.Span(max(d, 0)))
		}
	}
	return text
}

func endsJSON(out io.Writer, names []string, ends *[2]endReport, join *bothends.Join) error {
	for at, name := range names {
		if err := printJSON(out, map[string]any{"capture": name, "roce": ends[at].RoCE, "dropped": ends[at].Dropped}); err != nil {
			return err
		}
	}
	for _, r := range join.Reports() {
		if err := printJSON(out, wayFields(&r, names)); err != nil {
			return err
		}
	}
	return nil
}

func wayFields(r *bothends.Report, names []string) map[string]any {
	lost := []map[string]any{}
	for _, p := range r.Lost {
		lost = append(lost, map[string]any{"packet": p.Seq, "time": p.At.Format(time.RFC3339Nano), "opcode": p.Opcode.String(), "dest_qp": p.DestQP, "psn": p.PSN})
	}
	all := map[string]any{
		"src": r.Src, "dst": r.Dst, "sender_capture": names[r.From], "sent": r.Sent, "arrived": r.Arrived, "lost": lost, "late": r.Late,
		"duplicates": r.Copied, "unsent": r.Unsent, "outside": r.Outside, "offset_s": r.Offset.Seconds(), "offset_measured": r.Measured,
	}
	if len(r.Delays) > 0 && r.Measured {
		for i, d := range percentilesOf(r.Delays) {
			all["delay_"+percentiles[i].name+"_s"] = max(d, 0).Seconds()
		}
	}
	return all
}
