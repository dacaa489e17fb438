package cm

import (
	"net/netip"
	"slices"
	"syscall"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/route"
)

// BindAddr binds the identifier to a local address and a port.
func (id *ID) BindAddr(src netip.AddrPort) error {
	id.manager.mu.Lock()
	defer id.manager.mu.Unlock()
	return id.fail("rdma_bind_addr", id.bind(src))
}

func (id *ID) bind(src netip.AddrPort) error {
	addr := src.Addr().Unmap().WithZone("")
	switch {
	case id.state == idClosed:
		return verbs.ErrClosed
	case id.state != idIdle:
		return syscall.EINVAL
	case !addr.IsValid():
		return syscall.EAFNOSUPPORT
	}
	a := id.manager.deviceAt(addr)
	if !addr.IsUnspecified() && a == nil {
		if id.manager.KernelRoutes() && route.IsLocal(addr) {
			return syscall.ENODEV
		}
		return syscall.EADDRNOTAVAIL
	}
	id.local = netip.AddrPortFrom(addr, 0)
	port, err := id.manager.ports.take(id, src.Port(), id.manager.Random)
	if err != nil {
		id.local = netip.AddrPort{}
		return err
	}
	id.local = netip.AddrPortFrom(addr, port)
	if a != nil {
		if err := id.attach(a, addr); err != nil {
			id.manager.ports.release(id)
			id.local = netip.AddrPort{}
			return err
		}
	}
	id.state = idBound
	return nil
}

// attach binds the identifier to the device that has the address.
func (id *ID) attach(a Device, addr netip.Addr) error {
	c, err := id.manager.context(a)
	if err != nil {
		return err
	}
	id.device, id.context = a, c
	id.sgid = uint8(slices.Index(a.Addrs(), addr))
	return nil
}

// deviceAt returns the device that has the address, nil if there is none.
func (m *Manager) deviceAt(addr netip.Addr) Device {
	for _, a := range m.Devices() {
		if slices.Contains(a.Addrs(), addr) {
			return a
		}
	}
	return nil
}

// source returns the source address for packets to dst, src if that is valid. In memory each address reaches all
// addresses of its kind, and the first device takes precedence.
func (m *Manager) source(src, dst netip.Addr) (netip.Addr, error) {
	near, found := m.near(src, dst)
	if m.KernelRoutes() {
		from, err := route.Source(src, dst)
		if err == nil && found && dst.IsLoopback() && m.deviceAt(from) == nil {
			return near, nil // the kernel picked another process's address: any loopback address will do
		}
		return from, err
	}
	if !found {
		return netip.Addr{}, syscall.ENETUNREACH
	}
	return near, nil
}

// near returns the devices' first address of dst's kind, or src if that is valid.
func (m *Manager) near(src, dst netip.Addr) (netip.Addr, bool) {
	for _, a := range m.Devices() {
		for _, addr := range a.Addrs() {
			near := addr.IsLoopback() == dst.IsLoopback() && addr.IsLinkLocalUnicast() == dst.IsLinkLocalUnicast() &&
				addr.Is4() == dst.Is4()
			if near && (!src.IsValid() || src == addr) {
				return addr, true
			}
		}
	}
	return netip.Addr{}, false
}

// ResolveAddr determines the local address and the device for dst. Without a route it fails at once, like Linux; if the
// route is not through one of the devices, ADDR_ERROR follows. Connect finds out whether the neighbor exists.
func (id *ID) ResolveAddr(src, dst netip.AddrPort, _ time.Duration) error {
	id.manager.mu.Lock()
	defer id.manager.mu.Unlock()
	return id.fail("rdma_resolve_addr", id.resolve(src, dst))
}

func (id *ID) resolve(src, dst netip.AddrPort) error {
	to := dst.Addr().Unmap()
	if !to.IsValid() {
		return syscall.EAFNOSUPPORT
	}
	if id.state == idIdle {
		if !src.IsValid() {
			src = netip.AddrPortFrom(wildcard(to), 0)
		}
		if err := id.bind(src); err != nil {
			return err
		}
	}
	switch {
	case id.state == idClosed:
		return verbs.ErrClosed
	case id.state != idBound, id.local.Addr().Is4() != to.Is4():
		return syscall.EINVAL
	}
	var from netip.Addr
	if own := id.local.Addr(); !own.IsUnspecified() {
		from = own
	}
	if to.IsUnspecified() { // the device itself
		if !from.IsValid() {
			from = addrFor(id.manager.Devices()[0].Addrs(), to)
		}
		to = from
	}
	from, err := id.manager.source(from, to)
	if err != nil {
		return err
	}
	if id.context == nil {
		a := id.manager.deviceAt(from)
		if a == nil {
			id.tell(verbs.CMEvent{Type: verbs.CMAddrError, Status: -int(syscall.ENODEV)})
			return nil
		}
		if err := id.attach(a, from); err != nil {
			return err
		}
		id.local = netip.AddrPortFrom(from, id.local.Port())
	}
	id.peer = netip.AddrPortFrom(to.WithZone(""), dst.Port())
	id.state = idAddrResolved
	id.tell(verbs.CMEvent{Type: verbs.CMAddrResolved})
	return nil
}

// addrFor returns the first of a device's addresses of the same family, or else its first address.
func addrFor(addrs []netip.Addr, like netip.Addr) netip.Addr {
	for _, addr := range addrs {
		if addr.Is4() == like.Is4() {
			return addr
		}
	}
	return addrs[0]
}

// wildcard returns the unspecified address of a family.
func wildcard(like netip.Addr) netip.Addr {
	if like.Is4() {
		return netip.IPv4Unspecified()
	}
	return netip.IPv6Unspecified()
}

// ResolveRoute has nothing to resolve: ResolveAddr has already used the kernel's routing table.
func (id *ID) ResolveRoute(time.Duration) error {
	id.manager.mu.Lock()
	defer id.manager.mu.Unlock()
	switch id.state {
	case idClosed:
		return id.fail("rdma_resolve_route", verbs.ErrClosed)
	case idAddrResolved:
		id.state = idRouteResolved
		id.tell(verbs.CMEvent{Type: verbs.CMRouteResolved})
		return nil
	}
	return id.fail("rdma_resolve_route", syscall.EINVAL)
}
