package wire

import (
	"testing"
	"time"

	"rdmatui/session"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/uitest"
	"rdmatui/verbs/wire"
)

// TestBegin: a capture opens at its first trouble, or without any at its first packet, and says so; a user who was
// faster stays where he is.
func TestBegin(t *testing.T) {
	calm := func(c *captured) *captured {
		for psn := range wire.PSN(3) {
			c.add(true, 0x22, time.Microsecond, request(wire.RCSendOnly, psn, 8))
		}
		return c
	}
	bad := newCaptured(t)
	bad.add(false, 0x12, 0, answer(wire.NAK(wire.NAKRemoteAccess), 7, 0))
	for name, tt := range map[string]struct {
		of   *captured
		key  string // pressed before the first frame
		at   int
		says string
	}{
		"trouble": {of: newCaptured(t).journey(), at: 4,
			says: "The first trouble: packet 5 of 8 packets. n goes to the next, g to the first packet"},
		"none": {of: calm(newCaptured(t)), says: "No trouble in this capture: this is its first packet"},
		"the first": {of: calm(bad),
			says: "The first trouble: packet 1 of 4 packets. n goes to the next, g to the first packet"},
		"touched": {of: newCaptured(t).journey(), key: "end", at: 7},
	} {
		x := &bench{t: t, sess: uitest.NewSession(t, session.Options{})}
		env := x.sess.Env(theme.New("none", true))
		env.Trace = tt.of.traceOf()
		if x.s = New(env); tt.key != "" {
			x.keys(tt.key)
		}
		said := ""
		for range 2 {
			if _, work := x.s.Refresh(&screen.State{}); work != nil {
				said += work().(screen.FlashMsg).Text
			}
		}
		if at := x.s.table.Cursor(); at != tt.at || said != tt.says {
			t.Errorf("%s: at %d with %q, want %d with %q", name, at, said, tt.at, tt.says)
		}
	}
}
