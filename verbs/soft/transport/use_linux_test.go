package transport

import (
	"errors"
	"net/netip"
	"os"
	"syscall"
	"testing"

	"rdmatui/verbs/soft/link"
	"rdmatui/verbs/verbstest"
)

// TestUseWithoutDescriptors: an engine that cannot watch its socket, or cannot sleep at it, keeps neither open.
func TestUseWithoutDescriptors(t *testing.T) {
	var e *link.Endpoint
	for n := byte(1); e == nil; n++ {
		var err error
		if e, err = link.Bind(netip.AddrFrom4([4]byte{127, 77, 6, n}), link.Options{}); err != nil && n == 200 {
			t.Skip("UDP port 4791 is not available here")
		}
	}
	port, err := e.Attach(func() {})
	ok(t, err)
	t.Cleanup(func() { ok(t, errors.Join(port.Close(), e.Close())) })
	files := verbstest.LimitDescriptors(t)
	for n, call := range []string{"epoll_create1", "eventfd", ""} { // the call that fails
		eng := NewEngine(new(Adapter))
		files.Allow(n)
		err := eng.Use(port)
		if failed := (*os.SyscallError)(nil); call == "" {
			ok(t, err)
			eng.rest.end()
		} else if !errors.As(err, &failed) || failed.Syscall != call || failed.Err != syscall.EMFILE {
			t.Errorf("with %d descriptors: %v, want %s to fail", n, err, call)
		}
		if left := files.Left(); left != n {
			t.Errorf("%d of %d descriptors are left", left, n)
		}
	}
}
