package native_test

import (
	"errors"
	"net/netip"
	"os/exec"
	"slices"
	"testing"
	"time"

	"rdmatui/verbs"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// removable is a device of its own, so that its removal disturbs no other test.
func removable(t *testing.T) (name string, addr netip.Addr) {
	t.Helper()
	run(t, "ip", "link", "add", "r0", "type", "veth", "peer", "name", "r1")
	t.Cleanup(func() { run(t, "ip", "link", "del", "r0") })
	run(t, "ip", "addr", "add", "10.99.0.1/24", "dev", "r0")
	run(t, "ip", "link", "set", "r0", "up")
	run(t, "ip", "link", "set", "r1", "up")
	run(t, "rdma", "link", "add", "rxe9", "type", "rxe", "netdev", "r0")
	return "rxe9", netip.MustParseAddr("10.99.0.1")
}

// TestCMDeviceRemoval takes the device away in mid-connection. The kernel waits
// with the removal until the last user has closed it.
func TestCMDeviceRemoval(t *testing.T) {
	vmtest.Need(t)
	r := openCM(t)
	name, addr := removable(t)
	listeners := r.channel()
	listener := r.id(listeners, verbs.PortSpaceTCP)
	r.must(listener.BindAddr(netip.AddrPortFrom(addr, 0)))
	r.must(listener.Listen(1))
	clients := r.channel()
	id := r.id(clients, verbs.PortSpaceTCP)
	r.must(id.ResolveAddr(netip.AddrPort{}, listener.LocalAddr(), time.Second))
	r.want(clients, verbs.CMAddrResolved, id)
	r.must(id.ResolveRoute(time.Second))
	r.want(clients, verbs.CMRouteResolved, id)
	client := r.endpoint(id)
	r.must(id.Connect(verbs.CMConnParam{}))
	request := r.next(listeners)
	r.closeAtEnd(request.ID)
	server := r.endpoint(request.ID)
	r.must(request.ID.Accept(verbs.CMConnParam{}))
	r.want(clients, verbs.CMEstablished, id)
	r.want(listeners, verbs.CMEstablished, request.ID)
	dev := id.Device()
	if dev.Info().Name != name {
		t.Errorf("the device is %s", dev.Info().Name)
	}

	removed := make(chan error, 1)
	go func() { removed <- exec.Command("rdma", "link", "delete", name).Run() }()
	r.removals(clients, id)
	r.removals(listeners, listener, request.ID)
	_ = id.Disconnect() // it may be too late, and does no harm
	for _, e := range []*endpoint{client, server} {
		r.must(e.qp.Close())
		r.must(e.mr.Close())
		r.must(e.cq.Close())
		r.must(e.pd.Close())
		r.must(e.Close())
	}
	r.must(listener.Close())
	select {
	case err := <-removed:
		r.must(err)
	case <-time.After(patience):
		t.Error("the removal still waits for a user")
	}
	if _, err := dev.QueryDevice(); !errors.Is(err, verbs.ErrClosed) {
		t.Errorf("the device is still open: %v", err)
	}
}

// removals waits until each of the identifiers was told that its device is gone.
// As the connection ends, too, other events may come first.
func (r *cmRig) removals(ch verbs.CMEventChannel, ids ...verbs.CMID) {
	r.Helper()
	for len(ids) > 0 {
		switch event := r.next(ch); event.Type {
		case verbs.CMDeviceRemoval:
			ids = slices.DeleteFunc(ids, func(id verbs.CMID) bool { return id == event.ID })
		case verbs.CMDisconnected, verbs.CMTimewaitExit:
		default:
			r.Fatalf("%s, status %d", event.Type, event.Status)
		}
	}
}
