package transport

import (
	"net/netip"
	"slices"
	"sync"
	"syscall"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
	"rdmatui/verbs/soft/link"
)

// groupTable is the multicast groups that queue pairs of an adapter are attached to. A GID stands for its group as for an address:
// ::ffff:224.0.0.0/100 is IPv4's, ff00::/8 IPv6's.
type groupTable struct {
	mu     sync.RWMutex
	byAddr map[netip.Addr][]*QP // a slice does not change once it is here
	total  int                  // attachments
}

// AttachMcast lets the queue pair receive what is sent to a group. A second call for the same group changes nothing. The LID means
// nothing on Ethernet.
func (q *QP) AttachMcast(gid verbs.GID, _ uint16) error {
	q.dev.Mu.Lock()
	defer q.dev.Mu.Unlock()
	err := q.checkGroup(gid)
	if err == nil {
		err = q.groups().attach(q, gid.Addr())
	}
	return q.fail("ibv_attach_mcast", err)
}

// DetachMcast takes the queue pair out of the group.
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

// checkGroup refuses what cannot be a membership; dev.mu is held.
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

// attach adds a member; with the first of a group the link joins it.
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

// detach removes a member; with the last of a group the link leaves it.
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

// busy returns a BusyError where a queue pair is attached to a group: as with the kernel's devices, it is detached before it is destroyed.
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

// stray takes a packet whose destination is the number of no queue pair: the multicast one, where every queue pair of the group gets it,
// that of the general services, or one that nobody has.
func (e *Engine) stray(p *link.Packet) {
	if e.in.BTH.DestQP == object.GSIQPN {
		e.adapter.TakeMAD(&e.in, p.Path)
		return
	}
	var members []*QP
	if e.in.BTH.DestQP == uint32(verbs.MaxQPN) {
		members = e.adapter.groups.members(p.Path.Dst.Addr())
	}
	if len(members) == 0 {
		e.adapter.Counts.UnknownQP.Add(1)
	}
	for _, q := range members {
		q.mu.Lock()
		q.receive(e, p)
		q.mu.Unlock()
	}
}

// len is how many groups there are.
func (t *groupTable) len() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.byAddr)
}
