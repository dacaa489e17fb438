package explain

import (
	"encoding/binary"
	"slices"
	"strings"
)

// wordKinds is what a word, or two words beside each other, may do in the answer to a line.
type wordKinds uint64

const (
	wordKnown   wordKinds = 1 << iota // a table has it: a line with another word in its place may differ
	wordTells                         // with it a line may tell something, whatever else it has
	wordErrno                         // an errno's text, name or number below 0, or what an errno follows
	wordMessage                       // a message has it
	wordTrouble                       // see troubled
	wordFail                          // see saysFailed
	wordAbout                         // see aboutAny
	wordWithout
	wordAction // of a verb: "create"
	wordObject // of a verb: "qp"
	wordVerb   // both
	wordManagerVerb
	wordSaysErrno   // the number after it may be an errno, if a verb is in the line
	wordErrnoNumber // that number
	wordAssert
	wordCompletion // see aboutCompletion
	wordStatus     // the number of a status may follow
	wordManager    // see aboutManager
	wordManagerEvent
	wordAsync // see aboutAsync
	wordEvent
	wordDevice
	wordEFA // see aboutEFA
	wordEFANumber
	wordGives // gives the number after it a meaning
	wordMark  // a logger's mark of a line that is no warning
	wordAll   = ^wordKinds(0)
)

// A pattern belongs to one of some groups. The words of one of its elements have the group's first bit, those of
// another one the second bit: a line that matches it has both.
const (
	patternGroups = 16
	firstBits     = 64 - 2*patternGroups
	secondBits    = 64 - patternGroups
)

// matchesPattern reports that a pattern may match the line.
func (k wordKinds) matchesPattern() bool { return k>>firstBits&(k>>secondBits) != 0 }

// telling are the kinds of words of which a line that tells something has all of one row. Rows follow the rules of
// logLine.read: a rule that needs other words needs a row here.
var telling = []wordKinds{
	wordTells,
	wordErrno,
	wordMessage,
	wordTrouble | wordAbout,
	wordFail | wordVerb,
	wordFail | wordAction | wordObject,
	wordFail | wordCompletion,
	wordErrnoNumber | wordVerb,
	wordErrnoNumber | wordAction | wordObject,
	wordErrnoNumber | wordManagerVerb | wordAbout,
	wordAssert | wordVerb,
	wordStatus | wordCompletion,
	wordManager | wordManagerEvent,
	wordManager | wordTrouble,
	wordAsync | wordEvent,
	wordEvent | wordDevice,
	wordEFA | wordEFANumber,
}

// mayTell reports that a line with such words may tell something. One with other words tells nothing.
func (k wordKinds) mayTell() bool {
	return k.matchesPattern() || slices.ContainsFunc(telling, func(need wordKinds) bool { return k&need == need })
}

// hasAny reports that one of the kinds is there.
func (k wordKinds) hasAny(of wordKinds) bool { return k&of != 0 }

// namesVerb reports that the words may name a verb.
func (k wordKinds) namesVerb() bool {
	return k.hasAny(wordVerb|wordManagerVerb|wordMessage) || k&(wordAction|wordObject) == wordAction|wordObject
}

// vocabulary is every word that the tables and the rules of logs know, with what it may do.
type vocabulary struct {
	x     *index
	words kindTable // by wordHash
	pairs kindTable // by pairHash
	// what words that begin with three characters may begin with: by their code the place in begins, 0 for none
	beginsAt [1 << (beginLen * beginBits)]uint16
	begins   [][]beginning
	numbers  map[int64]bool // that mean something after some word
	small    bitSet         // those that are small
}

// beginning is what words begin with.
type beginning struct {
	text  string
	kinds wordKinds
}

// kindTable has the kinds of words by their hashes: open addressing with linear probing. 0 is no hash.
type kindTable struct {
	slots []kindSlot
	used  int
	some  bitSet // tells of most hashes that the table lacks them, and stays in the processor's cache
}

// bitSet is a set of numbers by their low bits.
type bitSet [1 << (setBits - 6)]uint64

const setBits = 17

func (b *bitSet) set(n uint64) { b[n>>6&(1<<(setBits-6)-1)] |= 1 << (n & 63) }

// small reports that a number has a bit of its own.
func small(n int64) bool { return n >= 0 && n < 1<<setBits }

func (b *bitSet) has(n uint64) bool { return b[n>>6&(1<<(setBits-6)-1)]>>(n&63)&1 != 0 }

type kindSlot struct {
	hash  uint64
	kinds wordKinds
}

func (t *kindTable) get(hash uint64) wordKinds {
	if !t.mayHave(hash) {
		return 0
	}
	return t.find(hash)
}

// mayHave reports false of most hashes that the table lacks.
func (t *kindTable) mayHave(hash uint64) bool { return t.some.has(hash >> 20) }

func (t *kindTable) find(hash uint64) wordKinds {
	mask := uint64(len(t.slots) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		if s := &t.slots[at]; s.hash == hash || s.hash == 0 {
			return s.kinds
		}
	}
}

func (t *kindTable) add(hash uint64, k wordKinds) {
	if t.used*4 >= len(t.slots) {
		old := t.slots
		t.slots, t.used = make([]kindSlot, max(1<<12, 2*len(old))), 0
		for _, s := range old {
			if s.hash != 0 {
				t.add(s.hash, s.kinds)
			}
		}
	}
	mask := uint64(len(t.slots) - 1)
	at := hash & mask
	for t.slots[at].hash != hash && t.slots[at].hash != 0 {
		at = (at + 1) & mask
	}
	if t.slots[at].hash == 0 {
		t.used++
	}
	t.some.set(hash >> 20)
	t.slots[at].hash = hash
	t.slots[at].kinds |= k
}

// Multipliers of hashes: FNV's, and the golden ratio in 64 bits.
const (
	fnvBasis = 14695981039346656037
	fnvPrime = 1099511628211
	golden   = 0x9e3779b97f4a7c15
)

// lowerBits are set in all letters in lower case, and in digits.
const lowerBits = 0x2020202020202020

// hashWord is the hash of a word, whatever its case. A minus before a number has its own: see negativeHash.
func hashWord(w []byte) uint64 { return hashBits(w, lowerBits) }

// hashBits is the hash of a word, of which the bits count for set.
func hashBits(w []byte, bits uint64) uint64 {
	h := uint64(len(w)) * golden
	for ; len(w) > 8; w = w[8:] {
		h = step(h, binary.LittleEndian.Uint64(w)|bits)
	}
	switch n := len(w); {
	case n >= 4:
		low, high := binary.LittleEndian.Uint32(w), binary.LittleEndian.Uint32(w[n-4:])
		h = step(h, uint64(low)|uint64(high)<<32|bits)
	case n > 0:
		h = step(h, uint64(w[0])|uint64(w[n/2])<<8|uint64(w[n-1])<<16|bits)
	}
	return h
}

func step(h, part uint64) uint64 {
	h = (h ^ part) * golden
	return h ^ h>>32
}

// negativeHash is the hash of a minus and the number behind it.
func negativeHash(number uint64) uint64 { return step(golden, number) }

func wordHash(word string) uint64 {
	if number, negative := strings.CutPrefix(word, "-"); negative {
		return negativeHash(hashWord([]byte(number)))
	}
	return hashWord([]byte(word))
}

func pairHash(first, second uint64) uint64 { return step(first, second) }

// Words are looked for by what they begin with under a code of three characters, of which the low bits are enough:
// they tell letters apart, and other characters are compared anyhow.
const (
	beginLen  = 3
	beginBits = 5
	beginMask = 1<<beginBits - 1
)

func beginCode(w []byte) uint16 {
	return uint16(w[0]&beginMask)<<(2*beginBits) | uint16(w[1]&beginMask)<<beginBits | uint16(w[2]&beginMask)
}

// mayBegin reports that a word begins with what may be one of the beginnings.
func (v *vocabulary) mayBegin(w []byte) bool {
	return len(w) >= beginLen && v.beginsAt[beginCode(w)] != 0
}

// add gives words their kinds.
func (v *vocabulary) add(k wordKinds, words ...string) {
	for _, w := range words {
		v.words.add(wordHash(w), k|wordKnown)
	}
}

// addPair gives two words beside each other a kind.
func (v *vocabulary) addPair(k wordKinds, first, second string) {
	v.add(0, first, second)
	v.pairs.add(pairHash(wordHash(first), wordHash(second)), k|wordKnown)
}

// addBegin gives words that begin with a text of at least beginLen characters their kinds.
func (v *vocabulary) addBegin(k wordKinds, begins ...string) {
	for _, b := range begins {
		code := beginCode([]byte(b))
		if v.beginsAt[code] == 0 {
			v.beginsAt[code] = uint16(len(v.begins))
			v.begins = append(v.begins, nil)
		}
		of := &v.begins[v.beginsAt[code]]
		at := slices.IndexFunc(*of, func(o beginning) bool { return o.text == b })
		if at < 0 {
			at = len(*of)
			*of = append(*of, beginning{text: b})
		}
		(*of)[at].kinds |= k | wordKnown
	}
}

// addElement gives the words of a pattern's element their kinds.
func (v *vocabulary) addElement(k wordKinds, element []string) {
	for _, w := range element {
		if begin, open := strings.CutSuffix(w, "*"); open {
			v.addBegin(k, begin)
		} else {
			v.add(k, w)
		}
	}
}

// kindsOf are the kinds of a word in lower case, as far as they are given by now.
func (v *vocabulary) kindsOf(word string) wordKinds {
	return v.words.get(wordHash(word)) | v.beginKinds([]byte(word))
}

// endKinds are the kinds that a word without _ has by what it ends in.
func endKinds(word []byte) wordKinds {
	for _, end := range throwEnds {
		if n := len(word) - len(end); n > 0 && hasBegin(word[n:], end) {
			return wordFail | wordTrouble | wordKnown
		}
	}
	return 0
}

// beginKinds are the kinds that a word has by what it begins with.
func (v *vocabulary) beginKinds(word []byte) (k wordKinds) {
	if !v.mayBegin(word) {
		return 0
	}
	for _, b := range v.begins[v.beginsAt[beginCode(word)]] {
		if hasBegin(word, b.text) {
			k |= b.kinds
		}
	}
	return k
}

// hasBegin reports that the word, in upper or lower case, begins with the text in lower case.
func hasBegin(word []byte, text string) bool {
	if len(word) < len(text) {
		return false
	}
	for i := range len(text) {
		if lower[word[i]] != text[i] {
			return false
		}
	}
	return true
}

// lower is ASCII in lower case.
var lower = func() (l [256]byte) {
	for c := range l {
		l[c] = byte(c)
		if c >= 'A' && c <= 'Z' {
			l[c] += 'a' - 'A'
		}
	}
	return l
}()

// nameKinds are the kinds of a word with _ or with upper case inside.
func (v *vocabulary) nameKinds(word string) wordKinds {
	low := strings.Trim(strings.ToLower(word), "_")
	k := v.beginKinds([]byte(low))
	if v.x.verbNamed(low) != "" {
		k |= wordVerb | wordKnown
	}
	if slices.ContainsFunc(managerHandlers, func(end string) bool { return strings.HasSuffix(low, end) }) {
		k |= wordManager | wordKnown
	}
	if strings.Contains(low, "_err_") && errorName.MatchString(word) {
		k |= wordFail | wordTrouble | wordKnown
	}
	if v.x.errnoInName(low) != nil {
		k |= wordErrno | wordKnown
	}
	for name := range strings.FieldsFuncSeq(word, notInName) {
		parts := nameParts(name)
		for i, p := range parts {
			k |= v.kindsOf(p) & wordKnown
			if spokenVerb(parts[i:]) != "" {
				k |= wordVerb
			}
		}
	}
	return k
}

// means reports that a number means something after some word.
func (v *vocabulary) means(n int64) bool {
	if small(n) {
		return v.small.has(uint64(n))
	}
	return v.numbers[n]
}
