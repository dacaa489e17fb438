// Package sequence reads a terminal so that an escape sequence which arrives in pieces, such as the terminal's reply to
// a query on a slow line, is taken as a whole and never as keys.
package sequence

import "unicode/utf8"

const (
	esc = 0x1b
	bel = 0x07
)

// extent is what is known of a sequence from its first bytes.
type extent int

const (
	whole  extent = iota
	part          // more bytes must follow
	either        // a key of its own, unless more bytes follow soon
	broken        // no terminal sends these bytes
)

// maxSequence bounds a sequence, in bytes: the longest replies that are asked for have fewer than 100.
const maxSequence = 256

// measure tells how far the sequence at the start of b goes, which begins with ESC, and how many bytes of b it takes.
// The forms are those of ECMA-48 5.4 and 5.6, and of xterm's control sequences.
func measure(b []byte) (n int, e extent) {
	if len(b) == 1 {
		return 1, either
	}
	switch b[1] {
	case esc: // the key alt with one that sends a sequence
		n, e = measure(b[1:])
		return n + 1, e
	case '[':
		n, e = control(b)
	case 'O':
		n, e = shifted(b)
	case ']', 'P', '_':
		n, e = stringOf(b)
	default: // the key alt with a character
		if !utf8.FullRune(b[1:]) {
			return len(b), part
		}
		_, n = utf8.DecodeRune(b[1:])
		return 1 + n, whole
	}
	if e == part && len(b) > maxSequence {
		return len(b), broken
	}
	return n, e
}

// control measures CSI, parameters, intermediate bytes and a final byte.
func control(b []byte) (int, extent) {
	if len(b) == 2 {
		return 2, part
	}
	switch b[2] {
	case '[': // the Linux console's function keys: one byte more
		return fixed(b, 4)
	case 'M': // the mouse in X10's form: three bytes more
		return fixed(b, 6)
	}
	i := run(b, 2, 0x30, 0x3f)
	private := i > 2 && b[2] >= '<'
	parameters := i
	i = run(b, i, 0x20, 0x2f)
	switch {
	case i < len(b) && b[i] >= 0x40 && b[i] <= 0x7e:
		return i + 1, whole
	case i < len(b):
		return i, broken
	case !private && i == parameters+1 && b[parameters] == '$': // rxvt's keys with shift end here
		return i, either
	}
	return i, part
}

// shifted measures SS3, digits for modifiers and a final byte.
func shifted(b []byte) (int, extent) {
	switch i := run(b, 2, '0', '9'); {
	case i == len(b):
		return i, part
	case b[i] < 0x21 || b[i] > 0x7e:
		return i, broken
	default:
		return i + 1, whole
	}
}

// firstOf are the bytes with which a reply may begin, by the byte that makes it a control string.
var firstOf = map[byte]string{']': "0123456789", 'P': "0123456789>!", '_': "G"}

// stringOf measures a control string up to its terminator.
func stringOf(b []byte) (int, extent) {
	for i := 2; i < len(b); i++ {
		switch c := b[i]; {
		case i == 2 && !contains(firstOf[b[1]], c):
			return i, broken
		case c == bel && b[1] == ']':
			return i + 1, whole
		case c == esc && i+1 == len(b):
			return i + 1, part
		case c == esc && b[i+1] == '\\':
			return i + 2, whole
		case c < 0x20 || c == 0x7f:
			return i, broken
		}
	}
	return len(b), part
}

func contains(s string, c byte) bool {
	for i := range len(s) {
		if s[i] == c {
			return true
		}
	}
	return false
}

// run returns the index of the first byte from i on that is not between first and last.
func run(b []byte, i int, first, last byte) int {
	for i < len(b) && b[i] >= first && b[i] <= last {
		i++
	}
	return i
}

func fixed(b []byte, n int) (int, extent) {
	if len(b) < n {
		return len(b), part
	}
	return n, whole
}
