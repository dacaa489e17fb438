package soft_test

import (
	"testing"

	"rdmatui/verbs/soft"
	"rdmatui/verbs/verbstest"
)

// TestConformance holds both devices to the suite that the kernel's device passes too.
func TestConformance(t *testing.T) {
	for _, device := range []string{"soft0", "soft1"} {
		t.Run(device, func(t *testing.T) {
			verbstest.Run(t, verbstest.Env{Provider: soft.New(soft.Options{}), Device: device})
		})
	}
}
