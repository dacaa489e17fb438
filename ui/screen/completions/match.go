package completions

import (
	"bytes"
	"strconv"

	"rdmatui/session/timeline"
	"rdmatui/ui/widget/eventline"
)

// matcher finds a text in a completion, ignoring case.
type matcher struct {
	want []byte
	buf  []byte
}

func newMatcher(text string) *matcher { return &matcher{want: appendLower(nil, text)} }

func (m *matcher) match(e *timeline.Event) bool {
	c := &e.WC
	m.buf = m.buf[:0]
	for _, s := range [...]string{c.WC.Status.String(), eventline.Operation(c), c.QP, c.CQ} {
		m.buf = append(appendLower(m.buf, s), ' ')
	}
	m.buf = appendNumbers(m.buf, c)
	return bytes.Contains(m.buf, m.want)
}

// appendLower appends text with its ASCII letters in lower case.
func appendLower(dst []byte, s string) []byte {
	for i := range len(s) {
		c := s[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

// appendNumbers appends the numeric fields by their C names: "wr_id=7", so that "=7 "
// does not find 70.
func appendNumbers(dst []byte, c *timeline.Completion) []byte {
	dst = append(dst, "wr_id="...)
	dst = strconv.AppendUint(dst, c.WC.WRID, 10)
	dst = append(dst, " qp_num=0x"...)
	for shift := 20; shift >= 0; shift -= 4 {
		dst = append(dst, "0123456789abcdef"[c.WC.QPNum>>shift&15])
	}
	return append(dst, ' ')
}
