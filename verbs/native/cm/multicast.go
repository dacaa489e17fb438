package cm

import (
	"cmp"
	"net/netip"
	"slices"
	"unsafe"

	"rdmatui/verbs/native/internal/failure"
)

// JoinMulticast implements verbs.CMID.
func (i *ID) JoinMulticast(group netip.Addr) error {
	const op = "rdma_join_multicast"
	raw, err := rawSockaddr(netip.AddrPortFrom(group, 0))
	if err != nil {
		return failure.Of(op, i.name, err)
	}
	return i.do(op, func(id uintptr) (int, error) {
		n, err := i.cm.lib.joinMulticast.Call(id, uintptr(unsafe.Pointer(raw)), 0)
		if err == nil {
			i.note(group, true)
		}
		return n, err
	})
}

// LeaveMulticast implements verbs.CMID.
func (i *ID) LeaveMulticast(group netip.Addr) error {
	return i.do("rdma_leave_multicast", func(uintptr) (int, error) { return 0, i.leave(group) })
}

// leave excludes the taking of events: in C it waits for events that were taken
// and not acknowledged. The caller holds mu.
func (i *ID) leave(group netip.Addr) error {
	raw, err := rawSockaddr(netip.AddrPortFrom(group, 0))
	if err != nil {
		return err
	}
	i.ch.mu.Lock()
	defer i.ch.mu.Unlock()
	if _, err := i.cm.lib.leaveMulticast.Call(i.ptr, uintptr(unsafe.Pointer(raw))); err != nil {
		return err
	}
	i.note(group, false)
	return nil
}

func (i *ID) leaveAll() {
	for _, group := range i.groups() {
		_ = i.leave(group) // the identifier is being destroyed, and the membership with it
	}
}

// note records a joined or left group.
func (i *ID) note(group netip.Addr, joined bool) {
	i.state.mu.Lock()
	defer i.state.mu.Unlock()
	if i.state.groups == nil {
		i.state.groups = map[netip.Addr]bool{}
	}
	if joined {
		i.state.groups[group] = true
	} else {
		delete(i.state.groups, group)
	}
}

func (i *ID) groups() []netip.Addr {
	i.state.mu.Lock()
	defer i.state.mu.Unlock()
	var groups []netip.Addr
	for group := range i.state.groups {
		groups = append(groups, group)
	}
	slices.SortFunc(groups, func(a, b netip.Addr) int { return cmp.Compare(a.String(), b.String()) })
	return groups
}
