package explain

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
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

// scanner finds shapes of lines. It remembers the kinds of names.
type scanner struct {
	v     *vocabulary
	names map[uint64]wordKinds
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

// word is a word of a line.
type word struct {
	at   int
	text []byte
	said []byte // without _ around it
	hash uint64 // of said, in lower case
	set  letterSet
}

func (w *word) hex() bool { return w.set&^(setHex|setDigit|setUpper|setLower) == 0 }

// name reports that a word has _ in it or upper case after lower case.
func (w *word) name() bool {
	if w.set&setUnderscore != 0 {
		return true
	}
	if w.set&(setUpper|setLower) != setUpper|setLower {
		return false
	}
	for i := 1; i < len(w.text); i++ {
		if sets[w.text[i]]&setUpper != 0 && sets[w.text[i-1]]&setLower != 0 {
			return true
		}
	}
	return false
}

// read reads all words of the line.
func (r *lineScan) read() {
	l, v := r.l, r.s.v
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
		hash := hashWord(text)
		if set&setSpecial == 0 && !v.words.mayHave(hash) && !v.mayBegin(text) && set&setRDMA != setRDMA {
			r.unknown(set, text)
			continue
		}
		r.word(&word{at: begin, text: text, said: text, hash: hash, set: set})
	}
}

// unknown takes a word of letters that no table has.
func (r *lineScan) unknown(set letterSet, text []byte) {
	w := word{text: text, set: set}
	if len(text) == dumpWord && w.hex() || endKinds(text) != 0 ||
		set&(setUpper|setLower) == setUpper|setLower && w.name() {
		w.said, w.hash = text, hashWord(text)
		r.word(&w)
		return
	}
	r.begun, r.previous = true, 0
	r.given++
	r.before++
	if r.given <= 1 && len(text) <= maxHexWord && w.hex() {
		r.mix(hashWord(text))
	} else {
		r.hash(w.looks())
	}
}

// word takes a word that something may be known of.
func (r *lineScan) word(w *word) {
	if w.set&setUnderscore != 0 && (w.text[0] == '_' || w.text[len(w.text)-1] == '_') {
		if w.said = bytes.Trim(w.text, "_"); len(w.said) == 0 {
			r.hash('_')
			return
		}
		w.hash = hashWord(w.said)
	}
	if w.set&setRDMA == setRDMA && bytes.Contains(bytes.ToLower(w.text), []byte("rdma")) {
		r.kinds |= wordAbout
	}
	if len(w.said) == dumpWord && !slices.ContainsFunc(w.said, func(c byte) bool { return kinds[c] > kindHex }) {
		r.dumps++
		if string(w.said) == lastRow {
			r.dumps = dumpWords // bytes follow
		}
	}
	r.given++
	r.before++
	r.counted(w)
}

// counted takes the kinds of a word that is more than a _.
func (r *lineScan) counted(w *word) {
	v := r.s.v
	var k wordKinds
	if n, ok := w.number(); ok {
		if r.l[w.at] == w.said[0] && r.negativeAt(w.at) {
			w.hash, n = negativeHash(w.hash), -n
		}
		k = v.words.get(w.hash) | r.numberKinds(n)
		r.keepNumber(w, n, k)
	} else {
		k = v.words.get(w.hash) | v.beginKinds(w.said)
		if bytes.IndexByte(w.said, '_') < 0 {
			k |= endKinds(w.said)
		}
		if w.name() {
			k |= r.s.nameKinds(w.text)
		}
		r.keepWord(w, k)
	}
	switch {
	case !r.begun && w.hash == statusHash:
		k |= wordTells
	case r.previous != 0 && k.hasAny(wordKnown):
		k |= v.pairs.get(pairHash(r.previous, w.hash))
	}
	r.begun, r.previous = true, 0
	if k.hasAny(wordKnown) {
		r.previous = w.hash
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

// keepWord keeps a word in the key that something is known of, and else what it looks like.
func (r *lineScan) keepWord(w *word, k wordKinds) {
	switch {
	case w.set&setSpecial == setDigit && r.meaningless(w):
		r.hash('#')
	case k.hasAny(wordKnown):
		if part := stem(w.text); w.set&setDigit != 0 && len(part) < len(w.text) || w.set&setUnderscore != 0 {
			r.mix(hashRaw(part))
			r.hash('#')
		} else {
			r.mix(w.hash + uint64(w.set&(setUpper|setLower)))
		}
	case r.given <= 1 && len(w.text) <= maxHexWord && w.hex():
		r.mix(w.hash)
	default:
		r.hash(w.looks())
	}
}

func (r *lineScan) mix(hash uint64) { r.key = (r.key ^ hash) * fnvPrime }

// looks is what the heading of a line is told by: an unknown word with digits, in upper case, with a name of a month.
func (w *word) looks() byte {
	switch {
	case w.set&setDigit != 0:
		return 1
	case w.set&setLower == 0:
		return 2
	case len(w.text) == len("Jan") && w.set&setUpper != 0:
		return 3
	}
	return 4
}

// maxHexWord is how long hexadecimal numbers without 0x are that mean something, right after a word that says so.
const maxHexWord = 4

// number reads a decimal or a 0x hexadecimal number of at most 63 bits.
func (w *word) number() (n int64, ok bool) {
	if w.set&setDigit == 0 || kinds[w.said[0]] != kindDigit {
		return 0, false
	}
	text, base := w.said, int64(10)
	if len(text) > 2 && text[0] == '0' && lower[text[1]] == 'x' {
		text, base = text[2:], 16
	}
	for _, c := range text {
		var digit int64
		switch k := kinds[c]; {
		case k == kindDigit:
			digit = int64(c - '0')
		case k == kindHex && base == 16:
			digit = int64(lower[c]-'a') + 10
		default:
			return 0, false
		}
		if n > (math.MaxInt64-16)/16 {
			return 0, false
		}
		n = n*base + digit
	}
	return n, true
}

// nameKinds are the kinds of a name, found once.
func (s *scanner) nameKinds(word []byte) wordKinds {
	hash := hashRaw(stem(word)) // a number behind it changes nothing
	k, known := s.names[hash]
	if !known {
		if len(s.names) >= maxNames {
			clear(s.names)
		}
		k = s.v.nameKinds(string(word))
		s.names[hash] = k
	}
	return k
}

func hashRaw(word []byte) uint64 {
	h := uint64(fnvBasis)
	for _, c := range word {
		h = (h ^ uint64(c)) * fnvPrime
	}
	return h
}

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
func (r *lineScan) meaningless(w *word) bool {
	l, i, text := r.l, w.at, w.text
	digits := kinds[text[0]] == kindDigit
	if !digits && !w.hex() {
		return false
	}
	if len(text) > 2 && text[0] == '0' && lower[text[1]] == 'x' {
		return len(text)-2 >= longHex && !(lower[text[2]] == 'f' && lower[text[3]] == 'f')
	}
	if digits && len(text) >= longDecimal || len(text) >= longHex && w.set&setDigit != 0 {
		return true
	}
	end := i + len(text)
	parted := i > 1 && kinds[l[i-1]] == kindPart && kinds[l[i-2]] == kindDigit ||
		end+1 < len(l) && kinds[l[end]] == kindPart && kinds[l[end+1]] == kindDigit
	process := i > 1 && l[i-1] == '[' && kinds[l[i-2]] == kindLetter // app[2188]:
	return digits && (parted || process && end < len(l) && l[end] == ']')
}

// stem is a name without the number at its end, which tells one device or host from another.
func stem(word []byte) []byte {
	n := len(word)
	for n > 0 && kinds[word[n-1]] == kindDigit {
		n--
	}
	if n < 2 || bytes.EqualFold(word[:n], []byte("mlx")) || word[0] == '0' { // mlx4 is not mlx5
		return word
	}
	return word[:n]
}
