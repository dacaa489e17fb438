package transport

import (
	"net/netip"
	"slices"
	"sync"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
)

// groupTable holds the multicast groups to which queue pairs of an adapter are attached. A GID maps to a group address
// as it maps to a unicast one: ::ffff:224.0.0.0/100 is IPv4, ff00::/8 is IPv6.
type groupTable struct {
	mu     sync.RWMutex
	byAddr map[netip.Addr][]*QP // the slices are immutable
	total  int                  // attachments
}

// AttachMcast attaches the queue pair to a multicast group. A second call for the same group changes nothing. The LID
// has no meaning on Ethernet.
func (q *QP) AttachMcast(gid verbs.GID, _ uint16) error {
	q.dev.Mu.Lock()
	defer q.dev.Mu.Unlock()
	err := q.checkGroup(gid)
	if err == nil {
		err = q.groups().attach(q, gid.Addr())
	}
	return q.fail("ibv_attach_mcast", err)
}

// DetachMcast detaches the queue pair from the group.
func (q *QP) DetachMcast(gid verbs.GID, _ uint16) error {
	q.dev.Mu.Lock()
	defer q.dev.Mu.Unlock()
	err := q.checkGroup(gid)
	if err == nil {
		err = q.groups().detach(q, gid.Addr())
	}
	return q.fail("ibv_detach_mcast", err)
}

func (q *QP) groups() *groupTable { return &q.dev.adapter.groups }

// checkGroup returns an error if the membership is invalid; dev.mu is held.
func (q *QP) checkGroup(gid verbs.GID) error {
	q.mu.Lock()
	closed := q.closed
	q.mu.Unlock()
	if closed {
		return verbs.ErrClosed
	}
	if q.typ != verbs.UD || !gid.Addr().IsMulticast() {
		return syscall.EINVAL
	}
	return nil
}

// attach adds a member; the first member of a group makes the link join it.
func (t *groupTable) attach(q *QP, group netip.Addr) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	members := t.byAddr[group]
	if slices.Contains(members, q) {
		return nil
	}
	if len(members) >= MaxMcastQP || t.total >= MaxMcastAll || len(members) == 0 && len(t.byAddr) >= MaxMcast {
		return syscall.ENOMEM
	}
	if len(members) == 0 {
		if err := q.eng.link.Join(group); err != nil {
			return err
		}
	}
	if t.byAddr == nil {
		t.byAddr = map[netip.Addr][]*QP{}
	}
	t.byAddr[group] = append(slices.Clone(members), q)
	t.total++
	return nil
}

// detach removes a member; the last member of a group makes the link leave it.
func (t *groupTable) detach(q *QP, group netip.Addr) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	members := t.byAddr[group]
	if !slices.Contains(members, q) {
		return syscall.EINVAL
	}
	t.total--
	if len(members) > 1 {
		t.byAddr[group] = slices.DeleteFunc(slices.Clone(members), func(m *QP) bool { return m == q })
		return nil
	}
	delete(t.byAddr, group)
	return q.eng.link.Leave(group)
}

func (t *groupTable) members(group netip.Addr) []*QP {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.byAddr[group]
}

// busy returns a BusyError if the queue pair is attached to a group: as with the kernel's devices, it must be detached
// before it is destroyed.
func (t *groupTable) busy(q *QP) error {
	t.mu.RLock()
	defer t.mu.RUnlock()
	var u object.Users
	for group, members := range t.byAddr {
		if slices.Contains(members, q) {
			u.Add(group, "multicast group "+verbs.GIDFromAddr(group).String())
		}
	}
	return u.Busy("QP")
}

// len returns the number of groups.
func (t *groupTable) len() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.byAddr)
}
