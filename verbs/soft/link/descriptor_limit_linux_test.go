package link

import (
	"errors"
	"net/netip"
	"os"
	"syscall"
	"testing"

	"rdmatui/verbs/verbstest"
	"rdmatui/verbs/wire"
)

// TestDescriptorsRunOut binds an endpoint, and opens everything on it, with ever more descriptors: the call that needs
// one more fails, and what was opened before is closed.
func TestDescriptorsRunOut(t *testing.T) {
	bound := freeLoopback(t, Options{})
	bind := func() error {
		e, err := Bind(bound.Addr().Next(), Options{})
		if err == nil {
			err = e.Close()
		}
		return err
	}
	open := func() error {
		u, err := bound.Attach(func() {})
		must(t, err)
		defer u.Close()
		w, err := u.Watch(func() {})
		if err != nil {
			return err
		}
		defer w.Close()
		s, err := u.NewSleeper()
		if err != nil {
			return err
		}
		defer s.Close()
		if err := u.Join(group4); err != nil {
			return errors.Join(err, u.Leave(group4))
		}
		return u.Leave(group4)
	}
	if err := bind(); errors.Is(err, syscall.EADDRINUSE) {
		t.Skip(err)
	}
	must(t, open())           // opens the runtime's own descriptors, too
	nowhere := func() error { // the interface does not exist
		_, err := openGroup(netip.AddrPortFrom(group4, wire.Port), bound.Addr(), 1<<30)
		if errors.Is(err, syscall.ENODEV) {
			return nil
		}
		return err
	}
	files := verbstest.LimitDescriptors(t)
	for _, tt := range []struct {
		do    func() error
		calls []string // the one that fails with no descriptor, with one, and so on
	}{{bind, []string{"socket", "eventfd", "fcntl", ""}}, {open,
		[]string{"epoll_create1", "eventfd", "socket", "fcntl", ""}}, {nowhere, []string{"socket", "fcntl", ""}}} {
		for n, call := range tt.calls {
			files.Allow(n)
			err := tt.do()
			if left := files.Left(); left != n {
				t.Errorf("%d of %d descriptors are left after %v", left, n, err)
			}
			if call == "" {
				must(t, err)
			} else if failed := (*os.SyscallError)(nil); !errors.As(err, &failed) || failed.Syscall != call ||
				failed.Err != syscall.EMFILE {
				t.Errorf("with %d descriptors: %v, want %s to fail", n, err, call)
			}
		}
	}
}
