package soft

import (
	"errors"
	"net"
	"testing"

	"rdmatui/verbs/soft/link"
)

// TestOpenUnusable opens a device whose socket cannot be watched: the link is closed again, so that its port can be
// attached later.
func TestOpenUnusable(t *testing.T) {
	p := loopbackProvider(t)
	a := p.devices()[0]
	var port *link.UDP
	a.attach = func(wake func()) (link.Link, error) {
		e := must(bindPlain(a.addrs[0].Next().Next()))(t)
		port = must(e.Attach(wake))(t)
		return port, e.Close()
	}
	wantErr(t, "Open", second(p.Open("soft0")), net.ErrClosed)
	if _, err := port.Attach(func() {}); !errors.Is(err, net.ErrClosed) { // EBUSY: still attached
		t.Errorf("attached again: %v", err)
	}
	if held := p.Held(); held != nil {
		t.Errorf("held: %q", held)
	}
}
