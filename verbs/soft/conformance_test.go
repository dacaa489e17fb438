package soft_test

import (
	"testing"

	"rdmatui/verbs/soft"
	"rdmatui/verbs/verbstest"
)

// quirks lists where the devices differ on purpose: a user who posts by hand is better served by an error than by
// silence.
var quirks = []verbstest.Quirk{verbstest.LongDatagramFails}

// TestConformance runs the suite that the kernel's device passes on both devices.
func TestConformance(t *testing.T) {
	for device, peer := range map[string]string{"soft0": "soft1", "soft1": "soft0"} {
		t.Run(device, func(t *testing.T) {
			verbstest.Run(t, verbstest.Env{Provider: soft.New(soft.Options{}), Device: device, Peer: peer,
				Quirks: quirks, Placement: true, OnDemand: true, DeviceMemory: true, DMABuf: true,
				DataInOrder: true})
		})
	}
}
