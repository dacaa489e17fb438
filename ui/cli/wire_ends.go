package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"rdmatui/session/capture"
	"rdmatui/session/conversation"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/format"
)

// endReport collects the selected packets of one capture.
type endReport struct {
	join *conversation.Join
	at   int
	capture.Totals
}

func (r *endReport) packet(s *conversation.Subject) error {
	if !s.Marks.Has(conversation.Second) { // the end is where a packet is captured first
		r.join.Add(r.at, s.Frame)
	}
	return nil
}

func (r *endReport) end(t *capture.Totals) error { r.Totals = *t; return nil }

// bothEnds compares two captures and prints, for each direction, which packets did not arrive, or what became of each.
func (c *call) bothEnds(ctx context.Context, names []string, pass conversation.Filter, each bool) error {
	join := conversation.NewJoin()
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
		err = endsJSON(out, names, &ends, join, each)
	} else {
		err = endsText(out, names, &ends, join, each)
	}
	return errors.Join(err, out.Flush())
}

func (c *call) readEnd(ctx context.Context, name string, to *endReport, pass conversation.Filter) error {
	return c.withCapture(ctx, name, func(r *capture.Reader) error {
		w := &wireRun{r: r, name: inputName(name), talks: conversation.New(), pass: pass, report: to}
		if err := w.read(ctx); err != nil {
			return err
		}
		return to.end(&r.Totals)
	})
}

func endsText(out io.Writer, names []string, ends *[2]endReport, join *conversation.Join, each bool) error {
	for at, name := range names {
		fmt.Fprintf(out, "%s: %s", line.Escape(name), format.Counted(ends[at].RoCE, "RoCE packet"))
		if n := ends[at].Dropped; n > 0 {
			fmt.Fprintf(out, "; the capture is missing %s, which may be counted as lost", format.Counted(n, "packet"))
		}
		fmt.Fprintln(out)
	}
	if join.Skipped > 0 {
		fmt.Fprintf(out, "%s not compared: truncated by the capture (tcpdump -s 0 keeps whole packets)\n",
			format.Counted(join.Skipped, "packet"))
	}
	var err error
	for i, r := range join.Reports() {
		if i == 0 {
			fmt.Fprintln(out, offsetText(&r))
		}
		fmt.Fprintf(out, "\n%s -> %s: %s\n", r.Src, r.Dst, wayText(&r))
		for i := range r.Packets {
			if p := &r.Packets[i]; each || p.Fate == conversation.PacketLost {
				_, err = fmt.Fprintf(out, "   %s\n", crossingText(p, &r, names))
			}
		}
	}
	return err
}

// crossingText says what became of a packet.
func crossingText(p *conversation.Crossing, r *conversation.WayReport, names []string) string {
	text := fmt.Sprintf("%s: packet %d of %s  %s qp 0x%06x psn 0x%06x", p.Fate, p.Seq, line.Escape(names[r.From]),
		p.Opcode, p.DestQP, uint32(p.PSN))
	if p.As > 0 {
		text += fmt.Sprintf("  as packet %d", p.As)
	}
	if p.As > 0 && r.Measured {
		text += " after " + format.Span(max(p.Arrived.Sub(p.Sent), 0))
	}
	return text
}

// offsetText says how the clocks differ.
func offsetText(r *conversation.WayReport) string {
	switch {
	case !r.Measured:
		return "clocks: assumed equal; to compare them, both captures need common packets in both directions"
	case r.Offset < 0:
		return "clocks: the second capture is " + format.Span(-r.Offset) + " behind the first"
	}
	return "clocks: the second capture is " + format.Span(r.Offset) + " ahead of the first"
}

// wayText tells how many packets of a direction arrived, and how long they took.
func wayText(r *conversation.WayReport) string {
	text := fmt.Sprintf("%s sent, %s arrived, %s lost", format.Count(r.Sent), format.Count(r.Arrived),
		format.Count(uint64(len(r.Lost))))
	for _, n := range []struct {
		of   uint64
		what string
	}{
		{r.Late, "arrived out of order"}, {r.Copied, "arrived twice"}, {r.Unsent, "missing in the sender's capture"},
		{r.Outside, "sent before or after the receiver's capture"},
	} {
		if n.of > 0 {
			text += fmt.Sprintf(", %s %s", format.Count(n.of), n.what)
		}
	}
	if len(r.Delays) > 0 && r.Measured {
		text += "; one-way delay"
		for i, d := range percentilesOf(r.Delays) {
			text += fmt.Sprintf(" %s %s", percentiles[i].name, format.Span(max(d, 0)))
		}
	}
	return text
}

func endsJSON(out io.Writer, names []string, ends *[2]endReport, join *conversation.Join, each bool) error {
	for at, name := range names {
		if err := printJSON(out,
			map[string]any{"capture": name, "roce": ends[at].RoCE, "dropped": ends[at].Dropped}); err != nil {
			return err
		}
	}
	for _, r := range join.Reports() {
		if err := printJSON(out, wayFields(&r, names)); err != nil {
			return err
		}
		for i := range r.Packets {
			if !each {
				break
			}
			if err := printJSON(out, crossingFields(&r.Packets[i], &r, names)); err != nil {
				return err
			}
		}
	}
	return nil
}

func crossingFields(p *conversation.Crossing, r *conversation.WayReport, names []string) map[string]any {
	all := map[string]any{
		"fate": p.Fate.String(), "capture": names[r.From], "packet": p.Seq, "time": p.At.Format(time.RFC3339Nano),
		"opcode": p.Opcode.String(), "dest_qp": p.DestQP, "psn": p.PSN,
	}
	if p.As > 0 {
		all["arrived_as"] = p.As
	}
	if p.As > 0 && r.Measured {
		all["delay_s"] = max(p.Arrived.Sub(p.Sent), 0).Seconds()
	}
	return all
}

func wayFields(r *conversation.WayReport, names []string) map[string]any {
	lost := []map[string]any{}
	for _, p := range r.Lost {
		lost = append(lost, map[string]any{
			"packet": p.Seq, "time": p.At.Format(time.RFC3339Nano), "opcode": p.Opcode.String(),
			"dest_qp": p.DestQP, "psn": p.PSN,
		})
	}
	all := map[string]any{
		"src": r.Src, "dst": r.Dst, "sender_capture": names[r.From], "sent": r.Sent, "arrived": r.Arrived,
		"lost": lost, "late": r.Late, "duplicates": r.Copied, "unsent": r.Unsent, "outside": r.Outside,
		"offset_s": r.Offset.Seconds(), "offset_measured": r.Measured,
	}
	if len(r.Delays) > 0 && r.Measured {
		for i, d := range percentilesOf(r.Delays) {
			all["delay_"+percentiles[i].name+"_s"] = max(d, 0).Seconds()
		}
	}
	return all
}
