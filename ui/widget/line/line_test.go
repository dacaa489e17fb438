package line

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"rdmatui/ui/theme"
)

var (
	uni  = theme.New("dark", true)
	asc  = theme.New("none", false)
	none = theme.New("none", true)
)

func TestEscape(t *testing.T) {
	tests := []struct{ in, want string }{
		{"plain text", "plain text"},
		{"a\x1b[31mb", `a\x1b[31mb`},
		{"a\x7fb", `a\x7fb`},
		{" ~", " ~"},
		{"\r\n\t\x00\x7f", `\r\n\t\x00\x7f`},
		{"\u009b31m", `\u009b31m`},       // C1 as a rune
		{"\x9b31m", `\x9b31m`},           // C1 as a byte
		{"\xff\xfe", `\xff\xfe`},         // invalid UTF-8
		{"\xc0\x80", `\xc0\x80`},         // overlong
		{"\xed\xa0\x80", `\xed\xa0\x80`}, // surrogate
		{"a\u202eb\u2066c", `a\u202eb\u2066c`},
		{"a\u200bb\ufeff\u2028", `a\u200bb\ufeff\u2028`},
		{"e\u0301", "e\u0301"}, // one mark may stay
		{"e\u0301\u0301", "e\u0301" + `\u0301`},
		{"\u0301", `\u0301`},
		{"é 日本 →", "é 日本 →"},
		{"\U0001f1e9\U0001f1ea", `\U0001f1e9\U0001f1ea`},
		{"a\u00a0b", `a\u00a0b`},
		{"\u0d4eक", `\u0d4e` + "क"}, // prepended to what follows
		{"क\u094dष", "क" + `\u094d` + "ष"},
		{"ｶ\uff9e", "ｶ" + `\uff9e`},
		{"\ufffd", "\ufffd"}, // a real replacement character is text
	}
	for _, tt := range tests {
		if got := Escape(tt.in); got != tt.want {
			t.Errorf("Escape(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

// TestWriteTrace: a trace may hold text from a peer, in lines of its own.
func TestWriteTrace(t *testing.T) {
	var b strings.Builder
	WriteTrace(&b, []byte("panic: \x1b[2J\u202e\n\tfile.go:7 +0x1\n\rlast"))
	if want := "panic: \\x1b[2J\\u202e\n    file.go:7 +0x1\n\\rlast\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

func TestASCIITerminal(t *testing.T) {
	b := New(asc)
	b.Text("a→b 18 µs – 日 ≤", theme.Style{})
	if got, want := b.String(), `a>b 18 us - \u65e5 <=`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCell(t *testing.T) {
	tests := []struct {
		in   string
		w    int
		a    Align
		want string
	}{
		{"abc", 5, Left, "abc  "},
		{"abc", 5, Right, "  abc"},
		{"abc", 6, Centre, " abc  "},
		{"abc", 3, Left, "abc"},
		{"abcd", 3, Left, "ab…"},
		{"abcd", 1, Left, "…"},
		{"abcd", 0, Left, ""},
		{"αβγδ", 3, Left, "αβ…"},
		{"●○✗", 3, Left, "●○✗"},
		{"●○✗●", 3, Right, "●○…"},
		{"日本語", 6, Left, "日本語"},
		{"日本語", 5, Left, "日本…"},
		{"日本語", 4, Left, "日… "},
		{"日本語", 2, Left, "… "},
		{"\x1b[2J", 6, Left, `\x1b[…`},
		{"\x1b[2J", 8, Left, `\x1b[2J `},
		{strings.Repeat("日", 9999), 4, Left, "日… "},
	}
	for _, tt := range tests {
		b := New(none)
		b.Cell(tt.in, tt.w, tt.a, theme.Style{})
		if b.String() != tt.want {
			t.Errorf("Cell(%.20q, %d, %d) = %q, want %q", tt.in, tt.w, tt.a, b.String(), tt.want)
		}
	}
}

func TestRegionsNest(t *testing.T) {
	b := New(none)
	outer := b.Begin(10)
	b.Text("ab", theme.Style{})
	inner := b.Begin(99) // no wider than what is around it
	b.Text("0123456789", theme.Style{})
	b.End(inner)
	b.Text("lost", theme.Style{})
	b.End(outer)
	b.Text("|", theme.Style{})
	if got := b.String(); got != "ab0123456…|" {
		t.Errorf("got %q", got)
	}
	b.Reset()
	outer = b.Begin(8)
	b.Text("x", theme.Style{})
	b.To(4)
	b.Text("y", theme.Style{})
	b.To(2) // already past
	if b.Col() != 5 || b.Room() != 3 {
		t.Errorf("col %d room %d", b.Col(), b.Room())
	}
	b.End(outer)
	if got := b.String(); got != "x   y   " {
		t.Errorf("got %q", got)
	}
}

func TestStylesAreMinimalAndClosed(t *testing.T) {
	b := New(uni)
	ok, sel := uni.OK, uni.Selection
	b.Text("a", ok)
	b.Text("b", ok)
	b.Newline()
	b.Text("c", theme.Style{})
	want := ok.SGR() + "ab" + theme.Reset + "\nc"
	if b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
	b.Reset()
	old := b.Over(sel)
	b.Text("a", ok)
	b.Space(1)
	b.Over(old)
	b.Text("b", theme.Style{})
	want = ok.SGR() + sel.SGR() + "a" + theme.Reset + sel.SGR() + " " + theme.Reset + "b"
	if b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

// Blanks in front of a right-aligned cell belong to the row, not to the cell or
// to the one before.
func TestIndentIsUnstyled(t *testing.T) {
	b := New(uni)
	b.Text("a", uni.Err)
	b.Cell("1", 3, Right, uni.OK)
	want := uni.Err.SGR() + "a" + theme.Reset + "  " + uni.OK.SGR() + "1"
	if b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

func TestNumbers(t *testing.T) {
	b := New(none)
	b.Int(-12, theme.Style{})
	b.Uint(7, theme.Style{})
	b.Hex(0x11, 6, theme.Style{})
	b.Hex(0x123456789, 6, theme.Style{})
	b.Hex(0, 1, theme.Style{})
	if got := b.String(); got != "-1270x0000110x1234567890x0" {
		t.Errorf("got %q", got)
	}
}

func TestWidth(t *testing.T) {
	for s, want := range map[string]int{"": 0, "abc": 3, "●–µ": 3, "日本": 4, "\x1b": 4, "e\u0301": 1} {
		if got := Width(s); got != want {
			t.Errorf("Width(%q) = %d, want %d", s, got, want)
		}
	}
}

// The ranges that skip the measuring must agree with the measuring.
func TestNarrowRanges(t *testing.T) {
	for _, rg := range narrow {
		for r := rg[0]; r <= rg[1]; r++ {
			if s := string(r); ansi.StringWidth(s) != 1 || ansi.StringWidthWc(s) != 1 || escaped(r) {
				t.Errorf("%U: grapheme width %d, wc width %d, escaped %v", r, ansi.StringWidth(s),
					ansi.StringWidthWc(s), escaped(r))
			}
		}
	}
}

// Whatever is written into a region, the line stays exactly as wide as the
// region, by both ways terminals count, holds no control byte, and has an
// ellipsis if something is missing.
func FuzzText(f *testing.F) {
	for _, s := range []string{"abc", "a\x1b]0;t\x07", "日本語", "e\u0301\u0301", "\U0001f468\u200d\U0001f469",
		"\U0001f1e9\U0001f1ea",
		"\u202e", "\xff\xfe", "क\u093f", "\u1100\u1161", "❤\ufe0f", "\u0e33", "ﷺ", "👍🏽"} {
		f.Add(s, "", 7, 0)
		f.Add(s, "b", 2, 1)
		f.Add(s, s, 5, 2)
	}
	f.Fuzz(func(t *testing.T, s, more string, w, align int) {
		w = min(max(w, 0), 200)
		for _, th := range []*theme.Theme{none, asc} {
			b := New(th)
			r := b.BeginCell(w, Align(align&3%3))
			b.Text(s, theme.Style{})
			in := b.Begin(w)
			b.Text(more, theme.Style{})
			b.Stop(in)
			b.End(r)
			out := b.String()
			if g, c := ansi.StringWidth(out), ansi.StringWidthWc(out); g != w || c != w {
				t.Errorf("%q in %d cells: %q is %d by clusters, %d by runes", s, w, out, g, c)
			}
			if !utf8.ValidString(out) || strings.ContainsFunc(out, func(r rune) bool {
				return r < 0x20 || r >= 0x7f && r < 0xa0
			}) {
				t.Errorf("%q is not safe: %q", s, out)
			}
			if th.Glyphs.ASCII && !isPlain(out) {
				t.Errorf("%q is not ASCII: %q", s, out)
			}
			whole := New(th)
			whole.Text(s, theme.Style{})
			whole.Text(more, theme.Style{})
			missing := ansi.StringWidth(whole.String()) > w && strings.TrimSpace(more) != ""
			if missing && w > 0 && !strings.Contains(out, th.Glyphs.Ellipsis) {
				t.Errorf("%q and %q in %d cells: %q has no mark", s, more, w, out)
			}
		}
	})
}

func BenchmarkText(b *testing.B) {
	for name, s := range map[string]string{"ascii": "ibv_post_send(qp, &wr, &bad_wr)",
		"narrow": "RESET ──▶ INIT ● 18 µs …", "wide": "日本語 abc def ghi"} {
		b.Run(name, func(b *testing.B) {
			buf := New(uni)
			b.ReportAllocs()
			for b.Loop() {
				buf.Reset()
				buf.Cell(s, 40, Left, uni.OK)
			}
		})
	}
}

// A text that is left out as a whole, since those before it fill the cell, leaves
// a mark, whatever stands at the end; one that is empty leaves none.
func TestMissingTextIsMarked(t *testing.T) {
	th := theme.New("dark", true)
	tests := []struct {
		name string
		draw func(*Buf)
		want string
	}{
		{"after a text", func(b *Buf) { b.Text("ab", th.Value); b.Text("cd", th.Err) }, "a…"},
		{"after an m", func(b *Buf) { b.Text("4m", th.Value); b.Text("cd", th.Err) }, "4…"},
		{"after a blank", func(b *Buf) { b.Text("a", th.Value); b.Space(1); b.Text("cd", th.Err) }, "a…"},
		{"after a number", func(b *Buf) { b.Uint(12, th.Value); b.Uint(3, th.Err) }, "1…"},
		{"twice", func(b *Buf) { b.Text("ab", th.Value); b.Text("cd", th.Err); b.Text("ef", th.Value) }, "a…"},
		{"after a cut", func(b *Buf) { b.Text("abc", th.Value); b.Text("cd", th.Err) }, "a…"},
		{"after a sign", func(b *Buf) { b.Text("a→", th.Value); b.Text("cd", th.Err) }, "a…"},
		{"after a wide letter", func(b *Buf) { b.Text("日", th.Value); b.Text("cd", th.Err) }, " …"},
		{"after a line", func(b *Buf) { b.Repeat("─", 2, th.Frame); b.Text("cd", th.Err) }, "─…"},
		{"in a region without room", func(b *Buf) {
			b.Text("ab", th.Value)
			r := b.Begin(3)
			b.Text("cd", th.Err)
			b.End(r)
		}, "a…"},
		{"after a cell at the right", func(b *Buf) { b.Cell("→", 2, Right, th.Value); b.Text("cd", th.Err) }, " …"},
		{"empty", func(b *Buf) { b.Text("ab", th.Value); b.Text("", th.Err) }, "ab"},
		{"blanks", func(b *Buf) { b.Text("ab", th.Value); b.Text("  ", th.Err) }, "ab"},
		{"no room at all", func(b *Buf) {
			r := b.BeginCell(0, Left)
			b.Text("x", th.Value)
			b.End(r)
			b.Text("ab", th.Value)
		}, "ab"},
	}
	for _, tt := range tests {
		b := New(th)
		b.Text("|", th.Frame)
		r := b.BeginCell(2, Left)
		tt.draw(b)
		b.End(r)
		b.Text("|", th.Frame)
		b.Finish()
		if got := ansi.Strip(b.String()); got != "|"+tt.want+"|" {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestMarkAfterEmptyCell: the mark of a missing text neither cuts the escape sequence that ended the style before, nor
// removes it.
func TestMarkAfterEmptyCell(t *testing.T) {
	th := theme.New("dark", true)
	for _, w := range []int{0, 1, 5} {
		for _, a := range []Align{Left, Right, Centre} {
			b := New(th)
			r := b.BeginCell(w+2, Left)
			b.Text("ab", th.Err)
			b.Cell("", w, a, th.Value)
			b.Text("cd", th.Value)
			b.End(r)
			b.Text("|", th.Frame)
			b.Finish()
			want := ("ab" + strings.Repeat(" ", w))[:w+1] + "…|"
			if got := ansi.Strip(b.String()); got != want {
				t.Errorf("%d cells, %v: %q, want %q", w, a, b.String(), want)
			}
			ended := strings.Count(b.String(), theme.Reset)
			if begun := strings.Count(b.String(), "\x1b[") - ended; begun != ended {
				t.Errorf("%d cells, %v: %q ends another number of styles than it begins", w, a, b.String())
			}
		}
	}
}
