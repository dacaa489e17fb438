package timeline

import (
	"encoding"
	"encoding/json"
	"strconv"
	"time"
	"unicode"
	"unicode/utf8"

	"rdmatui/verbs"
)

var kindNames = [kinds]string{
	KindCommand: "command", KindWC: "wc", KindCM: "cm", KindAsync: "async",
	KindState: "state", KindPacket: "packet", KindNote: "note",
}

// String returns the kind's name as JSON gives it: "command", "wc" …
func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return "unknown(" + strconv.Itoa(int(k)) + ")"
}

var levelNames = [...]string{LevelInfo: "info", LevelWarn: "warn", LevelError: "error"}

// String returns the level's name: "info", "warn" or "error".
func (v Level) String() string {
	if int(v) < len(levelNames) {
		return levelNames[v]
	}
	return "unknown(" + strconv.Itoa(int(v)) + ")"
}

// AppendJSON appends the event as one JSON object without a line end: seq, t in
// seconds since the session began, event, and what belongs to its kind under
// the C field names. Strings come out in printable characters only.
func (e *Event) AppendJSON(b []byte) []byte {
	b = append(b, `{"seq":`...)
	b = strconv.AppendUint(b, e.Seq, 10)
	b = append(b, `,"t":`...)
	b = appendFraction(b, e.T, time.Second)
	b = appendText(b, "event", e.Kind.String())
	switch {
	case e.Kind == KindWC:
		b = e.WC.appendJSON(b)
	case e.Command != nil:
		b = e.Command.appendJSON(b)
	case e.CM != nil:
		b = e.CM.appendJSON(b)
	case e.Async != nil:
		b = e.Async.appendJSON(b)
	case e.State != nil:
		b = e.State.appendJSON(b)
	case e.Packet != nil:
		b = e.Packet.appendJSON(b)
	case e.Note != nil:
		b = appendText(b, "level", e.Note.Level.String())
		b = appendText(b, "text", e.Note.Text)
	}
	return append(b, '}')
}

// MarshalJSON is AppendJSON.
func (e Event) MarshalJSON() ([]byte, error) { return e.AppendJSON(nil), nil }

func (w *Completion) appendJSON(b []byte) []byte {
	b = appendTextIf(b, "cq", w.CQ)
	b = appendTextIf(b, "qp", w.QP)
	b = appendWC(b, &w.WC)
	if why := w.Why(); why != "" {
		b = appendText(b, "cause", why)
		b = appendUint(b, "incident", w.Cause.Incident)
	}
	if !w.Matched {
		return b
	}
	op := "RECV"
	if !w.Recv {
		op = w.Opcode.String()
	}
	b = appendText(b, "wr_opcode", op)
	b = appendDuration(b, "latency_us", w.Latency)
	if w.Command == 0 {
		return b
	}
	b = appendUint(b, "command", w.Command)
	return appendUint(b, "index", w.Index)
}

// appendWC appends the fields that are defined in the completion, as
// verbs.WC.MarshalJSON does but at half a million a second.
func appendWC(b []byte, wc *verbs.WC) []byte {
	for i := range verbs.WCFields {
		f := &verbs.WCFields[i]
		if !f.Defined(wc) {
			continue
		}
		b = append(b, ',', '"')
		b = append(b, f.Name...)
		b = append(b, '"', ':')
		b = appendValue(b, f.Value(wc))
	}
	return b
}

func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case uint64:
		return strconv.AppendUint(b, v, 10)
	case uint32:
		return strconv.AppendUint(b, uint64(v), 10)
	case uint16:
		return strconv.AppendUint(b, uint64(v), 10)
	case uint8:
		return strconv.AppendUint(b, uint64(v), 10)
	case encoding.TextMarshaler:
		if text, err := v.MarshalText(); err == nil {
			return appendString(b, string(text))
		}
	default:
		if text, err := json.Marshal(v); err == nil {
			return append(b, text...)
		}
	}
	return append(b, "null"...)
}

func (c *CommandDone) appendJSON(b []byte) []byte {
	if c.Number != 0 {
		b = appendUint(b, "number", c.Number)
	}
	b = appendText(b, "line", c.Line)
	b = appendTextIf(b, "resolved", c.Resolved)
	b = appendTextIf(b, "call", c.Call())
	b = appendTextIf(b, "result", c.Result)
	if c.Data != "" {
		b = append(append(b, `,"data":`...), c.Data...)
	}
	if len(c.Created) > 0 {
		b = append(b, `,"created":[`...)
		for i, name := range c.Created {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendString(b, name)
		}
		b = append(b, ']')
	}
	b = appendTextIf(b, "check", c.Check)
	b = appendTextIf(b, "error", c.Err)
	b = appendTextIf(b, "errno", c.Errno)
	b = appendTextIf(b, "hint", c.Hint)
	return appendDuration(b, "took_us", c.Took)
}

func (a *AsyncEvent) appendJSON(b []byte) []byte {
	b = appendText(b, "event_type", a.Type.String())
	b = appendTextIf(b, "device", a.Device)
	if a.PortNum != 0 {
		b = append(b, `,"port_num":`...)
		b = strconv.AppendUint(b, uint64(a.PortNum), 10)
	}
	b = appendTextIf(b, "qp", a.QP)
	b = appendTextIf(b, "cq", a.CQ)
	return appendTextIf(b, "srq", a.SRQ)
}

func (s *StateChange) appendJSON(b []byte) []byte {
	b = appendText(b, "qp", s.QP)
	b = appendText(b, "from", s.From.String())
	b = appendText(b, "to", s.To.String())
	return appendTextIf(b, "cause", s.Cause)
}

func appendText(b []byte, name, text string) []byte {
	b = append(b, ',', '"')
	b = append(b, name...)
	b = append(b, '"', ':')
	return appendString(b, text)
}

func appendTextIf(b []byte, name, text string) []byte {
	if text == "" {
		return b
	}
	return appendText(b, name, text)
}

func appendUint(b []byte, name string, n uint64) []byte {
	b = append(b, ',', '"')
	b = append(b, name...)
	b = append(b, '"', ':')
	return strconv.AppendUint(b, n, 10)
}

func appendDuration(b []byte, name string, d time.Duration) []byte {
	b = append(b, ',', '"')
	b = append(b, name...)
	b = append(b, '"', ':')
	return appendFraction(b, d, time.Microsecond)
}

// appendFraction appends d in the given unit as a decimal number, exact to the
// nanosecond.
func appendFraction(b []byte, d, unit time.Duration) []byte {
	whole, parts := uint64(d), uint64(unit)
	if d < 0 {
		b = append(b, '-')
		whole = -whole // right for the least duration as well
	}
	b = strconv.AppendUint(b, whole/parts, 10)
	rest := whole % parts
	if rest == 0 {
		return b
	}
	b = append(b, '.')
	for parts /= 10; rest > 0; parts /= 10 {
		b = append(b, '0'+byte(rest/parts))
		rest %= parts
	}
	return b
}

const hexDigits = "0123456789abcdef"

// appendString appends a JSON string. encoding/json leaves DEL, the C1 control
// characters and text direction marks as they are; on a terminal those act, so
// here everything that is not printable is escaped.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			i++
			switch {
			case c == '"' || c == '\\':
				b = append(b, '\\', c)
			case c < ' ' || c == 0x7f:
				b = appendEscape(b, uint16(c))
			default:
				b = append(b, c)
			}
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			b = appendEscape(b, uint16(utf8.RuneError))
		case unicode.IsPrint(r):
			b = append(b, s[i:i+n]...)
		default:
			b = appendRune(b, r)
		}
		i += n
	}
	return append(b, '"')
}

func appendEscape(b []byte, c uint16) []byte {
	return append(b, '\\', 'u', hexDigits[c>>12], hexDigits[c>>8&15], hexDigits[c>>4&15], hexDigits[c&15])
}

// appendRune escapes a rune, those beyond 16 bits as a surrogate pair.
func appendRune(b []byte, r rune) []byte {
	if r < 0x10000 {
		return appendEscape(b, uint16(r))
	}
	r -= 0x10000
	b = appendEscape(b, uint16(0xd800|r>>10))
	return appendEscape(b, uint16(0xdc00|r&0x3ff))
}
