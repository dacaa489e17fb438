package cm

import (
	"net/netip"
	"testing"
)

// TestLookUpHost looks up this host.
func TestLookUpHost(t *testing.T) {
	if got, err := lookUpHost(t.Context(), "localhost"); err != nil || !got.IsLoopback() ||
		got != netip.MustParseAddr(got.String()) {
		t.Errorf("localhost is %s, %v", got, err)
	}
}
