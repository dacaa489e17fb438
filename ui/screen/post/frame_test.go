package post

import (
	"testing"

	"rdmatui/session/preflight"
	"rdmatui/ui/theme"
)

// A change checks the request once, and once more to learn whether the usual values would mend it; frames and keys that
// change nothing check nothing.
func TestChecksOncePerChange(t *testing.T) {
	d, _, s, _ := start(t, theme.New("none", true))
	asked, m := 0, mends[preflight.FixTarget]
	defer func() { mends[preflight.FixTarget] = m }()
	mends[preflight.FixTarget] = mend{m.hint, m.do, func(r *request, f *preflight.Finding) string {
		asked++
		return m.cannot(r, f)
	}}
	s.turnTo("opcode", "RDMA_WRITE")
	for _, typed := range []string{"dst.addr+4096", "dst.addr+8192"} {
		asked = 0
		s.turnTo("remote_addr", typed)
		for range 3 {
			d.Keys("down")
			d.View(160, 48)
			s.Context()
		}
		if asked != 1 {
			t.Errorf("%s: whether f helps was asked %d times, want 1", typed, asked)
		}
	}
}
