package cm

import (
	"net/netip"
	"testing"
)

// TestCallValues: an address and private data as a call shows them.
func TestCallValues(t *testing.T) {
	for data, want := range map[string]string{"": "NULL", "a": `"a"`, "a\x00b": `"a\0b"`} {
		if got := cData([]byte(data)); got != want {
			t.Errorf("%q: %s, want %s", data, got, want)
		}
	}
	for addr, want := range map[netip.AddrPort]string{{}: "NULL",
		netip.MustParseAddrPort("[fe80::1]:7"): `"[fe80::1]:7"`} {
		if got := cAddr(addr); got != want {
			t.Errorf("%s: %s, want %s", addr, got, want)
		}
	}
}
