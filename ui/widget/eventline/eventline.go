// Package eventline draws an event of the time line in one line, the same on every screen.
package eventline

import (
	"bytes"
	"encoding/hex"
	"math"
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
	p := b.Tmp()
	if t < 0 { // a capture's packet that is older than the first
		p, t = append(p, '-'), -max(t, -math.MaxInt64)
	}
	p = strconv.AppendInt(p, int64(t/time.Second), 10)
	p = append(p, '.')
	rest := t % time.Second
	for unit := time.Second / 10; decimals > 0; decimals, unit = decimals-1, unit/10 {
		p = append(p, '0'+byte(rest/unit))
		rest %= unit
	}
	b.Bytes(p, st)
}

// FitTime is Time with microseconds, or with milliseconds in a column that is narrower
// than an hour of them.
func FitTime(b *line.Buf, t time.Duration, st theme.Style) {
	decimals := 3
	if b.Room() >= len("1234.123456") {
		decimals = 6
	}
	Time(b, t, decimals, st)
}

// Took appends a time span: "18.3 µs".
func Took(b *line.Buf, d time.Duration, st theme.Style) { b.Bytes(format.AppendSpan(b.Tmp(), d), st) }

// Count appends a number with thousands separators: "1,234,567".
func Count(b *line.Buf, n uint64, st theme.Style) { b.Bytes(format.AppendCount(b.Tmp(), n), st) }

// Completions appends how many completions have succeeded and how many have failed.
func Completions(b *line.Buf, n *timeline.Counts, th *theme.Theme) {
	b.Space(2)
	Count(b, n.WCOK, th.Value)
	b.Text(" ok", th.Dim)
	b.Space(2)
	failed, label := th.Value, th.Dim
	if n.WCFailed > 0 {
		failed, label = th.Err, th.Err
	}
	Count(b, n.WCFailed, failed)
	b.Text(" failed", label)
}

// Operation names the operation of a completion: the opcode that it reports, or that of the
// request if it failed and reports none; "" if neither is known.
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
	panic("eventline: verbs.WCFields has no byte_len") // a mistake in that table, which any test reveals
}()

// DefinesLength reports whether byte_len means anything in a completion.
func DefinesLength(wc *verbs.WC) bool { return definesLength(wc) }

// QP names the queue pair of a completion: by the user's name, or by its number.
func QP(b *line.Buf, c *timeline.Completion, st theme.Style) {
	if c.QP != "" {
		b.Text(c.QP, st)
		return
	}
	b.Hex(uint64(c.WC.QPNum), 6, st)
}

// completion is wr_id, status, operation, length, queue pair and latency. The status of a failed
// one precedes the operation in case the line is cut.
func completion(th *theme.Theme, e *timeline.Event) []line.Piece {
	c := &e.WC
	st := th.OK
	if c.WC.Failed() {
		st = th.Err
	}
	status := text(0, c.WC.Status.String(), st)
	out := []line.Piece{{Draw: func(b *line.Buf) { b.Text("wr ", th.Label); b.Uint(c.WC.WRID, th.Value) }},
		text(2, Operation(c), th.Value), status}
	if c.WC.Failed() {
		out[1], out[2] = out[2], out[1]
	}
	if DefinesLength(&c.WC) {
		out = append(out, line.Piece{Gap: gap, Drop: 3, Draw: func(b *line.Buf) {
			b.Uint(uint64(c.WC.ByteLen), th.Value)
			b.Text(" B", th.Dim)
		}})
	}
	out = append(out, line.Piece{Gap: gap, Drop: 1, Draw: func(b *line.Buf) {
		b.Text("qp ", th.Label)
		QP(b, c, th.Value)
	}})
	if c.Matched {
		out = append(out, line.Piece{Gap: gap, Drop: 4, Draw: func(b *line.Buf) { Took(b, c.Latency, th.Dim) }})
	}
	return out
}

// parts lists the texts of each kind of event, the most useful first.
var parts = map[timeline.Kind]func(*theme.Theme, *timeline.Event) []line.Piece{
	timeline.KindCommand: command,
	timeline.KindWC:      completion,
	timeline.KindCM:      connection,
	timeline.KindAsync:   async,
	timeline.KindState:   state,
	timeline.KindPacket:  packet,
	timeline.KindNote:    note,
}

const gap = 2 // cells between most parts

// Pieces returns the texts of an event, without its time and kind.
func Pieces(th *theme.Theme, e *timeline.Event) []line.Piece {
	if of := parts[e.Kind]; of != nil {
		return of(th, e)
	}
	return nil
}

// Text appends the text of an event, cut at the end if it is too long.
func Text(b *line.Buf, e *timeline.Event) { b.AllPieces(Pieces(b.Theme, e)...) }

// Short appends the text of an event without the parts that do not fit.
func Short(b *line.Buf, e *timeline.Event) { b.Pieces(Pieces(b.Theme, e)...) }

// text returns a part of one text, omitted if it is empty.
func text(drop int, s string, st theme.Style) line.Piece {
	return line.Piece{Gap: gap, Drop: drop, Draw: func(b *line.Buf) { b.Text(s, st) }}
}

// named returns a text preceded by its label.
func named(drop int, name, s string, th *theme.Theme) line.Piece {
	return line.Piece{Gap: gap, Drop: drop, Draw: func(b *line.Buf) {
		if s != "" {
			b.Text(name, th.Label)
			b.Text(s, th.Value)
		}
	}}
}

// Bad reports whether an event reports a failure.
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

// command shows the line and then its error. The error is never dropped: the user knows the line,
// but not what failed.
func command(th *theme.Theme, e *timeline.Event) []line.Piece {
	c := e.Command
	if c == nil {
		return nil
	}
	if c.Err != "" {
		return []line.Piece{
			{Gap: gap, Drop: 1, Draw: func(b *line.Buf) {
				r := b.BeginCell(max(b.Room()/2, 12), line.Left)
				b.Text(c.Line, th.Value)
				b.Stop(r)
			}},
			{Gap: 1, Draw: func(b *line.Buf) { sign(b, th.Glyphs.Ban, c.Err, th.Err, th.Err) }},
		}
	}
	return []line.Piece{text(0, c.Line, th.Value), {Gap: 1, Drop: 1, Draw: func(b *line.Buf) {
		if c.Result != "" {
			sign(b, th.Glyphs.Right, c.Result, th.Dim, th.Dim)
		}
	}}}
}

// sign appends a glyph and a text.
func sign(b *line.Buf, glyph, s string, of, st theme.Style) {
	b.Text(glyph, of)
	b.Space(1)
	b.Text(s, st)
}

// connection shows an event of the connection manager: the failure precedes the identifiers in case
// the line is cut.
func connection(th *theme.Theme, e *timeline.Event) []line.Piece {
	c := e.CM
	if c == nil {
		return nil
	}
	st, hint := th.OK, ""
	if c.Failed() {
		st, hint = th.Err, c.Hint
	}
	out := []line.Piece{text(0, c.Type.String(), st), text(1, c.StatusText, th.Err), named(2, "id ", c.ID, th)}
	if c.Peer.IsValid() {
		out = append(out, text(3, c.Peer.String(), th.Value))
	}
	if c.Step != "" {
		out = append(out, line.Piece{Gap: gap, Drop: 5, Draw: func(b *line.Buf) { Took(b, c.Took, th.Dim) }})
	}
	return append(out, text(4, PrivateData(c.PrivateData()), th.Dim), text(6, hint, th.Dim))
}

// PrivateData formats a peer's private data: as text if it is text, else as hex, without
// the zeros that the manager pads it with; "" if there are only zeros.
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

func async(th *theme.Theme, e *timeline.Event) []line.Piece {
	a := e.Async
	if a == nil {
		return nil
	}
	return []line.Piece{
		text(0, a.Type.String(), th.Warn),
		named(1, "qp ", a.QP, th), named(1, "cq ", a.CQ, th), named(1, "srq ", a.SRQ, th),
		{Gap: gap, Drop: 2, Draw: func(b *line.Buf) {
			b.Text(a.Device, th.Value)
			if a.PortNum != 0 {
				b.Text(" port ", th.Label)
				b.Uint(uint64(a.PortNum), th.Value)
			}
		}},
		text(3, explain.Short("async_event", a.Type.String()), th.Dim),
	}
}

func state(th *theme.Theme, e *timeline.Event) []line.Piece {
	s := e.State
	if s == nil {
		return nil
	}
	to := th.Value
	if Bad(e) {
		to = th.Err
	}
	return []line.Piece{named(0, "qp ", s.QP, th), {Gap: gap, Draw: func(b *line.Buf) {
		b.Text(s.From.String(), th.Value)
		b.Space(1)
		sign(b, th.Glyphs.Right, s.To.String(), th.Dim, to)
	}}, text(1, s.Cause, th.Dim)}
}

func packet(th *theme.Theme, e *timeline.Event) []line.Piece {
	p := e.Packet
	if p == nil {
		return nil
	}
	way, peer := th.Glyphs.Left, p.Src
	if p.Outgoing {
		way, peer = th.Glyphs.Right, p.Dst
	}
	out := []line.Piece{{Gap: gap, Drop: 1, Draw: func(b *line.Buf) {
		b.Text(p.Device, th.Value)
		b.Space(1)
		sign(b, way, peer.Addr().String(), th.Dim, th.Dim)
	}}}
	if p.Err != nil {
		return append(out, text(0, p.Err.Error(), th.Err))
	}
	return append(out, line.Piece{Gap: gap, Draw: func(b *line.Buf) { b.Bytes(p.Wire.AppendSummary(nil), th.Value) }})
}

func note(th *theme.Theme, e *timeline.Event) []line.Piece {
	if e.Note == nil {
		return nil
	}
	st := th.Value
	switch e.Note.Level {
	case timeline.LevelWarn:
		st = th.Warn
	case timeline.LevelError:
		st = th.Err
	}
	return []line.Piece{text(0, e.Note.Text, st)}
}
