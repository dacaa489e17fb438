package recorder

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"rdmatui/session/queue"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// maxText bounds the text of one event, in bytes: a line may be 2 MiB long.
const maxText = 600

// plain makes text from outside safe to show, and bounds it.
func plain(text string) string {
	cut := len(text) > maxText
	if cut {
		text = text[:maxText]
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, strings.ToValidUTF8(text, string(unicode.ReplacementChar)))
	if cut {
		text += "…"
	}
	return text
}

// seconds formats a time since the session's start as the time line does.
func seconds(at time.Duration) string { return fmt.Sprintf("%.6f s", at.Seconds()) }

// kindNames and texts describe events, by kind.
var (
	kindNames = map[timeline.Kind]string{
		timeline.KindCommand: "command", timeline.KindWC: "completion", timeline.KindCM: "connection",
		timeline.KindAsync: "event", timeline.KindState: "state", timeline.KindNote: "note",
	}
	texts = map[timeline.Kind]func(*timeline.Event) string{
		timeline.KindCommand: commandText, timeline.KindWC: completionText,
		timeline.KindCM: cmText, timeline.KindAsync: asyncText,
		timeline.KindState: stateText, timeline.KindNote: func(e *timeline.Event) string { return e.Note.Text },
	}
)

// textOf describes an event in one line.
func textOf(e *timeline.Event) string {
	text, ok := texts[e.Kind]
	if !ok {
		return ""
	}
	return plain(text(e))
}

func commandText(e *timeline.Event) string {
	c := e.Command
	text := c.Resolved
	if text == "" {
		text = c.Line
	}
	if len(text) > maxText/2 { // the result follows
		text = text[:maxText/2] + "…"
	}
	switch {
	case c.Err != "":
		return text + ": " + c.Err
	case c.Result != "":
		return text + ": " + c.Result
	}
	return text
}

func completionText(e *timeline.Event) string {
	c := &e.WC
	var b strings.Builder
	for i := range verbs.WCFields {
		if f := &verbs.WCFields[i]; f.Defined(&c.WC) {
			fmt.Fprintf(&b, "%s=%s ", f.Name, f.Format(&c.WC))
		}
	}
	if c.QP != "" {
		b.WriteString("qp " + c.QP + " ")
	}
	if c.Matched {
		b.WriteString("after " + format.Span(c.Latency))
	}
	if why := c.Why(); why != "" {
		b.WriteString("; " + why)
	}
	return strings.TrimSpace(b.String())
}

func cmText(e *timeline.Event) string {
	c := e.CM
	parts := []string{c.Type.String()}
	add := func(name, value string) {
		if value != "" {
			parts = append(parts, strings.TrimSpace(name+" "+value))
		}
	}
	add("id", c.ID)
	add("on", c.Listen)
	if c.Local.IsValid() || c.Peer.IsValid() {
		add("", fmt.Sprintf("%s to %s", c.Local, c.Peer))
	}
	add("device", c.Device)
	add("status", c.StatusText)
	add("", c.ConnText())
	add("private data", c.PrivateText())
	return strings.Join(parts, " ")
}

func asyncText(e *timeline.Event) string {
	a := e.Async
	text := fmt.Sprintf("%s on %s", a.Type, a.Device)
	if a.PortNum != 0 {
		text += fmt.Sprintf(" port %d", a.PortNum)
	}
	for _, of := range [][2]string{{" qp ", a.QP}, {" cq ", a.CQ}, {" srq ", a.SRQ}} {
		if of[1] != "" {
			text += of[0] + of[1]
		}
	}
	return text
}

func stateText(e *timeline.Event) string {
	return fmt.Sprintf("qp %s: %s to %s (%s)", e.State.QP, e.State.From, e.State.To, e.State.Cause)
}

// requestText names a send request.
func requestText(m *queue.Message) string {
	return fmt.Sprintf("wr_id %d of %s: %s of %s", m.WRID, m.QP, m.Opcode, format.Counted(m.Length, "byte"))
}

// texts says in one line each to which requests a packet belongs.
func (l *link) texts() (all []string) {
	if l.sent != nil {
		all = append(all, requestText(l.sent)+mark(l.inferred))
	}
	if c := l.received; c != nil {
		all = append(all, fmt.Sprintf("wr_id %d of %s: RECV", c.WC.WRID, c.QP)+mark(true))
	}
	return all
}

func mark(inferred bool) string {
	if inferred {
		return " (inferred)"
	}
	return ""
}
