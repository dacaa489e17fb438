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

// removable makes a device of its own, so that its removal disturbs no other test.
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

// connectionAt makes a connection with both ends at one address.
func (r *cmRig) connectionAt(addr netip.Addr) *connection {
	r.Helper()
	c := &connection{listeners: r.channel(), clients: r.channel()}
	c.listener = r.id(c.listeners, verbs.PortSpaceTCP)
	r.must(c.listener.BindAddr(netip.AddrPortFrom(addr, 0)))
	r.must(c.listener.Listen(1))
	r.join(c)
	return c
}

// join connects a new identifier to the listener.
func (r *cmRig) join(c *connection) {
	r.Helper()
	id := r.id(c.clients, verbs.PortSpaceTCP)
	r.must(id.ResolveAddr(netip.AddrPort{}, c.listener.LocalAddr(), time.Second))
	r.want(c.clients, verbs.CMAddrResolved, id)
	r.must(id.ResolveRoute(time.Second))
	r.want(c.clients, verbs.CMRouteResolved, id)
	c.client = r.endpoint(id)
	r.must(id.Connect(verbs.CMConnParam{}))
	request := r.next(c.listeners)
	r.closeAtEnd(request.ID)
	c.server = r.endpoint(request.ID)
	r.receive(c.server)
	r.must(request.ID.Accept(verbs.CMConnParam{}))
	r.want(c.clients, verbs.CMEstablished, id)
	r.want(c.listeners, verbs.CMEstablished, request.ID)
}

// TestCMDeviceRemoval removes the device of a connection. The kernel delays the removal
// until the last user has closed the device.
func TestCMDeviceRemoval(t *testing.T) {
	vmtest.Need(t)
	r := openCM(t)
	name, addr := removable(t)
	c := r.connectionAt(addr)
	client, server, clients, listeners, listener := c.client, c.server, c.clients, c.listeners, c.listener
	dev := client.Device()
	if dev.Info().Name != name {
		t.Errorf("the device is %s", dev.Info().Name)
	}

	removed := remove(name)
	r.removals(clients, client.CMID)
	r.removals(listeners, listener, server.CMID)
	_ = client.Disconnect() // fails without harm if it is too late
	r.closeAll(client, server)
	r.must(listener.Close())
	r.gone(removed)
	if _, err := dev.QueryDevice(); !errors.Is(err, verbs.ErrClosed) {
		t.Errorf("the device is still open: %v", err)
	}
}

// remove makes the kernel remove a device, which ends when its last user has closed it.
func remove(device string) <-chan error {
	removed := make(chan error, 1)
	go func() { removed <- exec.Command("rdma", "link", "delete", device).Run() }()
	return removed
}

func (r *cmRig) gone(removed <-chan error) {
	r.Helper()
	select {
	case err := <-removed:
		r.must(err)
	case <-time.After(patience):
		r.Error("the removal still waits for a user")
	}
}

func (r *cmRig) closeAll(endpoints ...*endpoint) {
	r.Helper()
	for _, e := range endpoints {
		r.must(e.qp.Close())
		r.must(e.mr.Close())
		r.must(e.cq.Close())
		r.must(e.pd.Close())
		r.must(e.Close())
	}
}

// removals waits until each of the identifiers has got its removal event. The
// connection ends as well, so other events may come first.
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
