package transport

import (
	"encoding/hex"
	"net/netip"
	"testing"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/wire"
)

// TestGRH compares the 40 bytes before a datagram with the expected ones, field by field.
func TestGRH(t *testing.T) {
	for _, tt := range []struct {
		src, dst string
		header   link.Header
		want     string
	}{
		{"127.0.0.1", "239.0.0.2", link.Header{},
			"0000000000000000000000000000000000000000" + "4500003c000040004011ccad" + "7f000001" + "ef000002"},
		{"127.0.0.1", "127.0.0.2", link.Header{TrafficClass: 0xb9, HopLimit: 3, FlowLabel: 7},
			"0000000000000000000000000000000000000000" + "45b9003c00004000031178f5" + "7f000001" + "7f000002"},
		{"fe80::1", "fe80::2", link.Header{TrafficClass: 0xb9, HopLimit: 3, FlowLabel: 0xfedcb}, "6b9fedcb" + "0028" +
			"11" + "03" + "fe800000000000000000000000000001" + "fe800000000000000000000000000002"},
		{"fe80::1", "ff0e::1:2", link.Header{}, "60000000" + "0028" + "11" + "40" + "fe800000000000000000000000000001" +
			"ff0e0000000000000000000000010002"},
	} {
		way := newPath(t, netip.AddrPortFrom(netip.MustParseAddr(tt.src), 50000),
			netip.AddrPortFrom(netip.MustParseAddr(tt.dst), wire.Port))
		var grh [verbs.GRHLen]byte
		putGRH(&grh, way.With(tt.header), 5)
		if got := hex.EncodeToString(grh[:]); got != tt.want {
			t.Errorf("%s to %s\ngot  %s\nwant %s", tt.src, tt.dst, got, tt.want)
		}
	}
}

func TestGRHOfIPv4(t *testing.T) {
	path := newPath(t, netip.MustParseAddrPort("127.0.0.1:50000"), netip.MustParseAddrPort("127.0.0.2:4791"))
	var grh [verbs.GRHLen]byte
	putGRH(&grh, path, 5)
	want := "4500003c000040004011" + "****" + "7f000001" + "7f000002" // the checksum is verified separately
	if got := hex.EncodeToString(grh[20:]); got[:20] != want[:20] || got[24:] != want[24:] {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if wire.IPChecksum(grh[20:]) != 0 {
		t.Error("wrong checksum")
	}
}

func newPath(t *testing.T, src, dst netip.AddrPort) *link.Path {
	t.Helper()
	path, err := link.NewPath(src, dst)
	ok(t, err)
	return path
}
