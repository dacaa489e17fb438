package post

import (
	"fmt"
	"math"
	"strings"

	"rdmatui/verbs"
)

// piece is one SGE, as far as it can be parsed without the session.
type piece struct {
	region      string // "" for a raw address and for invalid text
	off, length uint64
	toEnd       bool // no length was given
}

func parsePiece(text string) (p piece) {
	words := strings.Split(text, ":")
	if words[0] == "" || words[0][0] == '@' {
		return piece{}
	}
	p.region, p.toEnd = words[0], len(words) < 3
	for i, to := range []*uint64{&p.off, &p.length} {
		if len(words) > i+1 {
			n, err := verbs.ParseUint(words[i+1], 64)
			if err != nil {
				return piece{}
			}
			*to = n
		}
	}
	return p
}

// size returns the bytes that a piece names in a region of the given length.
func (p piece) size(length uint64) uint64 {
	if p.toEnd {
		return length - min(length, p.off)
	}
	return p.length
}

// clip returns the part of n bytes from off that is inside a region of the given
// length, as an offset and a number of bytes.
func clip(off, n, length uint64) (at, count int) {
	off = min(off, length, math.MaxInt64)
	return int(off), int(min(n, length-off, math.MaxInt64))
}

// add saturates at 2⁶⁴−1.
func add(a, b uint64) uint64 {
	if b > math.MaxUint64-a {
		return math.MaxUint64
	}
	return a + b
}

// unreadable says what is wrong with an SGE that names no region, "" if the session
// must read part of it: a raw address, or another object's value.
func unreadable(text string) string {
	words := strings.Split(text, ":")
	for i, bits := range []int{64, 32} {
		if words[0] == "" || words[0][0] == '@' || len(words) < i+2 {
			continue
		}
		word := words[i+1]
		if n, err := verbs.ParseUint(word, 64); err == nil && bits == 32 && n > math.MaxUint32 {
			return fmt.Sprintf("%s: a piece has at most %d bytes", text, uint64(math.MaxUint32))
		} else if err != nil && word != "" && strings.Trim(word, "0123456789") == "" {
			return text + ": the number has more than 64 bits"
		}
	}
	return ""
}
