package device

import (
	"testing"

	"rdmatui/verbs"
)

// TestNeedsGRH: every path needs a GRH where ports have no LIDs.
func TestNeedsGRH(t *testing.T) {
	for _, tt := range []struct {
		port verbs.PortAttr
		want bool
	}{
		{verbs.PortAttr{LinkLayer: verbs.LinkEthernet}, true},
		{verbs.PortAttr{LinkLayer: verbs.LinkInfiniBand, LID: 3}, false},
		{verbs.PortAttr{LinkLayer: verbs.LinkInfiniBand, LID: 3, Flags: verbs.PortGRHRequired}, true},
		{verbs.PortAttr{LinkLayer: verbs.LinkUnspecified}, true}, // EFA
		{verbs.PortAttr{LinkLayer: verbs.LinkUnspecified, LID: 3}, false},
	} {
		d := &Device{Ports: []verbs.PortAttr{tt.port}}
		if got := d.NeedsGRH(1); got != tt.want {
			t.Errorf("%s, LID %d, flags %d: %v", tt.port.LinkLayer, tt.port.LID, tt.port.Flags, got)
		}
	}
}
