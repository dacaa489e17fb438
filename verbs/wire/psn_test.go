package wire

import "testing"

func TestPSN(t *testing.T) {
	cases := []struct {
		from PSN
		n    int
		want PSN
	}{
		{0, 0, 0},
		{0, 1, 1},
		{0xffffff, 1, 0},         // wrap
		{0, -1, 0xffffff},        // wrap backwards
		{0xfffffe, 5, 3},         // across the wrap
		{0x7fffff, 1, 0x800000},  // no sign bit here
		{5, 0x7fffff, 0x800004},  // the farthest after
		{5, -0x800000, 0x800005}, // the farthest before
		{0x123456, 0x1000, 0x124456},
	}
	for _, c := range cases {
		got := c.from.Add(c.n)
		if got != c.want {
			t.Errorf("%v + %d = %v, want %v", c.from, c.n, got, c.want)
		}
		if d := c.want.Sub(c.from); d != c.n {
			t.Errorf("%v - %v = %d, want %d", c.want, c.from, d, c.n)
		}
		sign := 0
		switch {
		case c.n > 0:
			sign = 1
		case c.n < 0:
			sign = -1
		}
		if s := c.want.Compare(c.from); s != sign {
			t.Errorf("%v compared with %v = %d, want %d", c.want, c.from, s, sign)
		}
	}
}

func TestPSNIgnoresHighBits(t *testing.T) {
	if d := PSN(0xff000002).Sub(0xaa000001); d != 1 {
		t.Errorf("difference %d, want 1", d)
	}
	if p := PSN(0xff000002).Add(1); p != 3 {
		t.Errorf("sum %v, want 3", p)
	}
	if s := PSN(0xff00000a).String(); s != "0x00000a" {
		t.Errorf("text %q", s)
	}
}
