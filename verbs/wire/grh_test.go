package wire

import (
	"encoding/hex"
	"net/netip"
	"testing"
)

const (
	grhOfIPv6 = "6a012345001c1140" + "20010db8000000000000000000000001" + "20010db8000000000000000000000002"
	noMeaning = "0000000000000000000000000000000000000000"
)

func TestGRH(t *testing.T) {
	// This header is the usual example in explanations of the checksum.
	v4 := noMeaning + "45000073000040004011b861c0a80001c0a800c7"
	ip4 := GRH{
		Version: 4, Length: 0x73, NextHeader: 17, HopLimit: 64, SGID: netip.MustParseAddr("192.168.0.1"),
		DGID: netip.MustParseAddr("192.168.0.199"), ChecksumOK: true,
	}
	wrong := ip4
	wrong.ChecksumOK = false
	ip6 := GRH{Version: 6, TrafficClass: 0xa0, FlowLabel: 0x12345, Length: 28, NextHeader: 17, HopLimit: 64,
		SGID: netip.MustParseAddr("2001:db8::1"), DGID: netip.MustParseAddr("2001:db8::2")}
	like4 := ip6
	like4.SGID = netip.MustParseAddr("2001:db8:0:0:0:0:4500:1")
	for name, tt := range map[string]struct {
		text string
		want GRH
		ok   bool
	}{
		"IPv6":                                 {grhOfIPv6, ip6, true},
		"IPv4":                                 {v4, ip4, true},
		"IPv4 after bytes that look like IPv6": {"6" + v4[1:], ip4, true},
		"IPv6 from an address that looks like an IPv4 header": {grhOfIPv6[:40] + "45" + grhOfIPv6[42:], like4, true},
		"IPv4, wrong checksum":                                {v4[:60] + "b862" + v4[64:], wrong, true},
		"neither":                                             {noMeaning + noMeaning, GRH{}, false},
		"short":                                               {v4[:78], GRH{}, false},
		"empty":                                               {"", GRH{}, false},
	} {
		p, err := hex.DecodeString(tt.text)
		if err != nil {
			t.Fatal(name, err)
		}
		var h GRH
		if err := h.Decode(p); (err == nil) != tt.ok || h != tt.want {
			t.Errorf("%s: %+v, %v", name, h, err)
		}
	}
}

// TestIPChecksum: carries beyond 16 bits are added again until none is left.
func TestIPChecksum(t *testing.T) {
	for text, want := range map[string]uint16{"": 0xffff, "0001": 0xfffe, "ffff": 0, "fffffffe": 1, "ffff0001": 0xfffe,
		"ffffffff0001": 0xfffe} {
		p, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := IPChecksum(p); got != want {
			t.Errorf("%q: 0x%04x, want 0x%04x", text, got, want)
		}
	}
}

func FuzzGRH(f *testing.F) {
	for _, text := range []string{grhOfIPv6, noMeaning + noMeaning, ""} {
		p, _ := hex.DecodeString(text)
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		var h GRH
		if err := h.Decode(p); err == nil &&
			(h.Version != 4 && h.Version != 6 || h.FlowLabel >= 1<<20 || !h.SGID.IsValid()) {
			t.Errorf("%+v", h)
		}
	})
}
