package softtest

import (
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"

	"rdmatui/verbs/verbstest/wirecheck"
)

// CheckWire checks all packets that the devices send against the rules of RoCE v2, until the test ends or sets taps
// itself.
func CheckWire(t testing.TB, p Provider) *wirecheck.Checker {
	c := wirecheck.New()
	for _, d := range Must(p.Devices())(t) {
		OK(t, p.TapPackets(d.Name, c.See))
	}
	t.Cleanup(func() { c.Report(t) })
	return c
}

// CheckHeld fails at the end of a test if a device still holds an object.
func CheckHeld(t testing.TB, p Provider) {
	t.Cleanup(func() {
		for _, held := range p.Held() {
			if !strings.HasPrefix(held, "connection manager: ") {
				t.Errorf("left on %s", held)
			}
		}
	})
}

// Virtual runs a test in virtual time, on a provider with a fixed seed.
func Virtual[P Provider](t *testing.T, open func(random func() uint64) P, body func(t *testing.T, p P)) {
	synctest.Test(t, func(t *testing.T) {
		p := open(rand.New(rand.NewPCG(1, 2)).Uint64)
		CheckWire(t, p)
		CheckHeld(t, p)
		body(t, p)
	})
}
