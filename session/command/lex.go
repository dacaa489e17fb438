package command

import (
	"fmt"
	"strings"
)

// Limits of a line.
const (
	maxNameLen = 64      // IB_DEVICE_NAME_MAX, so that every device's name fits
	maxLineLen = 2 << 20 // a payload may be pasted into a line
	maxWords   = 256
)

// filePrefix is what a value begins with that names a file.
const filePrefix = "file:"

// word is one word of a line, a value by place or name=value.
type word struct {
	start, end int    // byte offsets in the line
	key        string // "" where the value is given by place
	value      int    // offset where the value starts
	text       string // the value, quotes and escapes undone
	quoted     bool   // some of the value was in quotes, so it is no reference
}

// lexer cuts a line into words.
type lexer struct {
	line  string
	at    int
	words []word
}

// lex cuts a line into words; a comment ends it.
func lex(line string) ([]word, *Error) {
	l := lexer{line: line}
	err := l.run()
	return l.words, err
}

// typed cuts a line that is being typed. ok is false where it ends inside quotes or
// a comment, where there is nothing to complete.
func typed(line string) (words []word, ok bool) {
	l := lexer{line: line}
	err := l.run()
	return l.words, err == nil && l.at == len(line)
}

func (l *lexer) run() *Error {
	if len(l.line) > maxLineLen {
		return &Error{Line: l.line, Column: maxLineLen + 1,
			Msg: fmt.Sprintf("the line is longer than %d bytes", maxLineLen), Hint: "split the data into several lines"}
	}
	for {
		for l.at < len(l.line) && isSpace(l.line[l.at]) {
			l.at++
		}
		if l.at == len(l.line) || l.line[l.at] == '#' {
			return nil
		}
		if len(l.words) == maxWords {
			return l.errorf(l.at, "too many words: a line has at most %d", maxWords)
		}
		w := word{start: l.at, value: l.at}
		if key := keyAt(l.line[l.at:]); key != "" {
			w.key = key
			l.at += len(key) + 1
			w.value = l.at
		}
		if err := l.scanValue(&w); err != nil {
			return err
		}
		l.words = append(l.words, w)
	}
}

// scanValue reads bare and quoted stretches up to the next space.
func (l *lexer) scanValue(w *word) *Error {
	var b strings.Builder
	for l.at < len(l.line) && !isSpace(l.line[l.at]) {
		c := l.line[l.at]
		switch {
		case c == '"':
			w.quoted = w.quoted || b.String() != filePrefix // of file:"a path" only the path is quoted
			if err := l.scanQuoted(&b); err != nil {
				return err
			}
		case c < ' ' || c == 0x7f:
			return l.errorf(l.at, "the control character %q stands outside quotes", c)
		default:
			b.WriteByte(c)
			l.at++
		}
	}
	w.text, w.end = b.String(), l.at
	return nil
}

func (l *lexer) scanQuoted(b *strings.Builder) *Error {
	start := l.at
	l.at++
	for l.at < len(l.line) {
		switch c := l.line[l.at]; c {
		case '"':
			l.at++
			return nil
		case '\n':
			return l.errorf(l.at, `a line break stands inside quotes; write \n`)
		case '\\':
			if err := l.scanEscape(b); err != nil {
				return err
			}
		default:
			b.WriteByte(c)
			l.at++
		}
	}
	err := l.errorf(start, "the quoted string does not end")
	err.Hint = `close it with "`
	return err
}

func (l *lexer) scanEscape(b *strings.Builder) *Error {
	rest := l.line[l.at+1:]
	if rest == "" {
		return l.errorf(l.at, "the line ends in a backslash")
	}
	if c, ok := escapes[rest[0]]; ok {
		b.WriteByte(c)
		l.at += 2
		return nil
	}
	if rest[0] == 'x' && len(rest) >= 3 {
		hi, lo := hexDigit(rest[1]), hexDigit(rest[2])
		if hi >= 0 && lo >= 0 {
			b.WriteByte(byte(hi<<4 | lo))
			l.at += 4
			return nil
		}
	}
	err := l.errorf(l.at, "unknown escape %s", show(l.line[l.at:min(l.at+2, len(l.line))]))
	err.Hint = `the escapes are \n \t \r \0 \" \\ and \x with two hex digits`
	return err
}

func (l *lexer) errorf(at int, format string, args ...any) *Error {
	return &Error{Line: l.line, Column: at + 1, Msg: fmt.Sprintf(format, args...), typo: true}
}

// keyAt returns the name before '=' that s begins with, "" where it begins
// otherwise.
func keyAt(s string) string {
	for i := range len(s) {
		switch c := s[i]; {
		case c == '=':
			return s[:i]
		case c == '_' || isLetter(c) || i > 0 && isDigit(c):
			if i >= maxNameLen {
				return ""
			}
		default:
			return ""
		}
	}
	return ""
}

func isSpace(c byte) bool  { return c == ' ' || c == '\t' || c == '\r' }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

func hexDigit(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}
