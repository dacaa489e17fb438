// Package eventline draws what an event of the time line says in one line, the
// same wherever it is shown.
package eventline

import (
	"bytes"
	"encoding/hex"
	"strconv"
	"time"

	"rdmatui/assets/explain"
	"rdmatui/session/timeline"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// Time appends seconds since the session began with up to nine decimals, as the
// JSON lines have them.
func Time(b *line.Buf, t time.Duration, decimals int, st theme.Style) {
	p := strconv.AppendInt(b.Tmp(), int64(t/time.Second), 10)
	p = append(p, '.')
	rest := t % time.Second
	for unit := time.Second / 10; decimals > 0; decimals, unit = decimals-1, unit/10 {
		p = append(p, '0'+byte(rest/unit))
		rest %= unit
	}
	b.Bytes(p, st)
}

// Took appends a time span: "18.3 µs".
func Took(b *line.Buf, d time.Duration, st theme.Style) { b.Bytes(format.AppendSpan(b.Tmp(), d), st) }

// Count appends a number with its thousands set apart: "1,234,567".
func Count(b *line.Buf, n uint64, st theme.Style) { b.Bytes(format.AppendCount(b.Tmp(), n), st) }

// Operation names what a completion ended: the opcode that it reports, or that
// of the request where it failed and reports none; "" if neither is known.
func Operation(c *timeline.Completion) string {
	switch {
	case !c.WC.Failed():
		return c.WC.Opcode.String()
	case c.Recv:
		return "RECV"
	case c.Matched:
		return c.Opcode.String()
	}
	return ""
}

var definesLength = func() func(*verbs.WC) bool {
	for i := range verbs.WCFields {
		if verbs.WCFields[i].Name == "byte_len" {
			return verbs.WCFields[i].Defined
		}
	}
	panic("eventline: verbs.WCFields has no byte_len") // a mistake in that table; any test sees it
}()

// DefinesLength reports whether byte_len means anything in a completion.
func DefinesLength(wc *verbs.WC) bool { return definesLength(wc) }

// QP names the queue pair of a completion: as the user does, or by its number.
func QP(b *line.Buf, c *timeline.Completion, st theme.Style) {
	if c.QP != "" {
		b.Text(c.QP, st)
		return
	}
	b.Hex(uint64(c.WC.QPNum), 6, st)
}

// Completion appends a completion: wr_id, operation, status, length, queue pair
// and latency, the most useful first where the line is short.
func Completion(b *line.Buf, c *timeline.Completion) {
	th := b.Theme
	b.Text("wr ", th.Label)
	b.Uint(c.WC.WRID, th.Value)
	op := Operation(c)
	if c.WC.Failed() { // then the status matters most, should the line be cut
		b.Space(2)
		b.Text(c.WC.Status.String(), th.Err)
	}
	if op != "" {
		b.Space(2)
		b.Text(op, th.Value)
	}
	if !c.WC.Failed() {
		b.Space(2)
		b.Text(c.WC.Status.String(), th.OK)
	}
	if DefinesLength(&c.WC) {
		b.Space(2)
		b.Uint(uint64(c.WC.ByteLen), th.Value)
		b.Text(" B", th.Dim)
	}
	b.Space(2)
	b.Text("qp ", th.Label)
	QP(b, c, th.Value)
	if c.Matched {
		b.Space(2)
		Took(b, c.Latency, th.Dim)
	}
}

// drawers append what an event of a kind says.
var drawers = map[timeline.Kind]func(*line.Buf, *timeline.Event){
	timeline.KindCommand: command,
	timeline.KindWC:      func(b *line.Buf, e *timeline.Event) { Completion(b, &e.WC) },
	timeline.KindCM:      connection,
	timeline.KindAsync:   async,
	timeline.KindState:   state,
	timeline.KindPacket:  packet,
	timeline.KindNote:    note,
}

// Text appends what an event says, without its time and kind.
func Text(b *line.Buf, e *timeline.Event) {
	if draw := drawers[e.Kind]; draw != nil {
		draw(b, e)
	}
}

// Bad reports whether an event tells of something that went wrong.
func Bad(e *timeline.Event) bool {
	switch {
	case e.Kind == timeline.KindWC:
		return e.WC.WC.Failed()
	case e.Command != nil:
		return e.Command.Err != ""
	case e.CM != nil:
		return e.CM.Failed()
	case e.State != nil:
		return e.State.To == verbs.QPErr || e.State.To == verbs.QPSQE
	case e.Packet != nil:
		return e.Packet.Err != nil
	case e.Note != nil:
		return e.Note.Level == timeline.LevelError
	}
	return false
}

// command shows the error before the line: of what was typed the user knows, of
// what went wrong not.
func command(b *line.Buf, e *timeline.Event) {
	c, th := e.Command, b.Theme
	if c == nil {
		return
	}
	if c.Err == "" {
		b.Text(c.Line, th.Value)
		if c.Result != "" {
			b.Space(1)
			b.Text(th.Glyphs.Right, th.Dim)
			b.Space(1)
			b.Text(c.Result, th.Dim)
		}
		return
	}
	r := b.BeginCell(max(b.Room()/2, 12), line.Left)
	b.Text(c.Line, th.Value)
	b.Stop(r)
	b.Space(1)
	b.Text(th.Glyphs.Ban, th.Err)
	b.Space(1)
	b.Text(c.Err, th.Err)
}

// connection shows an event of the connection manager: what failed before whom it
// concerns, should the line be cut.
func connection(b *line.Buf, e *timeline.Event) {
	c, th := e.CM, b.Theme
	if c == nil {
		return
	}
	st := th.OK
	if c.Failed() {
		st = th.Err
	}
	b.Text(c.Type.String(), st)
	if c.StatusText != "" {
		b.Space(2)
		b.Text(c.StatusText, th.Err)
	}
	if c.ID != "" {
		b.Space(2)
		b.Text("id ", th.Label)
		b.Text(c.ID, th.Value)
	}
	if c.Peer.IsValid() {
		b.Space(2)
		b.Text(c.Peer.String(), th.Value)
	}
	if c.Step != "" {
		b.Space(2)
		Took(b, c.Took, th.Dim)
	}
	if data := PrivateData(c.PrivateData()); data != "" {
		b.Space(2)
		b.Text(data, th.Dim)
	}
	if c.Failed() && c.Hint != "" {
		b.Space(2)
		b.Text(c.Hint, th.Dim)
	}
}

// PrivateData shows what a peer sent along: as text where it is, else as hex,
// without the zeros that the manager fills it up with; "" for nothing but zeros.
func PrivateData(p []byte) string {
	p = bytes.TrimRight(p, "\x00")
	if len(p) == 0 {
		return ""
	}
	for _, c := range p {
		if c < ' ' || c > '~' {
			return "0x" + hex.EncodeToString(p)
		}
	}
	return strconv.Quote(string(p))
}

func async(b *line.Buf, e *timeline.Event) {
	a, th := e.Async, b.Theme
	if a == nil {
		return
	}
	b.Text(a.Type.String(), th.Warn)
	for _, part := range [...]struct{ name, of string }{{"qp ", a.QP}, {"cq ", a.CQ}, {"srq ", a.SRQ}, {"", a.Device}} {
		if part.of != "" {
			b.Space(2)
			b.Text(part.name, th.Label)
			b.Text(part.of, th.Value)
		}
	}
	if a.PortNum != 0 {
		b.Text(" port ", th.Label)
		b.Uint(uint64(a.PortNum), th.Value)
	}
	b.Space(2)
	b.Text(explain.Short("async_event", a.Type.String()), th.Dim)
}

func state(b *line.Buf, e *timeline.Event) {
	s, th := e.State, b.Theme
	if s == nil {
		return
	}
	to := th.Value
	if Bad(e) {
		to = th.Err
	}
	b.Text("qp ", th.Label)
	b.Text(s.QP, th.Value)
	b.Space(2)
	b.Text(s.From.String(), th.Value)
	b.Space(1)
	b.Text(th.Glyphs.Right, th.Dim)
	b.Space(1)
	b.Text(s.To.String(), to)
	if s.Cause != "" {
		b.Space(2)
		b.Text(s.Cause, th.Dim)
	}
}

func packet(b *line.Buf, e *timeline.Event) {
	p, th := e.Packet, b.Theme
	if p == nil {
		return
	}
	way, peer := th.Glyphs.Left, p.Src
	if p.Outgoing {
		way, peer = th.Glyphs.Right, p.Dst
	}
	b.Text(p.Device, th.Value)
	b.Space(1)
	b.Text(way, th.Dim)
	b.Space(1)
	b.Text(peer.Addr().String(), th.Dim)
	b.Space(2)
	if p.Err != nil {
		b.Text(p.Err.Error(), th.Err)
		return
	}
	b.Bytes(p.Wire.AppendSummary(nil), th.Value)
}

func note(b *line.Buf, e *timeline.Event) {
	if e.Note == nil {
		return
	}
	th := b.Theme
	st := th.Value
	switch e.Note.Level {
	case timeline.LevelWarn:
		st = th.Warn
	case timeline.LevelError:
		st = th.Err
	}
	b.Text(e.Note.Text, st)
}
