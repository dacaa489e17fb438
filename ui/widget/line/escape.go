package line

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"rdmatui/ui/theme"
)

// Escape makes text from outside safe to show: control bytes, invalid UTF-8,
// bidi overrides, invisible and space-changing characters become visible escapes
// such as \x1b, \n or \u202e. A backslash that was there stays as it is. Buf
// does this by itself; Escape is for text that goes elsewhere.
func Escape(s string) string {
	if isPlain(s) {
		return s
	}
	return string(AppendEscape(nil, s))
}

// AppendEscape is Escape into a buffer.
func AppendEscape(dst []byte, s string) []byte { return appendSafe(dst, s, false) }

// WriteTrace writes a stack trace, which may hold text from outside: each line
// escaped, with tabs as blanks. An error of w is not reported: a trace is the last
// thing that a program says.
func WriteTrace(w io.Writer, trace []byte) {
	for l := range strings.Lines(string(trace)) {
		fmt.Fprintln(w, Escape(strings.ReplaceAll(strings.TrimRight(l, "\n"), "\t", "    ")))
	}
}

// appendSafe escapes what cannot be shown as it is. With ascii nothing but ASCII
// comes out: common signs get their ASCII spelling, the rest an escape.
func appendSafe(dst []byte, s string, ascii bool) []byte {
	base := false // the rune before can carry a combining mark
	for i := 0; i < len(s); {
		if c := s[i]; c >= 0x20 && c <= 0x7e {
			dst = append(dst, c)
			i++
			base = c != ' '
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			dst = appendHex(append(dst, `\x`...), uint32(s[i]), 2)
			base = true
		case ascii:
			dst = appendASCII(dst, r)
		case unicode.Is(unicode.Mn, r) && base && !escaped(r):
			dst = append(dst, s[i:i+n]...)
			base = false // one mark a letter: stacks would climb over other lines
		case unicode.Is(unicode.M, r), escaped(r):
			dst = appendRune(dst, r)
			base = true
		default:
			dst = append(dst, s[i:i+n]...)
			base = unicode.IsLetter(r)
		}
		i += n
	}
	return dst
}

func appendASCII(dst []byte, r rune) []byte {
	if s, ok := theme.ASCIIFor(r); ok {
		return append(dst, s...)
	}
	return appendRune(dst, r)
}

func appendRune(dst []byte, r rune) []byte {
	switch {
	case r == '\n':
		return append(dst, `\n`...)
	case r == '\r':
		return append(dst, `\r`...)
	case r == '\t':
		return append(dst, `\t`...)
	case r < 0x80:
		return appendHex(append(dst, `\x`...), uint32(r), 2)
	case r <= 0xffff:
		return appendHex(append(dst, `\u`...), uint32(r), 4)
	}
	return appendHex(append(dst, `\U`...), uint32(r), 8)
}

func appendHex(dst []byte, v uint32, digits int) []byte {
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		dst = append(dst, "0123456789abcdef"[v>>shift&0xf])
	}
	return dst
}

// escaped reports whether a rune must not reach the terminal as it is.
func escaped(r rune) bool {
	return !unicode.IsPrint(r) || unicode.Is(disputed, r)
}

// disputed holds printable runes that show as nothing, or whose width terminals
// do not agree on because it depends on their neighbours. Among them are those
// that grapheme clusters (UAX #29) are made with: Grapheme_Cluster_Break=Prepend,
// which takes in what follows, be it the blank of a margin, and
// Indic_Conjunct_Break=Linker, a virama that joins the letters on either side.
var disputed = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x094d, Hi: 0x09cd, Stride: 0x80}, // Devanagari and Bengali viramas
		{Lo: 0x0acd, Hi: 0x0b4d, Stride: 0x80}, // of Gujarati and Oriya
		{Lo: 0x0c4d, Hi: 0x0c4d, Stride: 1},    // of Telugu
		{Lo: 0x0d4d, Hi: 0x0d4e, Stride: 1},    // of Malayalam, and its dot reph, which prepends
		{Lo: 0x0e33, Hi: 0x0eb3, Stride: 0x80}, // Thai and Lao AM
		{Lo: 0x1039, Hi: 0x1039, Stride: 1},    // Myanmar virama
		{Lo: 0x1100, Hi: 0x11ff, Stride: 1},    // Hangul jamo, joined by some
		{Lo: 0x17d2, Hi: 0x17d2, Stride: 1},    // Khmer coeng, a linker
		{Lo: 0x180b, Hi: 0x180f, Stride: 1},    // Mongolian variation selectors
		{Lo: 0x1a60, Hi: 0x1a60, Stride: 1},    // Tai Tham sakot, a linker
		{Lo: 0x1bab, Hi: 0x1bab, Stride: 1},    // Sundanese virama
		{Lo: 0x2800, Hi: 0x2800, Stride: 1},    // empty braille
		{Lo: 0x3164, Hi: 0x3164, Stride: 1},    // Hangul filler
		{Lo: 0xa960, Hi: 0xa97c, Stride: 1},    // Hangul jamo extended
		{Lo: 0xaaf6, Hi: 0xaaf6, Stride: 1},    // Meetei Mayek virama
		{Lo: 0xd7b0, Hi: 0xd7fb, Stride: 1},
		{Lo: 0xfe00, Hi: 0xfe0f, Stride: 1}, // variation selectors
		{Lo: 0xff9e, Hi: 0xff9f, Stride: 1}, // halfwidth katakana sound marks: a cell of their own, or none
		{Lo: 0xffa0, Hi: 0xffa0, Stride: 1}, // halfwidth Hangul filler
	},
	R32: []unicode.Range32{
		{Lo: 0x10a3f, Hi: 0x10a3f, Stride: 1}, // Kharoshthi virama
		{Lo: 0x11133, Hi: 0x11133, Stride: 1}, // of Chakma
		{Lo: 0x111c2, Hi: 0x111c3, Stride: 1}, // Sharada signs that prepend
		{Lo: 0x113d0, Hi: 0x113d1, Stride: 1}, // Tulu-Tigalari conjoiner, and repha, which prepends
		{Lo: 0x1193e, Hi: 0x1193f, Stride: 1}, // Dives Akuru virama, and nasal sign, which prepends
		{Lo: 0x11941, Hi: 0x11941, Stride: 1}, // its initial RA, likewise
		{Lo: 0x11a3a, Hi: 0x11a3a, Stride: 1}, // Zanabazar Square initial RA, likewise by some tables
		{Lo: 0x11a47, Hi: 0x11a47, Stride: 1}, // its subjoiner, a linker
		{Lo: 0x11a84, Hi: 0x11a89, Stride: 1}, // Soyombo signs and initials that prepend
		{Lo: 0x11a99, Hi: 0x11a99, Stride: 1}, // its subjoiner, a linker
		{Lo: 0x11d46, Hi: 0x11d46, Stride: 1}, // Masaram Gondi repha, which prepends
		{Lo: 0x11f02, Hi: 0x11f02, Stride: 1}, // Kawi repha, likewise
		{Lo: 0x11f42, Hi: 0x11f42, Stride: 1}, // Kawi conjoiner, a linker
		{Lo: 0x1f1e6, Hi: 0x1f1ff, Stride: 1}, // regional indicators: two make a flag
		{Lo: 0x1f3fb, Hi: 0x1f3ff, Stride: 1}, // skin tones join the emoji before
	},
}

// AppendASCII appends what a terminal without UTF-8 shows for s.
func AppendASCII(dst []byte, s string) []byte { return appendSafe(dst, s, true) }
