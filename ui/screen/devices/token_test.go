package devices

import (
	"testing"

	"rdmatui/ui/uitest"
	"rdmatui/verbs"
)

// A port that is DOWN (1) is a warning, ACTIVE is not; what blocks every program is an error.
func TestTokens(t *testing.T) {
	d, r := startIn(t, twoPorts(1, verbs.PortActive), uitest.Tokens(), 160, 50)
	uitest.Golden(t, "ports", uitest.Marked(t, d.Raw(), "mlx4_0", "DOWN", "ACTIVE"))
	press(d, r, "d")
	uitest.Golden(t, "doctor", uitest.Marked(t, d.Raw(), "rdma_class", "blocking"))
}
