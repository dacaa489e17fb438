package syntax

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// escapes are the letters that may follow a backslash in a quoted string,
// beside \xHH.
var escapes = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', '0': 0, '"': '"', '\\': '\\'}

var escapeLetters = map[byte]byte{'\n': 'n', '\t': 't', '\r': 'r', 0: '0', '"': '"', '\\': '\\'}

const hexDigits = "0123456789abcdef"

// Quote renders text as a quoted string that the parser reads back byte for
// byte; what is not printable is written \xHH.
func Quote(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte('"')
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch letter, ok := escapeLetters[s[0]]; {
		case ok:
			b.WriteByte('\\')
			b.WriteByte(letter)
		case r == utf8.RuneError && n == 1, !unicode.IsPrint(r):
			for i := range n {
				b.WriteString(`\x`)
				b.WriteByte(hexDigits[s[i]>>4])
				b.WriteByte(hexDigits[s[i]&15])
			}
		default:
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	b.WriteByte('"')
	return b.String()
}

// QuoteIfNeeded leaves alone what the lexer reads as one bare word; with place,
// it must not look like name=value or a comment either.
func QuoteIfNeeded(s string, place bool) string {
	if s == "" || place && (s[0] == '#' || keyAt(s) != "") {
		return Quote(s)
	}
	for _, r := range s {
		if r == '"' || r == ' ' || r == utf8.RuneError || !unicode.IsPrint(r) {
			return Quote(s)
		}
	}
	return s
}
