package format

import "strconv"

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
