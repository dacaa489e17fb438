package format

import (
	"strconv"
	"strings"
)

// Count formats a number with thousands separators: "1,234,567".
func Count(n uint64) string { return string(AppendCount(nil, n)) }

// AppendCount appends the text of [Count] to dst.
func AppendCount(dst []byte, n uint64) []byte {
	var digits [20]byte
	p := strconv.AppendUint(digits[:0], n, 10)
	for i, c := range p {
		if i > 0 && (len(p)-i)%3 == 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, c)
	}
	return dst
}

// Counted formats a number with its noun, which is given in the singular: "1 byte", "4,096 bytes", "2 entries".
func Counted[N interface {
	~int | ~int32 | ~int64 | ~uint16 | ~uint32 | ~uint64
}](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	switch stem, y := strings.CutSuffix(noun, "y"); {
	case y:
		noun = stem + "ie"
	case strings.HasSuffix(noun, "ss"):
		noun += "e"
	}
	return Count(uint64(n)) + " " + noun + "s"
}
