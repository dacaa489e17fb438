// Package syntax is the lowest layer of the command language: it cuts a line into
// words, quotes text so that it reads back the same, points at what is wrong in a
// line, and guesses what was meant.
//
// It knows no command, argument or object; package command does.
package syntax

import (
	"fmt"
	"strings"
)

// Limits of a line.
const (
	MaxNameLen = 64      // IB_DEVICE_NAME_MAX, so that every device's name fits
	MaxLineLen = 2 << 20 // a payload may be pasted into a line
	MaxWords   = 256
)

// FilePrefix is what a value begins with that names a file.
const FilePrefix = "file:"

// Word is one word of a line, a value by place or name=value.
type Word struct {
	Start, End int    // byte offsets in the line
	Key        string // "" where the value is given by place
	Value      int    // offset where the value starts
	Text       string // the value, quotes and escapes undone
	Quoted     bool   // some of the value was in quotes, so it is no reference
}

// lexer cuts a line into words.
type lexer struct {
	line  string
	at    int
	words []Word
}

// Lex cuts a line into words; a comment ends it.
func Lex(line string) ([]Word, *Error) {
	l := lexer{line: line}
	err := l.run()
	return l.words, err
}

// Typed cuts a line that is being typed. ok is false where it ends inside quotes or
// a comment, where there is nothing to complete.
func Typed(line string) (words []Word, ok bool) {
	l := lexer{line: line}
	err := l.run()
	return l.words, err == nil && l.at == len(line)
}

func (l *lexer) run() *Error {
	if len(l.line) > MaxLineLen {
		return &Error{Line: l.line, Column: MaxLineLen + 1,
			Msg: fmt.Sprintf("the line is longer than %d bytes", MaxLineLen), Hint: "split the data into several lines"}
	}
	for {
		for l.at < len(l.line) && isSpace(l.line[l.at]) {
			l.at++
		}
		if l.at == len(l.line) || l.line[l.at] == '#' {
			return nil
		}
		if len(l.words) == MaxWords {
			return l.errorf(l.at, "too many words: a line has at most %d", MaxWords)
		}
		w := Word{Start: l.at, Value: l.at}
		if key := keyAt(l.line[l.at:]); key != "" {
			w.Key = key
			l.at += len(key) + 1
			w.Value = l.at
		}
		if err := l.scanValue(&w); err != nil {
			return err
		}
		l.words = append(l.words, w)
	}
}

// scanValue reads bare and quoted stretches up to the next space.
func (l *lexer) scanValue(w *Word) *Error {
	var b strings.Builder
	for l.at < len(l.line) && !isSpace(l.line[l.at]) {
		c := l.line[l.at]
		switch {
		case c == '"':
			w.Quoted = w.Quoted || b.String() != FilePrefix // of file:"a path" only the path is quoted
			if err := l.scanQuoted(&b); err != nil {
				return err
			}
		case c < ' ' || c == 0x7f:
			return l.errorf(l.at, "the control character %q is outside quotes", c)
		default:
			b.WriteByte(c)
			l.at++
		}
	}
	w.Text, w.End = b.String(), l.at
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
			return l.errorf(l.at, `a line break is inside quotes; write \n`)
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
		hi, lo := HexDigit(rest[1]), HexDigit(rest[2])
		if hi >= 0 && lo >= 0 {
			b.WriteByte(byte(hi<<4 | lo))
			l.at += 4
			return nil
		}
	}
	err := l.errorf(l.at, "unknown escape %s", Show(l.line[l.at:min(l.at+2, len(l.line))]))
	err.Hint = `the escapes are \n \t \r \0 \" \\ and \x with two hex digits`
	return err
}

func (l *lexer) errorf(at int, format string, args ...any) *Error {
	return &Error{Line: l.line, Column: at + 1, Msg: fmt.Sprintf(format, args...), Typo: true}
}

// keyAt returns the name before '=' that s begins with, "" where it begins
// otherwise.
func keyAt(s string) string {
	for i := range len(s) {
		switch c := s[i]; {
		case c == '=':
			return s[:i]
		case c == '_' || IsLetter(c) || i > 0 && IsDigit(c):
			if i >= MaxNameLen {
				return ""
			}
		default:
			return ""
		}
	}
	return ""
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// IsLetter reports whether c is a letter of ASCII.
func IsLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// IsDigit reports whether c is a decimal digit.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

// HexDigit is the value of a hexadecimal digit, -1 where c is none.
func HexDigit(c byte) int {
	switch {
	case IsDigit(c):
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}
