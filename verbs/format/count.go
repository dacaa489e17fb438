package format

import "strconv"

// Count renders a number with its thousands set apart: "1,234,567".
func Count(n uint64) string { return string(AppendCount(nil, n)) }

// AppendCount is Count into bytes.
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
