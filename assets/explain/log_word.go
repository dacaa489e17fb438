package explain

import (
	"bytes"
	"math"
	"slices"
	"strings"
)

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

// dumps is how many words of a printed completion the word counts for.
func (w *word) dumps() int {
	switch {
	case len(w.said) != dumpWord || slices.ContainsFunc(w.said, func(c byte) bool { return kinds[c] > kindHex }):
		return 0
	case string(w.said) == lastRow:
		return dumpWords // bytes follow
	}
	return 1
}

// prefixed reports that 0x begins the word.
func (w *word) prefixed() bool { return len(w.text) > 2 && w.text[0] == '0' && lower[w.text[1]] == 'x' }

// long reports whether the word is a number whose value tells nothing since it is long.
func (w *word) long() bool {
	text, digits := w.text, kinds[w.text[0]] == kindDigit
	switch {
	case !digits && !w.hex():
		return false
	case w.prefixed():
		return len(text)-2 >= longHex && !(lower[text[2]] == 'f' && lower[text[3]] == 'f')
	}
	return digits && len(text) >= longDecimal || len(text) >= longHex && w.set&setDigit != 0
}

// told is what a word that is no number tells wherever it stands, but for the parts of times.
type told struct {
	raw   uint64 // hash of the word as it is spelled
	hash  uint64 // of what is said, in lower case
	keep  uint64 // what the key of a line takes of it
	kinds wordKinds
	stem  bool // keep is of a name without its number
	short bool // a hexadecimal number, if it stands right after a word that says so: then the key takes hash
	blank bool // nothing but _
	known bool // the word was read
	dumps uint8
}

// maxWords is how many words are remembered: the few hundred that most lines consist of, not those that are in one.
const maxWords = 1 << 12

// told is what the word of such characters tells.
func (s *scanner) told(text []byte, set letterSet) *told {
	raw := hashBits(text, 0)
	t := &s.words[raw>>32%maxWords]
	if t.raw != raw || !t.known {
		w := word{text: text, said: text, set: set}
		if set&setUnderscore != 0 {
			w.said = bytes.Trim(text, "_")
		}
		w.hash = hashWord(w.said)
		*t = s.learn(&w)
		t.raw, t.known = raw, true
	}
	return t
}

// learn finds what a word that is no number tells.
func (s *scanner) learn(w *word) told {
	if len(w.said) == 0 {
		return told{blank: true}
	}
	v := s.v
	k := v.words.get(w.hash) | v.beginKinds(w.said)
	if w.set&setUnderscore == 0 || bytes.IndexByte(w.said, '_') < 0 {
		k |= endKinds(w.said)
	}
	if w.name() {
		k |= s.nameKinds(w.text)
	}
	t := told{hash: w.hash, kinds: k, dumps: uint8(w.dumps())}
	switch part := stem(w.text); {
	case w.set&setSpecial == setDigit && w.long():
		t.keep = '#'
	case !k.hasAny(wordKnown):
		t.keep = uint64(w.looks())
		t.short = len(w.text) <= maxHexWord && w.hex()
	case w.set&setDigit != 0 && len(part) < len(w.text) || w.set&setUnderscore != 0:
		t.keep, t.stem = hashRaw(part), true
	default:
		t.keep = w.hash + uint64(w.set&(setUpper|setLower))
	}
	if w.set&setRDMA == setRDMA && bytes.Contains(bytes.ToLower(w.text), []byte("rdma")) {
		t.kinds |= wordAbout
	}
	return t
}

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

// prefixes are what words begin with, by the first letter: a line's words are many, and those of each letter few.
type prefixes [256][]string

func byLetter(begins []string) *prefixes {
	var p prefixes
	for _, begin := range begins {
		p[begin[0]] = append(p[begin[0]], begin)
	}
	return &p
}

// begin reports whether a word begins with one of them.
func (p *prefixes) begin(word string) bool {
	return slices.ContainsFunc(p[word[0]], func(begin string) bool { return strings.HasPrefix(word, begin) })
}
