package link

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"

	"rdmatui/verbs/wire"
)

// maxMemberships limits the groups of a link, because each needs a socket.
const maxMemberships = 256

// groups holds the multicast groups of a link. A socket bound to an address of the host receives nothing that is sent
// to a group, so each group has its own socket, bound to the group's address.
type groups struct {
	mu     sync.Mutex
	byAddr map[netip.Addr]*membership
	closed bool
	// all is the list of receivers, read without the lock.
	all atomic.Pointer[[]*receiver]
}

// membership is one group with its socket.
type membership struct {
	in      receiver
	joined  int // number of joins
	running sync.WaitGroup
}

// Join adds the link to a multicast group; see [Link].
func (u *UDP) Join(group netip.Addr) error {
	group = group.Unmap().WithZone("")
	if !group.IsMulticast() || group.Is4() != u.addr.Is4() {
		return syscall.EINVAL
	}
	if u.addr == netip.IPv6Loopback() {
		return errNoRoute
	}
	g := &u.groups
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return net.ErrClosed
	}
	m := g.byAddr[group]
	if m == nil {
		if len(g.byAddr) >= maxMemberships {
			return syscall.ENOMEM
		}
		var err error
		if m, err = u.join(group); err != nil {
			return fmt.Errorf("joining %s on %s: %w", group, u.netdev.Name, err)
		}
		if g.byAddr == nil {
			g.byAddr = map[netip.Addr]*membership{}
		}
		g.byAddr[group] = m
		g.publish()
	}
	m.joined++
	return nil
}

// join opens a group's socket and starts to listen on it.
func (u *UDP) join(group netip.Addr) (*membership, error) {
	at := netip.AddrPortFrom(group, wire.Port)
	sock, err := openGroup(at, u.addr, u.netdev.Index)
	if err != nil {
		return nil, err
	}
	sock.showHeaders(true) // only datagrams arrive, and their receivers read the header
	m := &membership{}
	m.in.init(u, sock, at)
	m.running.Go(m.in.listen)
	return m, nil
}

// end closes the group's socket and waits for its listener.
func (m *membership) end() {
	m.in.close()
	m.in.sock.conn.Close()
	m.running.Wait()
}

// Leave ends a membership; see [Link].
func (u *UDP) Leave(group netip.Addr) error {
	group = group.Unmap().WithZone("")
	g := &u.groups
	g.mu.Lock()
	defer g.mu.Unlock()
	m := g.byAddr[group]
	if m == nil {
		return syscall.EADDRNOTAVAIL
	}
	if m.joined--; m.joined == 0 {
		delete(g.byAddr, group)
		g.publish()
		m.end()
	}
	return nil
}

// publish replaces the list of receivers; mu is held.
func (g *groups) publish() {
	var all []*receiver
	for _, m := range g.byAddr {
		all = append(all, &m.in)
	}
	g.all.Store(&all)
}

// take appends at most limit packets received from the groups.
func (g *groups) take(into []*Packet, limit int) []*Packet {
	all := g.all.Load()
	if all == nil {
		return into
	}
	for _, r := range *all {
		had := len(into)
		if limit > 0 {
			into = r.take(into, limit)
		}
		limit -= len(into) - had
	}
	return into
}

// close ends all memberships.
func (g *groups) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	for _, m := range g.byAddr {
		m.end()
	}
	g.byAddr = nil
	g.publish()
}

// multicastTTL is how many routers a packet to a group may cross: as many as a unicast packet by default.
const multicastTTL = 64

// errNoRoute means that a group would never receive anything: Linux has no route for IPv6 multicast on the loopback
// interface.
var errNoRoute = fmt.Errorf("%w: IPv6 multicast on the loopback interface", errors.ErrUnsupported)

// errNoInterface means that the interface on which to join a group is unknown.
var errNoInterface = errors.New("no network interface has the address")
