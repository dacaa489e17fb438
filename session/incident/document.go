package incident

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"rdmatui/session/queue"
	"rdmatui/session/timeline"
	"rdmatui/verbs/fields"
	"rdmatui/verbs/format"
)

// maxTableRows bounds the rows of a table: the newest are shown.
const maxTableRows = 1000

// markdown writes the document; file is the path of the pcapng file.
func (r *record) markdown(file string, entries []entry) string {
	var b strings.Builder
	if r.incident != nil {
		b.WriteString(r.incident.Markdown())
	} else {
		fmt.Fprintf(&b, "# %s\n", r.title())
	}
	for _, part := range []Part{
		r.about(file), r.requests(), r.counters, r.devices(), r.objects(), r.timelinePart(entries), r.packetsPart(),
	} {
		if len(part.Rows) > 0 {
			part.WriteMarkdown(&b)
		}
	}
	return b.String()
}

// table makes a part with column names; it has no rows if there are none. The newest rows are kept.
func table(head string, columns []string, rows [][]string) Part {
	part := Part{Head: head}
	if len(rows) == 0 {
		return part
	}
	if left := len(rows) - maxTableRows; left > 0 {
		part.Head += fmt.Sprintf(" (the newest %s of %s)", format.Count(maxTableRows), format.Count(uint64(len(rows))))
		rows = rows[left:]
	}
	part.Rows = append([][]string{columns}, rows...)
	return part
}

// about says what the record covers, and what is missing.
func (r *record) about(file string) Part {
	rows := [][]string{
		{"time", fmt.Sprintf("%s to %s of the session, which began at %s", seconds(r.from), seconds(r.to),
			r.start.Format(time.RFC3339Nano))},
		{"packets", fmt.Sprintf("%s in %s; events are comments of the first packet after them",
			format.Counted(len(r.packets), "packet"), filepath.Base(file))},
	}
	cropped := 0
	for _, p := range r.packets {
		cropped += min(p.Cropped, 1)
	}
	if cropped > 0 {
		rows = append(rows, []string{"packets without payload", fmt.Sprintf(
			"%s: the software device records the headers of its last packets even while nothing else records them",
			format.Count(uint64(cropped)))})
	} else if len(r.packets) > 0 && r.packets[0].Seq > 1 {
		rows = append(rows, []string{"earlier packets", "not kept, or from before " + seconds(r.from)})
	}
	for i := range r.taps {
		t := &r.taps[i]
		text := "recorded"
		switch {
		case t.Problem != "":
			text = t.Problem
		case !t.On:
			text = "not recorded any more"
		case t.Netdev != "":
			text = "recorded on network interface " + t.Netdev
		}
		if t.Missed > 0 {
			text += fmt.Sprintf("; %s came too fast", format.Counted(t.Missed, "packet"))
		}
		rows = append(rows, []string{"packets of " + t.Device, text})
	}
	if len(r.taps) == 0 {
		rows = append(rows, []string{"whole packets", "not recorded; recorder on begins"})
	}
	rows = append(rows, []string{"links",
		"known: by the packet sequence numbers that the session set; inferred: by the order of requests and messages"})
	return Part{Head: "Record", Rows: rows}
}

// requests relates send requests and RECVs to packets and completions.
func (r *record) requests() Part {
	sent, received := map[*queue.Message][]int{}, map[*timeline.Completion][]int{}
	for i := range r.links {
		if m := r.links[i].sent; m != nil {
			sent[m] = append(sent[m], i+1)
		}
		if c := r.links[i].received; c != nil {
			received[c] = append(received[c], i+1)
		}
	}
	type line struct {
		at  time.Duration
		row []string
	}
	var lines []line
	for i := range r.messages {
		m := &r.messages[i]
		c := r.done[request{m.Command, m.Index}]
		if len(sent[m]) == 0 && (m.At < r.from || m.At > r.to) && c == nil {
			continue
		}
		how := "known"
		switch {
		case !m.OnWire():
			how = "sends no packet"
		case len(sent[m]) == 0:
			how = "none found"
		case r.inferred[m]:
			how = "inferred"
		}
		lines = append(lines, line{m.At, []string{seconds(m.At), fmt.Sprint(m.WRID), m.QP, m.Opcode.String(),
			format.Count(m.Length), ranges(sent[m]), how, completed(c)}})
	}
	for i := range r.events {
		c := &r.events[i].WC
		if r.events[i].Kind != timeline.KindWC || !c.Recv {
			continue
		}
		how := "none found"
		if len(received[c]) > 0 {
			how = "inferred"
		}
		lines = append(lines, line{c.Posted, []string{seconds(c.Posted), fmt.Sprint(c.WC.WRID), c.QP, "RECV",
			format.Count(uint64(c.WC.ByteLen)), ranges(received[c]), how, completed(c)}})
	}
	slices.SortStableFunc(lines, func(a, b line) int { return int(a.at - b.at) })
	rows := make([][]string, len(lines))
	for i := range lines {
		rows[i] = lines[i].row
	}
	return table("Requests, packets and completions",
		[]string{"", "wr_id", "queue pair", "operation", "bytes", "packets", "link", "completion"}, rows)
}

// completed says how a request completed.
func completed(c *timeline.Completion) string {
	if c == nil {
		return "none taken"
	}
	return fmt.Sprintf("%s at %s", c.WC.Status, seconds(c.Posted+c.Latency))
}

// ranges formats ascending numbers: "1–3, 7".
func ranges(numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); {
		n := i + 1
		for n < len(numbers) && numbers[n] == numbers[n-1]+1 {
			n++
		}
		text := fmt.Sprint(numbers[i])
		if n-i > 1 {
			text += fmt.Sprintf("–%d", numbers[n-1])
		}
		if parts = append(parts, text); len(parts) == maxRanges && n < len(numbers) {
			parts = append(parts, "…")
			break
		}
		i = n
	}
	return strings.Join(parts, ", ")
}

// maxRanges bounds the ranges of packets in a cell.
const maxRanges = 8

// devices describes the open devices: what they are, a port each, and their attributes.
func (r *record) devices() Part {
	part := Part{Head: "Devices"}
	for i := range r.snap.Devices {
		d := &r.snap.Devices[i]
		text := fmt.Sprintf("provider %s, %s %s", d.Info.Provider, d.Info.Transport, d.Info.NodeType)
		if d.Name != d.Info.Name {
			text = d.Info.Name + ", " + text
		}
		if p, ok := d.PortAttr(d.Port.PortNum); ok {
			text += fmt.Sprintf("; port %d %s, active_mtu %s", d.Port.PortNum, p.State, p.ActiveMTU)
		}
		if !d.GID.GID.IsZero() {
			text += fmt.Sprintf("; GID %d %s", d.GID.Index, d.GID.GID)
		}
		part.Rows = append(part.Rows, []string{d.Name, text})
		var attrs []string
		for j := range fields.Device {
			if f := &fields.Device[j]; !slices.Contains(unset, f.Format(&d.Attr)) {
				attrs = append(attrs, f.Name+"="+f.Format(&d.Attr))
			}
		}
		part.Rows = append(part.Rows, []string{"attributes of " + d.Name + " other than 0", strings.Join(attrs, " ")})
	}
	return part
}

// unset are attributes that say nothing.
var unset = []string{"", "0", "0x0"}

// objects describes the session's objects.
func (r *record) objects() Part {
	about := map[string]string{}
	for i := range r.snap.MRs {
		m := &r.snap.MRs[i]
		about[m.Name] = fmt.Sprintf("addr=0x%x length=%d lkey=0x%x rkey=0x%x access=%s", m.Addr, m.Length,
			m.LKey, m.RKey, m.Access)
	}
	for i := range r.snap.CQs {
		q := &r.snap.CQs[i]
		about[q.Name] = fmt.Sprintf("cqe=%d, %s completed, %s failed", q.CQE, format.Count(q.Completed),
			format.Count(q.Failed))
	}
	for i := range r.snap.QPs {
		q := &r.snap.QPs[i]
		about[q.Name] = fmt.Sprintf("%s qp_num=%s state=%s dest_qp_num=%s, %d sends and %d RECVs outstanding", q.Type,
			q.Num, q.State, q.Attr.DestQPNum, q.SendOutstanding, q.RecvPosted)
	}
	for i := range r.snap.IDs {
		id := &r.snap.IDs[i]
		about[id.Name] = fmt.Sprintf("state=%s, %s to %s", id.State, id.Local, id.Peer)
	}
	var rows [][]string
	for _, o := range r.snap.Objects {
		rows = append(rows, []string{o.Name, string(o.Kind), about[o.Name], strings.Join(o.Uses, ", ")})
	}
	return table("Objects", []string{"", "kind", "values", "made from"}, rows)
}

// timelinePart lists the events with the packet before which each happened.
func (r *record) timelinePart(entries []entry) Part {
	var rows [][]string
	for i := range entries {
		e := &entries[i]
		packet := ""
		if e.packet >= 0 {
			packet = fmt.Sprint(e.packet + 1)
		}
		rows = append(rows, []string{seconds(e.at), r.beside(e.at), e.kind, e.text, packet})
	}
	return table("Time line", []string{"", "from the failure", "kind", "event", "packet"}, rows)
}

// beside is how far a moment is from the failure.
func (r *record) beside(at time.Duration) string {
	switch {
	case r.incident == nil:
		return ""
	case at < r.incident.T:
		return "−" + format.Span(r.incident.T-at)
	}
	return "+" + format.Span(at-r.incident.T)
}

// packetsPart lists the packets with the requests that they belong to.
func (r *record) packetsPart() Part {
	var rows [][]string
	for i, p := range r.packets {
		what := string(p.Wire.AppendSummary(nil))
		if p.Err != nil {
			what = p.Err.Error()
		}
		rows = append(rows, []string{fmt.Sprint(i + 1), seconds(p.T), p.Device + " " + p.Direction(),
			fmt.Sprintf("%s to %s", p.Src.Addr(), p.Dst.Addr()), what,
			strings.Join(r.links[i].texts(), "; ")})
	}
	return table("Packets of the file", []string{"", "time", "device", "path", "packet", "request"}, rows)
}
