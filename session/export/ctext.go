package export

import (
	"fmt"
	"strconv"
	"strings"
)

// spelled replaces characters in our results by ASCII.
var spelled = strings.NewReplacer("µ", "u", "→", "->", "…", "...", "·", "*", "²", "^2", "×", "x", "\t", " ")

// maxComment bounds the text of a line or result in a comment, in bytes.
const maxComment = 400

// commentText makes text safe in a comment: nothing that ends it, starts another or
// is a trigraph, and only printable ASCII, since hidden characters could mislead a
// reviewer.
func commentText(text string) string {
	if len(text) > maxComment {
		text = strings.ToValidUTF8(text[:maxComment], "") + " ..."
	}
	text = strings.ToValidUTF8(spelled.Replace(text), "?")
	var b strings.Builder
	last := byte(0)
	for _, r := range text {
		switch {
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
			last = 0
			continue
		case r > 0x7f:
			fmt.Fprintf(&b, "U+%04X", r)
			last = 0
			continue
		}
		c := byte(r)
		if last == '*' && c == '/' || last == '/' && c == '*' || last == '?' && c == '?' {
			b.WriteByte(' ')
		}
		b.WriteByte(c)
		last = c
	}
	return strings.TrimRight(b.String(), ` \`)
}

// commentWidth is the width of comments in characters.
const commentWidth = 100

// wrap breaks text at spaces. Words longer than a line stay whole.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// literalWidth is the number of characters of a string literal per line.
const literalWidth = 72

// literal formats bytes as a C string literal, split if it is long. Other characters
// become octal escapes of three digits, which cannot merge with what follows; so does
// '?', because of trigraphs.
func literal(p []byte) string {
	var lines []string
	var b strings.Builder
	for _, c := range p {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c < ' ' || c > '~' || c == '?':
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
		if b.Len() >= literalWidth {
			lines = append(lines, `"`+b.String()+`"`)
			b.Reset()
		}
	}
	if b.Len() > 0 || len(lines) == 0 {
		lines = append(lines, `"`+b.String()+`"`)
	}
	return strings.Join(lines, "\n\t")
}

// quoted formats text for a message as a literal; unprintable characters are replaced
// as in a comment.
func quoted(text string) string { return literal([]byte(commentText(text))) }

// number formats a constant with a suffix, so that its type can hold it.
func number(n uint64) string {
	switch {
	case n > 1<<63-1:
		return fmt.Sprintf("0x%xULL", n)
	case n > 1<<31-1:
		return strconv.FormatUint(n, 10) + "LL"
	}
	return strconv.FormatUint(n, 10)
}

// hexNumber is number in hexadecimal.
func hexNumber(n uint64) string {
	if n > 1<<32-1 {
		return fmt.Sprintf("0x%xULL", n)
	}
	return fmt.Sprintf("0x%x", n)
}

// numberLike keeps the base in which a number was typed.
func numberLike(typed string, n uint64) string {
	if strings.HasPrefix(strings.ToLower(typed), "0x") {
		return hexNumber(n)
	}
	return number(n)
}
