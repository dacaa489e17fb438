package queue

import (
	"fmt"
	"net/netip"
	"slices"

	"rdmatui/session/core"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// String returns the group's GID.
func (g mcastGroup) String() string { return g.gid.String() }

// AttachMcast carries out attach_mcast.
func AttachMcast(c *core.Call) error {
	q, g, err := mcastArgs(c)
	if err != nil {
		return err
	}
	if err := q.PD.Device.Info.Lack(verbs.Datagrams); err != nil {
		return err
	}
	if q.Spec.QPType != verbs.UD {
		c.Warn("%s is %s: only UD queue pairs receive multicast", q.Name, q.Spec.QPType)
	}
	if !g.gid.IsMulticast() {
		c.Warn("%s is not a multicast address", g.gid)
	}
	if err := c.Time(func() error { return q.QP.AttachMcast(g.gid, g.lid) }); err != nil {
		return err
	}
	c.S.Mu.Lock()
	if !slices.Contains(q.groups, g) {
		q.groups = append(q.groups, g)
	}
	c.S.Mu.Unlock()
	c.Done.Result = fmt.Sprintf("%s is attached to %s", q.Name, g)
	return nil
}

// DetachMcast carries out detach_mcast.
func DetachMcast(c *core.Call) error {
	q, g, err := mcastArgs(c)
	if err != nil {
		return err
	}
	if err := c.Time(func() error { return q.QP.DetachMcast(g.gid, g.lid) }); err != nil {
		return err
	}
	c.S.Mu.Lock()
	q.groups = slices.DeleteFunc(q.groups, func(o mcastGroup) bool { return o == g })
	c.S.Mu.Unlock()
	c.Done.Result = fmt.Sprintf("%s has left %s", q.Name, g)
	return nil
}

func mcastArgs(c *core.Call) (*QP, mcastGroup, error) {
	q, err := core.ArgAs[*QP](c, "qp", func(n *core.Node) bool { return n.Body.(*QP).Spec.QPType == verbs.UD })
	return q, mcastGroup{gid: c.Cmd.GID("gid"), lid: uint16(c.Cmd.Uint("lid"))}, err
}

// LeaveGroups detaches a queue pair that is about to be destroyed: an attached one
// cannot be (IBA o10-2.2.3). It leaves the groups that its identifier joined with
// rdma_leave_multicast. Failures show up when the queue pair is destroyed.
func (q *QP) LeaveGroups(s *core.Session) {
	s.Mu.Lock()
	groups := q.groups
	q.groups = nil
	joined := q.joined()
	if joined != nil {
		q.ID.ForgetGroups()
	}
	s.Mu.Unlock()
	told := func(err error) {
		if err != nil {
			s.Note(timeline.LevelError, "%v", err)
		}
	}
	for _, g := range groups {
		told(q.QP.DetachMcast(g.gid, g.lid))
	}
	for _, g := range joined {
		told(q.ID.LeaveMulticast(g))
	}
}

// joined returns the groups that its identifier has joined; Session.mu is held.
func (q *QP) joined() []netip.Addr {
	if q.ID == nil {
		return nil
	}
	return q.ID.Groups()
}

// hintAttached adds to the error of a failed destroy the groups that the queue pair
// has to leave.
func hintAttached(c *core.Call, n *core.Node) {
	q, ok := n.Body.(*QP)
	if !ok {
		return
	}
	c.S.Mu.RLock()
	defer c.S.Mu.RUnlock()
	if joined := q.joined(); len(joined) > 0 {
		id := q.ID.Object().Name
		c.Done.Hint = fmt.Sprintf("%s is in %s: rdma_leave_multicast %s %s first", id, joined[0], id, joined[0])
	}
	if len(q.groups) > 0 {
		c.Done.Hint = fmt.Sprintf("the queue pair is attached to %s: detach_mcast %s gid=%s first", q.groups[0],
			q.Name, q.groups[0])
	}
}
