package sequence

import (
	"strings"
	"testing"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
)

// replies are what terminals answer to queries; see xterm's control sequences and the kitty keyboard protocol.
var replies = map[string]string{
	"primary attributes":   "\x1b[?62;22;52c",
	"secondary attributes": "\x1b[>41;380;0c",
	"cursor position":      "\x1b[24;80R",
	"foreground":           "\x1b]10;rgb:ffff/ffff/ffff\x07",
	"background":           "\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\",
	"version":              "\x1bP>|XTerm(380)\x1b\\",
	"capability":           "\x1bP1+r5463\x1b\\",
	"mode":                 "\x1b[?2026;2$y",
	"ANSI mode":            "\x1b[4;2$y",
	"keyboard":             "\x1b[?1u",
}

// line is a terminal's line: bytes that arrive at times.
type line struct {
	a   Assembler
	now time.Time
	out string
}

// silent is a line whose terminal has answered no query in time.
func silent() *line {
	l := &line{now: time.Unix(1000, 0)}
	l.a.Start(l.now.Add(-time.Hour))
	return l
}

func starting() *line {
	l := silent()
	l.a.Start(l.now)
	return l
}

// pause lets time pass in which nothing arrives.
func (l *line) pause(d time.Duration) {
	end := l.now.Add(d)
	if wait := l.a.Wait(l.now); wait > 0 && wait <= d {
		l.now = l.now.Add(wait)
		l.out += string(l.a.Expire(l.now))
	}
	l.now = end
}

func (l *line) send(pieces ...string) {
	for i, p := range pieces {
		if i > 0 {
			l.pause(time.Second)
		}
		l.out += string(l.a.Take(l.now, []byte(p)))
	}
}

// TestReplyInPieces cuts each reply at each byte and into single bytes: nothing is handed over before the whole.
func TestReplyInPieces(t *testing.T) {
	for name, reply := range replies {
		for cut := 1; cut < len(reply); cut++ {
			l := starting()
			l.send("a"+reply[:cut], reply[cut:]+"b")
			if want := "a" + reply + "b"; l.out != want {
				t.Errorf("%s cut at %d: %q", name, cut, l.out)
			}
			if cut == 1 {
				continue // ESC alone is the key, below
			}
			l = silent()
			l.send(reply[:cut], reply[cut:])
			if l.out != reply {
				t.Errorf("%s cut at %d, late: %q", name, cut, l.out)
			}
		}
		l := starting()
		l.send(strings.Split(reply, "")...)
		if l.out != reply {
			t.Errorf("%s byte by byte: %q", name, l.out)
		}
	}
}

// TestLateEscapeOfReply cuts a reply after its ESC when none is expected: ESC is the key, but the rest is no text.
func TestLateEscapeOfReply(t *testing.T) {
	for name, reply := range replies {
		if name == "ANSI mode" { // never asked for
			continue
		}
		l := silent()
		l.send(reply[:1], reply[1:])
		if l.out != keyEsc+reply {
			t.Errorf("%s: %q", name, l.out)
		}
	}
}

func TestKeysAndText(t *testing.T) {
	const moment = 20 * time.Millisecond
	for name, tt := range map[string]struct {
		pieces []string
		pause  time.Duration
		want   string
	}{
		"Esc, then text":           {[]string{"\x1b", "x"}, time.Second, keyEsc + "x"},
		"Esc, then a bracket":      {[]string{"\x1b", "[", "?", "1"}, time.Second, keyEsc + "[?1"},
		"alt and a character":      {[]string{"\x1bf"}, 0, "\x1bf"},
		"alt and a character, cut": {[]string{"\x1b", "f"}, moment, "\x1bf"},
		"alt and two bytes, cut":   {[]string{"\x1b\xc3", "\xa9"}, time.Second, "\x1bé"},
		"an arrow, cut":            {[]string{"\x1b[", "A"}, time.Second, "\x1b[A"},
		"F1, cut":                  {[]string{"\x1bO", "P"}, time.Second, "\x1bOP"},
		"alt and an arrow":         {[]string{"\x1b\x1b[A"}, 0, "\x1b\x1b[A"},
		"Esc twice":                {[]string{"\x1b\x1b"}, 0, "\x1b\x1b"},
		"rxvt's shift and home":    {[]string{"\x1b[7$", "x"}, time.Second, "\x1b[7$x"},
		"the console's F1, cut":    {[]string{"\x1b[[", "A"}, time.Second, "\x1b[[A"},
		"X10's mouse, cut":         {[]string{"\x1b[M ", "!!x"}, time.Second, "\x1b[M !!x"},
		"a character, cut":         {[]string{"a\xe2\x82", "\xacb"}, time.Second, "a€b"},
		"bytes of no character":    {[]string{"\xff\xff", "a"}, time.Second, "\xff\xffa"},
		"alt and ], then text":     {[]string{"\x1b]", "hello"}, time.Second, "hello"},
		"cut off by a control":     {[]string{"\x1b]11;rgb:", "\x03"}, time.Second, "\x03"},
		"cut off by another":       {[]string{"\x1b[?1", "\x1b[A"}, time.Second, "\x1b[A"},
		"cut off for long":         {[]string{"\x1b[?1", "text"}, pieceTime + 1, "text"},
		"far too long":             {[]string{"\x1b]11;" + strings.Repeat("x", 300), "text"}, moment, "text"},
		"a paste, its end cut":     {[]string{"\x1b[20", "0~a\x1b[", "20", "1~b"}, time.Second, "\x1b[200~a\x1b[201~b"},
		"a paste with ESC":         {[]string{"\x1b[200~\x1b", "[?1c\x1b[201~"}, 0, "\x1b[200~\x1b[?1c\x1b[201~"},
		"a paste, a rune cut":      {[]string{"\x1b[200~\xe2", "\x82\xac\x1b[201~"}, moment, "\x1b[200~€\x1b[201~"},
	} {
		l := silent()
		for _, p := range tt.pieces {
			l.send(p)
			l.pause(tt.pause)
		}
		l.pause(time.Minute)
		if l.out != tt.want {
			t.Errorf("%s: %q, want %q", name, l.out, tt.want)
		}
	}
}

// TestEscapeTime: the key Esc waits as long as Bubble Tea lets it, longer only where a terminal still owes answers or
// sends the key as a sequence.
func TestEscapeTime(t *testing.T) {
	for name, tt := range map[string]struct {
		line *line
		told string
		want time.Duration
	}{
		"no answer":         {silent(), "", uv.DefaultEscTimeout},
		"just started":      {starting(), "", 1500 * time.Millisecond},
		"one answer":        {starting(), "\x1b]11;rgb:0/0/0\x07", 1500 * time.Millisecond},
		"both answers":      {starting(), "\x1b]11;rgb:0/0/0\x07\x1b[?0u", uv.DefaultEscTimeout},
		"the key encoded":   {silent(), "\x1b[?1u", 1500 * time.Millisecond},
		"text after an ESC": {silent(), "\x1bx", uv.DefaultEscTimeout},
	} {
		tt.line.send(tt.told)
		tt.line.send("\x1b")
		if got := tt.line.a.Wait(tt.line.now); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
		tt.line.pause(tt.want)
		if want := tt.told + keyEsc; tt.line.out != want {
			t.Errorf("%s: %q, want %q", name, tt.line.out, want)
		}
	}
	var d uv.EventDecoder
	if n, key := d.Decode([]byte(keyEsc)); n != len(keyEsc) || key.(uv.KeyPressEvent).Keystroke() != "esc" {
		t.Errorf("%q is %v", keyEsc, key)
	}
}

// FuzzAssembler: outside of sequences no byte is lost or invented, however it is cut.
func FuzzAssembler(f *testing.F) {
	for _, reply := range replies {
		f.Add([]byte("a"+reply+"b"), uint8(3))
	}
	f.Add([]byte(pasteBegin+"a\x1b[20"+pasteEnd), uint8(1))
	f.Fuzz(func(t *testing.T, in []byte, size uint8) {
		one, cut := silent(), silent()
		one.send(string(in))
		for b := in; len(b) > 0; {
			n := min(len(b), int(size)+1)
			cut.out += string(cut.a.Take(cut.now, b[:n]))
			b = b[n:]
			if len(cut.a.held) > 2*maxSequence {
				t.Fatalf("%d bytes held", len(cut.a.held))
			}
		}
		one.pause(time.Minute)
		cut.pause(time.Minute)
		if len(in) < maxSequence && one.out != cut.out {
			t.Errorf("%q at once: %q, cut: %q", in, one.out, cut.out)
		}
	})
}
