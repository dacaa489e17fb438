package wire

import (
	"testing"
	"time"
)

func TestSyndrome(t *testing.T) {
	cases := []struct {
		s    Syndrome
		raw  uint8
		kind SyndromeKind
		text string
	}{
		{ACKUnlimited, 0x1f, SyndromeACK, "ACK"},
		{ACKWithCredits(0), 0x00, SyndromeACK, "ACK credits 0"},
		{ACKWithCredits(6), 0x05, SyndromeACK, "ACK credits 6"},
		{ACKWithCredits(7), 0x05, SyndromeACK, "ACK credits 6"}, // no code for 7
		{ACKWithCredits(32768), 0x1e, SyndromeACK, "ACK credits 32768"},
		{ACKWithCredits(1 << 20), 0x1e, SyndromeACK, "ACK credits 32768"},
		{ACKWithCredits(-1), 0x00, SyndromeACK, "ACK credits 0"},
		{RNRNAK(0), 0x20, SyndromeRNR, "RNR NAK 655.36 ms"},
		{RNRNAK(12), 0x2c, SyndromeRNR, "RNR NAK 0.64 ms"},
		{RNRNAK(31), 0x3f, SyndromeRNR, "RNR NAK 491.52 ms"},
		{NAK(NAKPSNSequence), 0x60, SyndromeNAK, "NAK PSN sequence error"},
		{NAK(NAKInvalidRequest), 0x61, SyndromeNAK, "NAK invalid request"},
		{NAK(NAKRemoteAccess), 0x62, SyndromeNAK, "NAK remote access error"},
		{NAK(NAKRemoteOperational), 0x63, SyndromeNAK, "NAK remote operational error"},
		{NAK(NAKInvalidRDRequest), 0x64, SyndromeNAK, "NAK invalid RD request"},
		{0x65, 0x65, SyndromeNAK, "NAK unknown(0x05)"},
		{0x40, 0x40, 2, "unknown(0x40)"}, // reserved
		{0xff, 0xff, 7, "unknown(0xff)"}, // high bit reserved
	}
	for _, c := range cases {
		if uint8(c.s) != c.raw || c.s.Kind() != c.kind || c.s.String() != c.text {
			t.Errorf("%#02x kind %d %q, want %#02x kind %d %q", uint8(c.s), c.s.Kind(), c.s, c.raw, c.kind, c.text)
		}
	}
}

// TestSyndromeValues encodes and decodes every value.
func TestSyndromeValues(t *testing.T) {
	for v := range uint8(32) {
		if got := RNRNAK(RNRTimer(v)).RNRTimer(); got != RNRTimer(v) {
			t.Errorf("RNR timer %d came back as %d", v, got)
		}
		if got := NAK(NAKCode(v)).NAKCode(); got != NAKCode(v) {
			t.Errorf("NAK code %d came back as %d", v, got)
		}
		n, limited := Syndrome(v).Credits()
		if limited != (v != 31) || !limited && n != 0 {
			t.Errorf("credit code %d: %d, limited: %v", v, n, limited)
		}
		if limited && ACKWithCredits(n) != Syndrome(v) {
			t.Errorf("credit code %d means %d, which encodes as %d", v, n, ACKWithCredits(n))
		}
	}
}

// TestCreditSteps checks the rule of the credit table: from 2 on, each power of two is followed by one and a half times
// itself.
func TestCreditSteps(t *testing.T) {
	want := []int{0, 1}
	for n := 2; n <= 32768; n *= 2 {
		want = append(want, n)
		if n < 32768 {
			want = append(want, n+n/2)
		}
	}
	for code, w := range want {
		if n, _ := Syndrome(code).Credits(); n != w {
			t.Errorf("credit code %d means %d, want %d", code, n, w)
		}
	}
	if len(want) != noCredits {
		t.Fatalf("%d codes", len(want))
	}
}

func TestRNRTimer(t *testing.T) {
	cases := []struct {
		code RNRTimer
		want time.Duration
	}{
		{0, 655360 * time.Microsecond},
		{1, 10 * time.Microsecond},
		{4, 40 * time.Microsecond},
		{5, 60 * time.Microsecond},
		{12, 640 * time.Microsecond},
		{14, 1280 * time.Microsecond},
		{20, 10240 * time.Microsecond},
		{30, 327680 * time.Microsecond},
		{31, 491520 * time.Microsecond},
		{32, 655360 * time.Microsecond}, // only five bits count
	}
	for _, c := range cases {
		if got := c.code.Duration(); got != c.want {
			t.Errorf("timer %d is %v, want %v", c.code, got, c.want)
		}
	}
	// From 2 on, each second code doubles the time.
	for code := RNRTimer(2); code+2 < 32; code++ {
		if code != 3 && (code+2).Duration() != 2*code.Duration() {
			t.Errorf("timer %d is %v, timer %d is %v", code, code.Duration(), code+2, (code + 2).Duration())
		}
	}
}
