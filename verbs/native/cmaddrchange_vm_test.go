package native_test

import (
	"fmt"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"rdmatui/verbs"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// bonded makes a device on a bond of two interfaces; the bond has the hardware address
// of the active one.
func bonded(t *testing.T) netip.Addr {
	t.Helper()
	run(t, "ip", "link", "add", "b0", "type", "bond", "mode", "active-backup", "fail_over_mac", "active")
	t.Cleanup(func() { run(t, "ip", "link", "del", "b0") })
	for _, name := range []string{"b1", "b2"} {
		run(t, "ip", "link", "add", name, "type", "veth", "peer", "name", name+"p")
		t.Cleanup(func() { run(t, "ip", "link", "del", name) })
		run(t, "ip", "link", "set", name+"p", "up")
		run(t, "ip", "link", "set", name, "master", "b0")
	}
	run(t, "ip", "link", "set", "b0", "up")
	run(t, "ip", "addr", "add", "10.97.0.1/24", "dev", "b0")
	run(t, "rdma", "link", "add", "rxe8", "type", "rxe", "netdev", "b0")
	return netip.MustParseAddr("10.97.0.1")
}

// TestCMAddrChange makes the bond fail over: the kernel notifies each identifier that
// is bound to it. It also creates the bond's GIDs anew, so that existing queue pairs
// have no source GID; the identifiers stay usable, and a new connection works.
func TestCMAddrChange(t *testing.T) {
	vmtest.Need(t)
	addr := bonded(t)
	r := openCM(t)
	c := r.connectionAt(addr)
	run(t, "ip", "link", "set", "b0", "type", "bond", "active_slave", "b2")
	r.changes(c.clients, c.client.CMID)
	r.changes(c.listeners, c.listener, c.server.CMID)
	old := *c
	attr, _, err := old.client.qp.Query(verbs.AttrAV)
	r.must(err)
	r.otherGID("rxe8", addr, int(attr.AH.GRH.SGIDIndex))
	r.join(c)
	r.message(c.client, c.server, "a new connection")
	for _, e := range []*endpoint{old.client, c.client} {
		r.must(e.Disconnect())
	}
	r.closeAll(old.client, old.server, c.client, c.server)
	removed := remove("rxe8") // the library keeps it open until it gets the removal event
	r.removals(c.listeners, c.listener)
	r.must(c.listener.Close())
	r.gone(removed)
}

// otherGID waits until an address has a GID at another index.
func (r *cmRig) otherGID(device string, addr netip.Addr, before int) {
	r.Helper()
	want := verbs.GIDFromAddr(addr)
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		for index := range 16 {
			text, err := os.ReadFile(fmt.Sprintf("/sys/class/infiniband/%s/ports/1/gids/%d", device, index))
			if gid, _ := verbs.ParseGID(strings.TrimSpace(string(text))); err == nil && gid == want && index != before {
				return
			}
		}
		if time.Now().After(deadline) {
			r.Fatal("the address has no new GID")
		}
	}
}

// changes waits until each of the identifiers has got its event.
func (r *cmRig) changes(ch verbs.CMEventChannel, ids ...verbs.CMID) {
	r.Helper()
	told := map[verbs.CMID]bool{}
	for range ids {
		event := r.next(ch)
		if event.Type != verbs.CMAddrChange || event.Status != 0 {
			r.Fatalf("%s, status %d", event.Type, event.Status)
		}
		told[event.ID] = true
	}
	for _, id := range ids {
		if !told[id] {
			r.Errorf("%v got no event", id)
		}
	}
}
