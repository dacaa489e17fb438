package cm

import (
	"net/netip"
	"slices"
	"syscall"

	"rdmatui/verbs"
)

// JoinMulticast joins a group. The resulting event matches Linux on RoCE, where no group manager is involved.
func (id *ID) JoinMulticast(group netip.Addr) error {
	id.manager.mu.Lock()
	defer id.manager.mu.Unlock()
	return id.fail("rdma_join_multicast", id.join(group.Unmap().WithZone("")))
}

func (id *ID) join(group netip.Addr) error {
	switch {
	case id.state == idClosed:
		return verbs.ErrClosed
	case !id.datagrams(), !group.IsMulticast(), id.context == nil, id.state != idBound && id.state != idAddrResolved,
		group.Is4() != id.local.Addr().Is4(), slices.Contains(id.groups, group):
		return syscall.EINVAL
	}
	ah := id.AddressVector(group)
	ah.GRH.HopLimit = 1
	if id.qp != nil {
		if err := id.qp.AttachMcast(ah.GRH.DGID, 0); err != nil {
			id.tell(verbs.CMEvent{Type: verbs.CMMulticastError, Status: -errnoOf(err)})
			return nil
		}
	}
	id.groups = append(id.groups, group)
	id.tell(verbs.CMEvent{Type: verbs.CMMulticastJoin,
		UD: verbs.CMUDParam{AH: ah, QPNum: verbs.MaxQPN, QKey: id.qkey()}})
	return nil
}

// LeaveMulticast leaves a group and detaches the queue pair.
func (id *ID) LeaveMulticast(group netip.Addr) error {
	id.manager.mu.Lock()
	defer id.manager.mu.Unlock()
	group = group.Unmap().WithZone("")
	i := slices.Index(id.groups, group)
	if i < 0 {
		return id.fail("rdma_leave_multicast", syscall.EADDRNOTAVAIL)
	}
	id.groups = slices.Delete(id.groups, i, i+1)
	if id.qp == nil {
		return nil
	}
	return id.fail("rdma_leave_multicast", id.qp.DetachMcast(verbs.GIDFromAddr(group), 0))
}
