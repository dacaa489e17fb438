package soft

import (
	"testing"

	"rdmatui/verbs/verbstest/wirecheck"
)

// checkWire checks all packets that the devices send against the rules of RoCE v2, until the test ends or sets taps
// itself.
func checkWire(t testing.TB, p *Provider) *wirecheck.Checker {
	c := wirecheck.New()
	for _, a := range p.devices() {
		ok(t, p.TapPackets(a.name, c.See))
	}
	t.Cleanup(func() { c.Report(t) })
	return c
}

// checkHeld fails at the end of a test if a device still holds an object.
func checkHeld(t testing.TB, p *Provider) {
	t.Cleanup(func() {
		for _, a := range p.devices() {
			for _, held := range a.held() {
				t.Errorf("left on %s", held)
			}
		}
	})
}

// dontCheckWire disables checkWire for a test whose queue pairs disagree on what they send.
func dontCheckWire(t testing.TB, p *Provider) {
	for _, a := range p.devices() {
		ok(t, p.TapPackets(a.name, nil))
	}
}
