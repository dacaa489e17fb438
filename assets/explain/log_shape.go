package explain

import "bytes"

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

// Longer numbers than these are addresses, sizes and identifiers, which tell nothing by their value; of numbers
// below 0 in 32 bits the last digits count.
const (
	longDecimal = 5
	longHex     = 6
	dumpWord    = 8 // digits of the words that a completion is printed in
)

// FNV-1a, 64 bits.
const (
	fnvBasis = 14695981039346656037
	fnvPrime = 1099511628211
)

// shapeOf returns the same key for lines that differ only in numbers without a meaning, and how many words the
// line has. A line with words of a printed completion has a key of its own.
func shapeOf(l []byte) (key uint64, words int) {
	var dumps int
	if key, words, dumps = hashShape(l, false); dumps >= 4 {
		key, _, _ = hashShape(l, true)
	}
	return key, words
}

func hashShape(l []byte, exact bool) (key uint64, words, dumps int) {
	key = fnvBasis
	for i := 0; i < len(l); {
		if kinds[l[i]] == kindOther || kinds[l[i]] == kindPart {
			key = (key ^ uint64(l[i])) * fnvPrime
			i++
			continue
		}
		word := wordAt(l[i:])
		words++
		if len(word) == dumpWord && allHex(word) {
			dumps++
		}
		keep := word
		switch {
		case exact:
		case meaningless(l, i, word):
			keep = nil
		default:
			keep = stem(word)
		}
		for _, c := range keep {
			key = (key ^ uint64(c)) * fnvPrime
		}
		if len(keep) < len(word) {
			key = (key ^ '#') * fnvPrime
		}
		i += len(word)
	}
	return key, words, dumps
}

// wordAt is the letters and digits that the text begins with.
func wordAt(l []byte) []byte {
	n := 0
	for n < len(l) && kinds[l[n]] != kindOther && kinds[l[n]] != kindPart {
		n++
	}
	return l[:n]
}

// meaningless reports whether the word at i is a number whose value tells nothing.
func meaningless(l []byte, i int, word []byte) bool {
	if kinds[word[0]] != kindDigit && !allHex(word) {
		return false
	}
	if len(word) > 2 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X') {
		return len(word)-2 >= longHex && !(word[2]|0x20 == 'f' && word[3]|0x20 == 'f')
	}
	end := i + len(word)
	parted := i > 1 && kinds[l[i-1]] == kindPart && kinds[l[i-2]] == kindDigit ||
		end+1 < len(l) && kinds[l[end]] == kindPart && kinds[l[end+1]] == kindDigit
	process := i > 1 && l[i-1] == '[' && kinds[l[i-2]] == kindLetter // app[2188]:
	parted = parted || process && end < len(l) && l[end] == ']'
	digits := kinds[word[0]] == kindDigit
	return digits && (parted || len(word) >= longDecimal) || len(word) >= longHex && hasDigit(word)
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

func allHex(word []byte) bool {
	for _, c := range word {
		if kinds[c] > kindHex {
			return false
		}
	}
	return true
}

func hasDigit(word []byte) bool {
	for _, c := range word {
		if kinds[c] == kindDigit {
			return true
		}
	}
	return false
}
