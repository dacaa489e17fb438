package sequence

import (
	"bytes"
	"time"
	"unicode/utf8"
)

const (
	// keyTime is how long ESC waits for more before it is the key: as long as Bubble Tea waits.
	keyTime = 50 * time.Millisecond
	// replyTime is how long ESC waits where it is more likely the begin of a sequence than the key.
	replyTime = 1500 * time.Millisecond
	// answerTime is how long after the start answers to the first queries are expected.
	answerTime = 2 * time.Second
	// pieceTime is the longest pause within a sequence. After it the sequence has been cut off, and the rest is new.
	pieceTime = 3 * time.Second
)

// keyEsc is the key Esc as one sequence, which needs no time to be told from others; see the kitty keyboard protocol.
const keyEsc = "\x1b[27u"

const (
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// Assembler joins the pieces in which sequences and characters arrive. It keeps no clock: each call has its time.
type Assembler struct {
	held    []byte    // the begin of a sequence or character, not handed over
	last    time.Time // when bytes arrived last
	pasting bool
	escaped time.Time // when an ESC became the key because nothing followed

	asked         time.Time // when the terminal was queried
	color, kitty  bool      // it has told its background, its keyboard protocol
	encodesEscape bool      // it sends the key Esc as a sequence, so that ESC alone is none
}

// Start begins the time in which answers of the terminal are expected.
func (a *Assembler) Start(now time.Time) { a.asked = now }

// Take takes bytes that have arrived, and returns all that is whole.
func (a *Assembler) Take(now time.Time, in []byte) (out []byte) {
	pause := now.Sub(a.last)
	a.last = now
	switch {
	case len(a.held) == 0:
		if a.rest(now, in) {
			a.held = []byte{esc}
		}
	case a.pasting:
	case string(a.held) == "\x1b" && pause > keyTime && measuresAsKey(in):
		out, a.held = append(out, keyEsc...), nil
	case pause > pieceTime:
		a.held = nil
	}
	b := append(a.held, in...)
	a.held = nil
	for len(b) > 0 {
		n, done := a.next(b)
		if !done {
			a.held = bytes.Clone(b)
			break
		}
		if n > 0 {
			out = append(out, b[:n]...)
			b = b[n:]
			continue
		}
		b = b[-n:]
	}
	return out
}

// next returns how many bytes of b are to be handed over, negative if they are to be dropped. It is not done if b is
// only the begin of something.
func (a *Assembler) next(b []byte) (n int, done bool) {
	if a.pasting || b[0] != esc {
		return a.text(b)
	}
	n, e := measure(b)
	switch e {
	case whole:
		a.note(b[:n])
		return n, true
	case broken:
		return -n, true
	}
	return 0, false
}

// text returns the length of the text at the start of b: up to an ESC, or within a paste up to its end. A character
// that is not whole is not counted.
func (a *Assembler) text(b []byte) (n int, done bool) {
	if a.pasting {
		if i := bytes.Index(b, []byte(pasteEnd)); i >= 0 {
			a.pasting = false
			return i + len(pasteEnd), true
		}
		n = len(b) - tail(b, pasteEnd)
	} else if n = bytes.IndexByte(b, esc); n < 0 {
		n = len(b)
	}
	if n == len(b) {
		n -= cutRune(b)
	}
	return n, n > 0
}

// tail returns the length of the longest end of b with which a word begins.
func tail(b []byte, word string) int {
	for n := min(len(b), len(word)-1); n > 0; n-- {
		if string(b[len(b)-n:]) == word[:n] {
			return n
		}
	}
	return 0
}

// cutRune returns the length of a character at the end of b that is not whole.
func cutRune(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if c := b[len(b)-n]; utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

// note keeps what a whole sequence tells of the terminal.
func (a *Assembler) note(seq []byte) {
	switch {
	case string(seq) == pasteBegin:
		a.pasting = true
	case bytes.HasPrefix(seq, []byte("\x1b]11;")):
		a.color = true
	case bytes.HasPrefix(seq, []byte("\x1b[?")) && seq[len(seq)-1] == 'u':
		a.kitty, a.encodesEscape = true, string(seq) != "\x1b[?0u"
	}
}

// rest reports whether bytes after an ESC that has become the key are the rest of a reply which that ESC began: they
// arrive at once, which typed characters do not.
func (a *Assembler) rest(now time.Time, in []byte) bool {
	if a.pasting || now.Sub(a.escaped) > pieceTime || len(in) < 3 {
		return false
	}
	n, e := measure(append([]byte{esc}, in...))
	switch {
	case e == broken || n < 4:
		return false
	case in[0] == '[' && e == whole:
		return in[1] == '?' || in[1] == '>' || in[n-2] == 'R'
	case in[0] == '[':
		return in[1] == '?' || in[1] == '>'
	}
	return in[0] == ']' || in[0] == 'P'
}

// measuresAsKey reports whether bytes that follow an ESC after a pause do not continue it.
func measuresAsKey(in []byte) bool { return !contains("[]PO_", in[0]) }

// Wait returns how long after the last bytes [Assembler.Expire] is due; 0: never.
func (a *Assembler) Wait(now time.Time) time.Duration {
	if len(a.held) == 0 || a.held[0] != esc || a.pasting {
		return 0
	}
	if _, e := measure(a.held); e != either {
		return 0
	}
	expected := now.Sub(a.asked) < answerTime && !(a.color && a.kitty)
	if string(a.held) == "\x1b" && (expected || a.encodesEscape) {
		return replyTime
	}
	return keyTime
}

// Expire hands over what is a key after all, because nothing has followed it.
func (a *Assembler) Expire(now time.Time) (out []byte) {
	out, a.held = a.held, nil
	if string(out) == "\x1b" {
		a.escaped = now
		return []byte(keyEsc)
	}
	return out
}
