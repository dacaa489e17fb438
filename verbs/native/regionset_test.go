package native

import (
	"math"
	"testing"

	"rdmatui/verbs"
)

func TestRegionSet(t *testing.T) {
	var s regionSet
	s.insert(addressRange{start: 0x3000, end: 0x3100})
	s.insert(addressRange{start: 0x1000, end: 0x2000})
	s.insert(addressRange{start: 0x2000, end: 0x2800}) // directly after the previous one
	tests := []struct {
		addr   uint64
		length uint32
		want   bool
	}{
		{0x1000, 0x1000, true},
		{0x1fff, 1, true},
		// crosses into the next region: a driver would copy it in pieces, but no single region contains it
		{0x1fff, 2, false},
		{0x2000, 0x800, true},
		{0x2800, 1, false},
		{0x2801, 1, false},
		{0xfff, 2, false},
		{0xfff, 1, false},
		{0x30ff, 1, true},
		{0x30ff, 2, false},
		{0x3100, 1, false},
		{math.MaxUint64, 2, false},
		{0x3000, math.MaxUint32, false},
		{0, 0, true}, // nothing is read
	}
	for _, tt := range tests {
		if got := s.holds([]verbs.SGE{{Addr: tt.addr, Length: tt.length}}); got != tt.want {
			t.Errorf("0x%x+0x%x: %v, want %v", tt.addr, tt.length, got, tt.want)
		}
	}
	if s.holds([]verbs.SGE{{Addr: 0x1000, Length: 1}, {Addr: 0x9000, Length: 1}}) {
		t.Error("one element inside hides one outside")
	}
	s.remove(0x2000)
	s.remove(0x7777) // not a region: no effect
	if s.holds([]verbs.SGE{{Addr: 0x2000, Length: 1}}) ||
		!s.holds([]verbs.SGE{{Addr: 0x1000, Length: 1}, {Addr: 0x3000, Length: 1}}) {
		t.Error("the wrong region was removed")
	}
}
