package wire

import (
	"math/rand/v2"
	"regexp"
	"strconv"
	"testing"
)

var fieldPlace = regexp.MustCompile(`^(\d+)(?:-(\d+))?(?:\[(\d)(?::(\d))?\])?$`)

// bitsAt reads the bits of a header that Field.At names, and returns their number.
func bitsAt(t *testing.T, header []byte, at string) (value uint64, width int) {
	t.Helper()
	m := fieldPlace.FindStringSubmatch(at)
	if m == nil {
		t.Fatalf("%q is not a place", at)
	}
	number := func(s string, otherwise int) int {
		if s == "" {
			return otherwise
		}
		n, _ := strconv.Atoi(s)
		return n
	}
	first := number(m[1], 0)
	last := number(m[2], first)
	for _, b := range header[first : last+1] {
		value = value<<8 | uint64(b)
	}
	width = 8 * (last - first + 1)
	if m[3] != "" {
		high := number(m[3], 0)
		low := number(m[4], high)
		width = high - low + 1
		value = value >> low & (1<<width - 1)
	}
	return value, width
}

// TestHeaderTable decodes random headers: each field has the bits that its place names.
func TestHeaderTable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	if n := len(HeaderTable()); n != 1+len(headerLens) {
		t.Fatalf("%d headers", n)
	}
	for i, h := range HeaderTable() {
		if i > 0 && (h.Bit != 1<<(i-1) || h.Len != headerLens[i-1]) {
			t.Errorf("%s is out of place", h.Name)
		}
		for range 100 {
			data, p := randomBytes(r, h.Len), Packet{}
			decode := func() error { return p.decodeHeader(h.Bit, data) }
			if h.Bit == 0 {
				decode = func() error { return p.BTH.Decode(data) }
			}
			if err := decode(); err != nil {
				t.Fatal(h.Name, err)
			}
			for _, f := range h.Fields {
				want, width := bitsAt(t, data, f.At)
				if got := f.Of(&p); got != want || width != f.Bits {
					t.Fatalf("%s %s is %#x of %d bits, want %#x of %d in % x", h.Name, f.Name, got, f.Bits, want,
						width, data)
				}
			}
		}
	}
}
