package ui

import (
	"testing"

	"rdmatui/ui/uitest"
)

// TestStripWaits: a SEND without a RECV shows in the strip on every screen, until it is through.
func TestStripWaits(t *testing.T) {
	g := newGuided(t, 120, 40, "first-write", append(append([]string{}, uitest.BenchLines...), "connect_qps a b",
		"post_send a SEND sge=src:0:8 send_flags=SIGNALED")...)
	for _, screen := range []string{"1", "2", "6", "9"} {
		g.Keys(screen)
		g.WaitFor("1 waiting: RNR")
	}
	g.sess.Do("post_recv b sge=dst:0:64")
	g.WaitFor("2 ok")
	if !g.Until(func() bool { return !g.Contains("waiting: RNR") }) {
		t.Errorf("the strip tells of a request that is through:\n%s", g.View())
	}
}
