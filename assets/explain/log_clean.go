package explain

import (
	"bufio"
	"io"
	"regexp"
	"strings"
	"unicode/utf16"
)

// escapes are what terminals are told by; their letters would run into words.
var escapes = regexp.MustCompile("\x1b(\\[[0-9;:?]*[ -/]*[@-~]|\\][^\x07\x1b]*(\x07|\x1b\\\\)?|[()][A-Z0-9]|[=>])")

// jsonEscapes part words in a log that is kept as JSON.
var jsonEscapes = strings.NewReplacer(`\n`, " ", `\t`, " ", `\r`, " ", `\u001b`, "\x1b", `\"`, `"`)

// clean removes from a line what is no part of its text.
func clean(l string) string {
	if strings.IndexByte(l, '\\') >= 0 {
		l = jsonEscapes.Replace(l)
	}
	if strings.IndexByte(l, '\x1b') >= 0 {
		l = escapes.ReplaceAllString(l, " ")
	}
	return strings.TrimSpace(l)
}

// decoded reads UTF-16, as some systems write files, as UTF-8; any other text as it is.
func decoded(in io.Reader) io.Reader {
	b := bufio.NewReaderSize(in, 4096)
	begin, _ := b.Peek(64) // what fails here fails when it is read
	switch {
	case halfZeros(begin, 1):
		return &utf16Reader{in: b, low: 0, high: 1}
	case halfZeros(begin, 0):
		return &utf16Reader{in: b, low: 1, high: 0}
	}
	return b
}

// halfZeros reports that of most pairs of bytes the one at the place is 0, and the other never is.
func halfZeros(text []byte, place int) bool {
	zeros := 0
	for i, c := range text[:len(text)&^1] {
		switch {
		case c == 0 && i%2 != place:
			return false
		case c == 0:
			zeros++
		}
	}
	return len(text) >= 8 && zeros*4 > len(text)
}

// utf16Reader reads UTF-16 as UTF-8.
type utf16Reader struct {
	in        *bufio.Reader
	low, high int // places in a pair of bytes
	out       []byte
	err       error
}

func (r *utf16Reader) Read(p []byte) (n int, err error) {
	for len(r.out) == 0 && r.err == nil {
		r.fill()
	}
	if len(r.out) == 0 {
		return 0, r.err
	}
	n = copy(p, r.out)
	r.out = r.out[n:]
	return n, nil
}

// fill decodes some pairs. A surrogate whose other half does not follow at once is the replacement character.
func (r *utf16Reader) fill() {
	var units []uint16
	for len(units) < 2048 {
		u, ok := r.unit()
		if !ok {
			break
		}
		units = append(units, u)
	}
	if n := len(units); n > 0 && utf16.IsSurrogate(rune(units[n-1])) {
		if u, ok := r.unit(); ok {
			units = append(units, u)
		}
	}
	r.out = []byte(strings.TrimPrefix(string(utf16.Decode(units)), "\ufeff"))
}

func (r *utf16Reader) unit() (u uint16, ok bool) {
	var pair [2]byte
	if _, r.err = io.ReadFull(r.in, pair[:]); r.err != nil {
		if r.err == io.ErrUnexpectedEOF {
			r.err = io.EOF
		}
		return 0, false
	}
	return uint16(pair[r.high])<<8 | uint16(pair[r.low]), true
}

// minWrap is how long a line must be that was perhaps broken between two words.
const minWrap = 40

// Limits of lines that are joined.
const (
	maxPieces  = 6   // that a line may be broken into
	maxJoined  = 400 // lines of a text in which any are
	minForeign = 8   // bytes in which two lines agree that have the same heading: they are two
)

// unwrap reads a short text once more, with some lines as one, where no line alone tells a cause: a terminal or
// a mail may have broken a line at any column.
func (r *logReader) unwrap() {
	if !r.several || !r.whole || r.certain() || r.lines > maxJoined {
		return
	}
	lines := strings.Split(string(r.head), "\n")
	for i := range lines {
		lines[i] = clean(lines[i])
	}
	for i := range lines {
		for last := i + 1; last < min(len(lines), i+maxPieces); last++ {
			for _, between := range []string{"", " "} {
				if text, ok := rejoin(lines[i:last+1], between); ok && r.joinedTells(i+1, text) {
					return
				}
			}
		}
	}
}

// begunAnew is what loggers begin lines with, so that such a line is no piece of the one before it.
var begunAnew = regexp.MustCompile(
	`^(\[|[IWEF]\d{4} |\d{4}-\d\d|\d\d:\d\d|[A-Z][a-z]{2} +\d+ \d\d:|[\w.-]+\[\d+\]:|kernel: )`)

// rejoin puts lines together that may be pieces of one; a word may be broken only where each piece but the last has
// the same length.
func rejoin(pieces []string, between string) (string, bool) {
	for i, p := range pieces {
		inside := i < len(pieces)-1
		switch {
		case p == "", i > 0 && (commonBegin(p, pieces[0]) >= minForeign || begunAnew.MatchString(p)):
			return "", false
		case inside && between == " " && len(p) < minWrap, inside && between == "" && len(p) != len(pieces[0]):
			return "", false
		}
	}
	text := strings.Join(pieces, between)
	return text, len(text) <= maxLineBytes
}

func commonBegin(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// joinedTells takes what the text tells, if that is a cause that no line tells alone.
func (r *logReader) joinedTells(number int, text string) bool {
	l := newLogLine(number, text, r.shapeOf([]byte(text)).kinds)
	if len(l.words) == 0 {
		return false
	}
	found := l.read()
	if len(found) == 0 || found[0].rank != rankCause || !found[0].sure && r.has(rankCause) {
		return false
	}
	for _, f := range found {
		r.take(l, f)
	}
	return true
}
