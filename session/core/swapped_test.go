package core

import "testing"

func TestSwapped(t *testing.T) {
	for _, tt := range []struct {
		given, right uint64
		want         bool
	}{
		{0x01020304, 0x04030201, true},                 // 32 bits
		{0xbc0a0000, 0x0abc, true},                     // a queue pair number as ntohl makes it
		{0x563412, 0x123456, true},                     // 24 bits
		{0x56341200, 0x123456, true},                   // 24 bits in a 32-bit number
		{0x0807060504030201, 0x0102030405060708, true}, // an address
		{0x00104a0f707f0000, 0x00007f700f4a1000, true},
		{0x01020304, 0x01020304, false}, {0x01020304, 0x04030202, false},
		{0x11223344, 0x22114433, false}, // halves are something else
		{0, 0, false}, {5, 6, false}, {0x12211221, 0x12211221, false},
	} {
		if got := Swapped(tt.given, tt.right); got != tt.want {
			t.Errorf("%#x of %#x: %t", tt.given, tt.right, got)
		}
	}
}
