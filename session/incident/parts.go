package incident

import (
	"fmt"
	"slices"
	"strings"

	"rdmatui/assets/explain"
	"rdmatui/session/core"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/fields"
	"rdmatui/verbs/format"
)

// incident assembles the incident from the facts.
func (x *facts) incident() *Incident {
	in := &Incident{T: x.now, Completion: *x.c, length: x.length()}
	cause, found := &timeline.Cause{}, x.cause()
	if found != nil {
		cause.Text, cause.Sure = found.text, found.sure
		if len(found.advice) > 0 {
			cause.Step = found.advice[0]
		}
	}
	cause.Open = found == nil || found.open || !found.sure
	in.Completion.Cause = cause
	if e, ok := explain.Find("wc_status", x.c.WC.Status.String()); ok && cause.Open {
		in.General = e.Causes
	}
	for _, p := range []Part{
		{"What to do", x.advice(found)}, {"Request", x.requestRows()},
		{"Differences between the ends", x.differenceRows()}, {"Retries", x.triesRows()},
		{"Events before", x.historyRows()}, {"Packets", x.packetRows()}, {"Memory", x.memoryRows()},
		{"Counters that changed", x.counterRows()},
		{"Queue pairs", x.attributeRows()},
	} {
		if len(p.Rows) > 0 {
			in.Parts = append(in.Parts, p)
		}
	}
	return in
}

// advice says what to do about the cause, and how to reconnect both ends.
func (x *facts) advice(found *finding) (rows [][]string) {
	if found != nil {
		for _, text := range found.advice {
			rows = append(rows, []string{text})
		}
	}
	if x.own == nil || x.own.Type != verbs.RC {
		return rows
	}
	again := "modify_qp " + x.own.Name + " RESET"
	if x.peer == nil {
		return append(rows, []string{"reconnect: " + again + ", then INIT, RTR and RTS at both ends"})
	}
	return append(rows, []string{fmt.Sprintf("reconnect: %s, modify_qp %s RESET, connect_qps %s %s", again, x.peer.Name,
		x.own.Name, x.peer.Name)})
}

func (x *facts) requestRows() (rows [][]string) {
	c := x.c
	add := func(name, format string, args ...any) {
		rows = append(rows, []string{name, fmt.Sprintf(format, args...)})
	}
	if !x.known {
		add("wr_id", "%d; this session posted no request with this wr_id on this queue pair", c.WC.WRID)
		return rows
	}
	if by := x.request.Posted; by != nil {
		add("line", "%s", by.Line)
		if by.Check != "" {
			add("check before posting", "%s", by.Check)
		} else {
			add("check before posting", "no problem found")
		}
	}
	what := c.Opcode.String()
	if c.Recv {
		what = "RECV"
	}
	add("wr_id", "%d, %s of %s on %s", c.WC.WRID, what, bytes(x.length()), c.QP)
	add("posted", "at %s; completed after %s", seconds(x.posted()), format.Span(c.Latency))
	for i := range x.request.List {
		if i == maxRows {
			add("", "%d more", len(x.request.List)-i)
			break
		}
		e := &x.request.List[i]
		add("sge", "%s at %s, lkey 0x%x", bytes(uint64(e.Length)), x.place(e.Addr, func(m *core.MRView) bool {
			return m.LKey == e.LKey
		}), e.LKey)
	}
	if x.wr != nil && x.wr.Opcode.Traits().Remote {
		add("remote", "%s at %s, rkey 0x%x", bytes(x.reach()), x.place(x.wr.RemoteAddr, func(m *core.MRView) bool {
			return m.RKey == x.wr.RKey
		}), x.wr.RKey)
	}
	return rows
}

// place formats an address, with its offset if it lies in the region that of selects.
func (x *facts) place(addr uint64, of func(*core.MRView) bool) string {
	for i := range x.snap.MRs {
		if m := &x.snap.MRs[i]; of(m) && addr >= m.Addr && addr-m.Addr <= m.Length {
			return fmt.Sprintf("%s+%d (0x%x)", m.Name, addr-m.Addr, addr)
		}
	}
	return fmt.Sprintf("0x%x", addr)
}

// maxRows bounds the rows of a part.
const maxRows = 16

func (x *facts) triesRows() (rows [][]string) {
	if x.tries == nil {
		return nil
	}
	for _, row := range []struct {
		n    uint64
		name string
	}{
		{x.tries.RNRNAKs, "RNR NAKs received"}, {x.tries.SequenceNAKs, "NAKs received: PSN sequence error"},
		{x.tries.Timeouts, "timeouts"}, {x.tries.Resends, "retransmissions"},
	} {
		if row.n > 0 {
			rows = append(rows, []string{format.Count(row.n), row.name})
		}
	}
	if len(rows) > 0 && x.tries.Span > 0 {
		rows = append(rows, []string{format.Span(x.tries.Span), "from the first retry to the last"})
	}
	return rows
}

// historyRows are the state changes of both queue pairs, and events, before the completion.
func (x *facts) historyRows() (rows [][]string) {
	peer := ""
	if x.peer != nil {
		peer = x.peer.Name
	}
	concerns := func(qp string) bool { return qp != "" && (qp == x.c.QP || qp == peer) }
	for i := range x.history {
		m, text := &x.history[i], ""
		switch {
		case m.state != nil && concerns(m.state.QP):
			text = fmt.Sprintf("%s: %s to %s (%s)", m.state.QP, m.state.From, m.state.To, m.by())
		case m.async != nil &&
			(concerns(m.async.QP) || m.async.QP == "" && x.own != nil && m.async.Device == x.own.Device):
			text = strings.Join(strings.Fields(fmt.Sprintf("event %s %s %s %s", m.async.Type, m.async.QP, m.async.CQ,
				m.async.SRQ)), " ")
		case m.cm != nil:
			text = fmt.Sprintf("%s of %s", m.cm.Type, m.cm.ID)
		}
		if text != "" {
			rows = append(rows, []string{seconds(m.at), text})
		}
	}
	return rows[max(len(rows)-maxRows, 0):]
}

// memoryRows are the regions and windows with the request's keys or addresses, and the
// deregistered regions that had them.
func (x *facts) memoryRows() (rows [][]string) {
	if x.own == nil {
		return nil
	}
	row := func(m *core.MRView, note string) {
		rows = append(rows, []string{m.Name, fmt.Sprintf("0x%x, %s, lkey 0x%x, rkey 0x%x, %s, %s%s", m.Addr,
			bytes(m.Length), m.LKey, m.RKey, rights(m.Access), m.PD, note)})
	}
	named := func(m *core.MRView) bool {
		for i := range x.request.List {
			if e := &x.request.List[i]; e.LKey == m.LKey || holds(m, e.Addr) {
				return true
			}
		}
		return x.wr != nil && x.wr.Opcode.Traits().Remote && (x.wr.RKey == m.RKey || holds(m, x.wr.RemoteAddr))
	}
	for i := range x.snap.MRs {
		if m := &x.snap.MRs[i]; named(m) && len(rows) < maxRows {
			row(m, "")
		}
	}
	for i := range x.gone.MRs {
		if d := &x.gone.MRs[i]; named(&d.View) && len(rows) < 2*maxRows {
			row(&d.View, "; these keys became invalid at "+seconds(d.At))
		}
	}
	if x.wr == nil || x.peer == nil || !x.wr.Opcode.Traits().Remote {
		return rows
	}
	if w := x.window(); w != nil {
		rows = append(rows, []string{w.Name, fmt.Sprintf("window on %s, 0x%x, %s, rkey 0x%x, %s, %s", w.MR, w.Addr,
			bytes(w.Length), w.RKey, rights(w.Access), w.PD)})
	}
	return rows
}

// attributeRows are the attributes of both queue pairs, side by side.
func (x *facts) attributeRows() (rows [][]string) {
	if x.own == nil {
		return nil
	}
	views := []*core.QPView{x.own}
	if x.peer != nil && x.peer != x.own {
		views = append(views, x.peer)
	}
	add := func(name string, of func(*core.QPView) string) {
		row := []string{name}
		for _, v := range views {
			row = append(row, of(v))
		}
		if slices.ContainsFunc(row[1:], func(s string) bool { return s != "" }) {
			rows = append(rows, row)
		}
	}
	add("", func(v *core.QPView) string { return v.Name })
	add("qp_num", func(v *core.QPView) string { return v.Num.String() })
	add("qp_type", func(v *core.QPView) string { return v.Type.String() })
	add("state", func(v *core.QPView) string { return v.State.String() })
	add("device", func(v *core.QPView) string { return v.Device })
	add("pd", func(v *core.QPView) string { return v.PD })
	add("RECVs posted", func(v *core.QPView) string { return fmt.Sprint(v.RecvPosted) })
	for i := range fields.QP {
		if f := &fields.QP[i]; f.Bit != verbs.AttrState && f.Bit != verbs.AttrCurState {
			add(f.Name, func(v *core.QPView) string {
				if v.Attr.Mask&f.Bit == 0 {
					return ""
				}
				return f.Format(&v.Attr)
			})
		}
	}
	return rows
}
