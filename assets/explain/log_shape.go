package explain

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// shapes are the forms of lines that were read, each with the verb that failed in it. A log says the same many
// times: it is read once.
type shapes map[uint64]string

// maxShapes bounds how many are remembered.
const maxShapes = 1 << 17

func (s shapes) put(key uint64, verb string) {
	if len(s) >= maxShapes {
		clear(s)
	}
	s[key] = verb
}

// kinds of bytes in the form of a line.
const (
	kindOther = iota
	kindDigit
	kindHex    // a letter that hexadecimal numbers have
	kindLetter // any other, _ and what is beyond ASCII
	kindPart   // . and : which part the numbers of times, addresses and process numbers
)

var kinds = func() (k [256]byte) {
	for c := range k {
		switch {
		case c >= '0' && c <= '9':
			k[c] = kindDigit
		case c >= 'a' && c <= 'f', c >= 'A' && c <= 'F':
			k[c] = kindHex
		case c >= 'g' && c <= 'z', c >= 'G' && c <= 'Z', c == '_', c >= 0x80:
			k[c] = kindLetter
		case c == '.', c == ':':
			k[c] = kindPart
		}
	}
	return k
}()

func inWord(c byte) bool { return kinds[c] != kindOther && kinds[c] != kindPart }

// Longer numbers than these are addresses, sizes and identifiers, which tell nothing by their value; of numbers
// below 0 in 32 bits the last digits count.
const (
	longDecimal = 5
	longHex     = 6
	dumpWord    = 8 // digits of the words that a completion is printed in
	dumpWords   = 4 // words that a completion has at least
)

// shape is what a line is at first sight.
type shape struct {
	key   uint64 // the same for lines that differ only in what no rule asks for
	words int
	kinds wordKinds // of all of its words
}

// scanner finds shapes of lines. It remembers words and the kinds of names. One goroutine at a time uses it.
type scanner struct {
	v     *vocabulary
	names map[uint64]wordKinds
	words [maxWords]told // by rawHash
}

// maxNames bounds how many names are remembered.
const maxNames = 1 << 15

func newScanner(v *vocabulary) *scanner { return &scanner{v: v, names: map[uint64]wordKinds{}} }

// shapeOf reads the words of a line. A line with words of a printed completion has a key of its own.
func (s *scanner) shapeOf(l []byte) shape {
	r := lineScan{s: s, l: l, shape: shape{key: fnvBasis}, given: never, before: never}
	if special(l) {
		r.l = plain(l)
		r.kinds = wordMark // signs beyond ASCII may stand right beside a mark
	}
	if b := bytes.TrimLeft(r.l, " \t"); len(b) > 0 && (b[0] == 'I' || b[0] == 'D') {
		r.hash(b[0]) // it may mark the line
	}
	r.read()
	if r.dumps >= dumpWords {
		r.kinds |= wordTells
		r.key = fnvBasis
		for _, c := range r.l {
			r.hash(c)
		}
	}
	return r.shape
}

// special reports that a line has other signs than ASCII, or some that are removed before it is read.
func special(l []byte) bool {
	if bytes.IndexByte(l, '\\') >= 0 || bytes.IndexByte(l, '\x1b') >= 0 {
		return true
	}
	var high uint64
	for ; len(l) >= 8; l = l[8:] {
		high |= binary.LittleEndian.Uint64(l)
	}
	for _, c := range l {
		high |= uint64(c)
	}
	return high&highBits != 0
}

// highBits are set in bytes beyond ASCII.
const highBits = 0x8080808080808080

// plain is the line in which words are parted by ASCII only.
func plain(l []byte) []byte {
	return []byte(strings.Map(func(r rune) rune {
		switch {
		case r < utf8.RuneSelf:
			return r
		case unicode.IsLetter(unicode.ToLower(r)) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return ' '
	}, clean(string(l))))
}

// never is farther than any distance between words that counts.
const never = 1 << 20

// Distances in words within which a number belongs to a word before it.
const (
	givenWithin = 6
	errnoWithin = 3
)

// givers are the kinds of words after which a number may have a meaning.
const givers = wordTells | wordErrno | wordSaysErrno | wordAssert | wordCompletion | wordStatus | wordAsync |
	wordEvent | wordEFANumber | wordGives

// lineScan is the state of reading one line.
type lineScan struct {
	shape
	s        *scanner
	l        []byte
	begun    bool   // there is a word before
	previous uint64 // hash of the word before, 0 where no table has it
	dumps    int
	given    int // so many words ago a word gave numbers a meaning
	before   int // so many words ago an errno was announced
}

func (r *lineScan) hash(c byte) { r.key = (r.key ^ uint64(c)) * fnvPrime }

// letterSet is which characters a word has: letters whatever their case, and what else is below.
type letterSet uint32

const (
	setDigit letterSet = 1 << (26 + iota)
	setUnderscore
	setUpper
	setLower
	setOther // beyond ASCII

	setSpecial = setDigit | setUnderscore | setOther

	setHex  letterSet = 1<<6 - 1
	setRDMA letterSet = 1<<('r'-'a') | 1<<('d'-'a') | 1<<('m'-'a') | 1
)

// sets has what each character adds to a word; 0 ends it.
var sets = func() (all [256]letterSet) {
	for i := range all {
		c := byte(i)
		low := lower[c]
		switch {
		case !inWord(c):
			continue
		case c >= utf8.RuneSelf:
			all[i] = setOther
		case kinds[c] == kindDigit:
			all[i] = setDigit
		case c == '_':
			all[i] = setUnderscore
		case low != c:
			all[i] = setUpper | 1<<(low-'a')
		default:
			all[i] = setLower | 1<<(low-'a')
		}
	}
	return all
}()

// read reads all words of the line.
func (r *lineScan) read() {
	l := r.l
	for i := 0; i < len(l); {
		set := sets[l[i]]
		if set == 0 {
			r.key = (r.key ^ uint64(l[i])) * fnvPrime
			i++
			continue
		}
		begin := i
		for i++; i < len(l); i++ {
			s := sets[l[i]]
			if s == 0 {
				break
			}
			set |= s
		}
		text := l[begin:i]
		r.words++
		if set&setDigit != 0 && (sets[text[0]] == setDigit || text[0] == '_') {
			r.digits(&word{at: begin, text: text, set: set})
		} else {
			r.take(r.s.told(text, set))
		}
	}
}

// digits takes a word that may be a number.
func (r *lineScan) digits(w *word) {
	w.said = bytes.Trim(w.text, "_")
	w.hash = hashWord(w.said)
	n, ok := w.number()
	if !ok {
		t := r.s.learn(w)
		if w.set&setSpecial == setDigit && r.parted(w) {
			t.keep, t.stem, t.short = '#', false, false
		}
		r.take(&t)
		return
	}
	r.dumps += w.dumps()
	r.given++
	r.before++
	if r.l[w.at] == w.said[0] && r.negativeAt(w.at) {
		w.hash, n = negativeHash(w.hash), -n
	}
	k := r.s.v.words.get(w.hash) | r.numberKinds(n)
	r.keepNumber(w, n, k)
	r.tell(w.hash, k)
}

// take takes a word that is no number.
func (r *lineScan) take(t *told) {
	if t.blank {
		r.hash('_')
		return
	}
	r.dumps += int(t.dumps)
	r.given++
	r.before++
	keep := t.keep
	if t.short && r.given <= 1 {
		keep = t.hash
	}
	r.mix(keep)
	if t.stem {
		r.hash('#')
	}
	r.tell(t.hash, t.kinds)
}

// tell takes the kinds of a word, by which words after it have a meaning.
func (r *lineScan) tell(hash uint64, k wordKinds) {
	known := k.hasAny(wordKnown)
	switch {
	case !r.begun && hash == statusHash:
		k |= wordTells
	case r.previous != 0 && known:
		k |= r.s.v.pairs.get(pairHash(r.previous, hash))
	}
	r.begun, r.previous = true, 0
	if k == 0 {
		return
	}
	if k.hasAny(wordKnown) {
		r.previous = hash
	}
	if k.hasAny(givers) {
		r.given = 0
	}
	if k.hasAny(wordSaysErrno) {
		r.before = 0
	}
	r.kinds |= k
}

var statusHash = wordHash("status")

// numberKinds are the kinds of a number by its value.
func (r *lineScan) numberKinds(n int64) (k wordKinds) {
	if n > math.MaxInt32 && n <= math.MaxUint32 {
		n = int64(int32(n))
	}
	if n >= -1 && (n < 2 || r.before > errnoWithin) || len(r.s.v.x.errnos[max(n, -n)]) == 0 {
		return 0
	}
	if n < 0 {
		return wordErrno
	}
	return wordErrnoNumber
}

// keepNumber keeps a number in the key that may mean something.
func (r *lineScan) keepNumber(w *word, n int64, k wordKinds) {
	means := r.given <= givenWithin || r.kinds.hasAny(wordEFA|wordAssert)
	switch meaningless := r.meaningless(w); {
	case k.hasAny(wordErrno), !meaningless && (k.hasAny(wordKnown) || means && r.s.v.means(n)):
		r.mix(w.hash)
	case meaningless:
		r.hash('#')
	default:
		r.hash('%')
	}
}

func (r *lineScan) mix(hash uint64) { r.key = (r.key ^ hash) * fnvPrime }

// negativeAt reports that the number at i is below 0: a minus stands before it, and no word or minus before that.
func (r *lineScan) negativeAt(i int) bool {
	n := 0
	for i > n && r.l[i-n-1] == '-' {
		n++
	}
	odd := n%2 == 1
	if i > n && inWord(r.l[i-n-1]) {
		return n > 0 && !odd
	}
	return odd
}

// meaningless reports whether the word is a number whose value tells nothing.
func (r *lineScan) meaningless(w *word) bool { return w.long() || r.parted(w) }

// parted reports that a word is digits in a part of a time, an address or a process number.
func (r *lineScan) parted(w *word) bool {
	l, i, end := r.l, w.at, w.at+len(w.text)
	if kinds[w.text[0]] != kindDigit || w.prefixed() {
		return false
	}
	parted := i > 1 && kinds[l[i-1]] == kindPart && kinds[l[i-2]] == kindDigit ||
		end+1 < len(l) && kinds[l[end]] == kindPart && kinds[l[end+1]] == kindDigit
	process := i > 1 && l[i-1] == '[' && kinds[l[i-2]] == kindLetter // app[2188]:
	return parted || process && end < len(l) && l[end] == ']'
}
