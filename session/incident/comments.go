package incident

import (
	"fmt"
	"sort"
	"strings"
	"time"
	"unicode"

	"rdmatui/session/capture"
	"rdmatui/session/queue"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// maxComments bounds the events that are comments of one packet.
const maxComments = 128

// entry is an event of the time line, or a post.
type entry struct {
	at     time.Duration
	kind   string
	text   string
	packet int // index of the first packet after it; that of the last if there is none
}

// timeline merges events and posts in the order of their times, the oldest first.
func (r *record) timeline() []entry {
	var all []entry
	for i := range r.events {
		e := &r.events[i]
		all = append(all, entry{at: e.T, kind: kindNames[e.Kind], text: textOf(e)})
	}
	for i := range r.messages {
		if m := &r.messages[i]; m.At >= r.from && m.At <= r.to {
			all = append(all, entry{at: m.At, kind: "post", text: plain(requestText(m))})
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].at < all[j].at })
	for i := range all {
		e := &all[i]
		e.packet = min(sort.Search(len(r.packets), func(k int) bool { return r.packets[k].T >= e.at }),
			len(r.packets)-1)
	}
	return all
}

// comments returns the comments of the file and of each packet.
func (r *record) comments(all []entry) (file string, of [][]string) {
	of = make([][]string, len(r.packets))
	file = plain(r.title())
	if len(r.packets) == 0 {
		for _, e := range newestOf(all, maxComments) {
			if line := "\n" + e.String(); len(file)+len(line) <= capture.MaxComment {
				file += line
			}
		}
		return file, of
	}
	for i := range r.links {
		for _, text := range r.links[i].texts() {
			of[i] = append(of[i], plain(text))
		}
	}
	for len(all) > 0 {
		at, n := all[0].packet, 1
		for n < len(all) && all[n].packet == at {
			n++
		}
		if n > maxComments {
			of[at] = append(of[at], fmt.Sprintf("%d events are left out here", n-maxComments))
		}
		for _, e := range newestOf(all[:n], maxComments) {
			of[at] = append(of[at], e.String())
		}
		all = all[n:]
	}
	return file, of
}

func newestOf[T any](all []T, n int) []T { return all[max(0, len(all)-n):] }

// String is the comment.
func (e *entry) String() string { return seconds(e.at) + " " + e.kind + ": " + e.text }

// title says what the record is of.
func (r *record) title() string {
	if r.incident == nil {
		return fmt.Sprintf("Recorded from %s to %s, without a failed completion", seconds(r.from), seconds(r.to))
	}
	text := r.incident.Title()
	if cause := r.incident.Completion.Cause; cause != nil && cause.Text != "" {
		text += ": " + (&timeline.Completion{Cause: cause}).Why()
	}
	return text
}

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
