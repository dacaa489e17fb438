package cli

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// writers render each kind of event as text.
var writers = map[timeline.Kind]func([]byte, *timeline.Event) []byte{
	timeline.KindCommand: appendCommand,
	timeline.KindWC:      appendWC,
	timeline.KindCM:      appendCM,
	timeline.KindAsync:   appendAsync,
	timeline.KindState:   appendState,
	timeline.KindPacket:  appendPacket,
	timeline.KindNote:    appendNote,
}

// appendEvent renders an event. Its first line begins with the time in seconds since
// the start; the other lines are indented.
func appendEvent(b []byte, e *timeline.Event) []byte {
	write, ok := writers[e.Kind]
	if !ok {
		return b
	}
	b = fmt.Appendf(b, "%10.6f  ", e.T.Seconds())
	return write(b, e)
}

const indent = "            "

func appendLine(b []byte, head, text string) []byte {
	if text == "" {
		return b
	}
	for _, l := range strings.Split(text, "\n") {
		b = append(b, indent+head...)
		b = append(line.AppendEscape(b, l), '\n')
	}
	return b
}

func appendCommand(b []byte, e *timeline.Event) []byte {
	c := e.Command
	text := c.Resolved
	if text == "" {
		text = c.Line
	}
	b = append(line.AppendEscape(append(b, "> "...), text), '\n')
	if !c.Expands {
		b = appendLine(b, "  ", c.Call())
	}
	b = appendLine(b, "  our check: ", c.Check)
	switch {
	case c.Err != "":
		b = appendLine(b, "  failed: ", c.Err)
		b = appendLine(b, "  hint: ", c.Advice())
	case c.Result != "":
		b = appendLine(b, "  = ", c.Result+took(c.Took))
	case c.C != nil:
		b = appendLine(b, "  = ", "done"+took(c.Took))
	}
	return b
}

func took(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return "   (" + format.Span(d) + ")"
}

func appendWC(b []byte, e *timeline.Event) []byte {
	w := &e.WC
	b = append(b, "wc"...)
	for i := range verbs.WCFields {
		if f := &verbs.WCFields[i]; f.Defined(&w.WC) {
			b = fmt.Appendf(b, " %s=%s", f.Name, f.Format(&w.WC))
		}
	}
	if w.QP != "" {
		b = line.AppendEscape(append(b, " qp "...), w.QP)
	}
	if w.Matched {
		b = format.AppendSpan(append(b, " after "...), w.Latency)
	}
	b = append(b, '\n')
	if w.WC.Failed() {
		if why := w.Why(); why != "" {
			return appendLine(b, "  cause: ", why)
		}
		b = appendLine(b, "  hint: ", session.StatusHint(w.WC.Status))
	}
	return b
}

// appendCM writes the event with its identifier, addresses and duration on the first
// line, and below it the connection parameters, the private data and a hint.
func appendCM(b []byte, e *timeline.Event) []byte {
	c := e.CM
	b = fmt.Appendf(b, "cm %s", c.Type)
	if c.ID != "" {
		b = line.AppendEscape(append(b, " id "...), c.ID)
	}
	if c.Listen != "" {
		b = line.AppendEscape(append(b, " on "...), c.Listen)
	}
	if c.Local.IsValid() || c.Peer.IsValid() {
		b = fmt.Appendf(b, " %s ↔ %s", addrOrDash(c.Local), addrOrDash(c.Peer))
	}
	if c.Device != "" {
		b = line.AppendEscape(append(b, " device "...), c.Device)
	}
	if c.StatusText != "" {
		b = line.AppendEscape(append(b, " status "...), c.StatusText)
	}
	if c.Step != "" {
		b = format.AppendSpan(fmt.Appendf(b, " %s took ", c.Step), c.Took)
	}
	b = append(b, '\n')
	b = appendLine(b, "  ", c.ConnText())
	b = appendLine(b, "  private data ", c.PrivateText())
	return appendLine(b, "  hint: ", c.Hint)
}

// addrOrDash formats an address; "–" if it is unknown.
func addrOrDash(a netip.AddrPort) string {
	if !a.IsValid() {
		return "–"
	}
	return a.String()
}

func appendAsync(b []byte, e *timeline.Event) []byte {
	a := e.Async
	b = fmt.Appendf(b, "async event %s on %s", a.Type, line.Escape(a.Device))
	if a.PortNum != 0 {
		b = fmt.Appendf(b, " port %d", a.PortNum)
	}
	if a.QP != "" {
		b = fmt.Appendf(b, " qp %s", line.Escape(a.QP))
	}
	if a.CQ != "" {
		b = fmt.Appendf(b, " cq %s", line.Escape(a.CQ))
	}
	if a.SRQ != "" {
		b = fmt.Appendf(b, " srq %s", line.Escape(a.SRQ))
	}
	return append(b, '\n')
}

func appendState(b []byte, e *timeline.Event) []byte {
	s := e.State
	return fmt.Appendf(b, "qp %s: %s → %s (%s)\n", line.Escape(s.QP), s.From, s.To, line.Escape(s.Cause))
}

// appendPacket writes the packet on one line, as seen from the device.
func appendPacket(b []byte, e *timeline.Event) []byte {
	p := e.Packet
	way, peer := "<-", p.Src
	if p.Outgoing {
		way, peer = "->", p.Dst
	}
	b = fmt.Appendf(b, "packet %s %s %s ", line.Escape(p.Device), way, peer)
	if p.Err != nil {
		b = line.AppendEscape(b, p.Err.Error())
	} else {
		b = p.Wire.AppendSummary(b)
	}
	if p.Missed > 0 {
		b = fmt.Appendf(b, "; %s before it not recorded: too many at once", format.Counted(p.Missed, "packet"))
	}
	return append(b, '\n')
}

func appendNote(b []byte, e *timeline.Event) []byte {
	head := [...]string{timeline.LevelInfo: "", timeline.LevelWarn: "warning: ", timeline.LevelError: "error: "}
	b = append(b, head[e.Note.Level]...)
	return append(line.AppendEscape(b, e.Note.Text), '\n')
}
