package cm

import (
	"testing"
)

// TestLookUpHost looks up this host.
func TestLookUpHost(t *testing.T) {
	if got, err := lookUpHost(t.Context(), "localhost"); err != nil || !got.IsLoopback() ||
		got.Is4In6() || got.Zone() != "" {
		t.Errorf("localhost is %s, %v", got, err)
	}
}
