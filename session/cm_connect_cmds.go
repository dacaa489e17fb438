package session

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"rdmatui/session/command"
	"rdmatui/verbs"
)

// connParam reads the fields of rdma_connect and rdma_accept.
func connParam(c *call) verbs.CMConnParam {
	return verbs.CMConnParam{
		PrivateData: c.cmd.Bytes("private_data"), ResponderResources: uint8(c.cmd.Uint("responder_resources")),
		InitiatorDepth: uint8(c.cmd.Uint("initiator_depth")), FlowControl: c.cmd.Bool("flow_control"),
		RetryCount: uint8(c.cmd.Uint("retry_count")), RNRRetryCount: uint8(c.cmd.Uint("rnr_retry_count")),
		SRQ: c.cmd.Bool("srq"), QPNum: verbs.QPN(c.cmd.Uint("qp_num")),
	}
}

// privateLimit is how many bytes of private data a message of the connection
// manager has room for; rdma_connect(3), rdma_accept(3).
func privateLimit(verb string, ps verbs.CMPortSpace) int {
	switch {
	case verb == "rdma_connect" && isDatagram(ps):
		return 180
	case verb == "rdma_connect" && ps == verbs.PortSpaceIB:
		return 92
	case verb == "rdma_connect":
		return 56
	case isDatagram(ps):
		return 136
	case verb == "rdma_reject":
		return 148
	}
	return 196
}

func checkPrivate(c *call, i *cmID, data []byte) {
	if limit := privateLimit(c.cmd.Spec.Name, i.ps); len(data) > limit {
		c.warn("%d bytes of private data are more than the %d that there is room for", len(data), limit)
	}
}

func connectID(c *call) error {
	i, err := idArg(c, in(IDAddrResolved, IDRouteResolved))
	if err != nil {
		return err
	}
	p := connParam(c)
	checkPrivate(c, i, p.PrivateData)
	checkOwnQP(c, i, &p)
	c.done.Call = fmt.Sprintf("rdma_connect(%s, %s)", i.name, cConnParam(&p, true))
	st := step{name: stepConnect, during: IDConnecting, wait: c.cmd.Duration("timeout")}
	return takeStep(c, i, st, func() error { return i.id.Connect(p) })
}

// checkOwnQP warns of a connection that no queue pair is named for.
func checkOwnQP(c *call, i *cmID, p *verbs.CMConnParam) {
	c.s.mu.RLock()
	defer c.s.mu.RUnlock()
	switch {
	case i.qp == nil && p.QPNum == 0:
		c.warn("%s has no queue pair: rdma_create_qp %s first, or give qp_num of one that you move by hand", i.name, i.name)
	case i.qp != nil && c.cmd.Has("qp_num"):
		c.warn("qp_num does not count: %s has the queue pair %s", i.name, i.qp.name)
	}
}

func acceptID(c *call) error {
	i, err := idArg(c, in(IDRequest))
	if err != nil {
		return err
	}
	p := connParam(c)
	checkPrivate(c, i, p.PrivateData)
	checkOwnQP(c, i, &p)
	c.done.Call = fmt.Sprintf("rdma_accept(%s, %s)", i.name, cConnParam(&p, false))
	if isDatagram(i.ps) { // the peer is told where datagrams go, and nobody answers
		if err := c.time(func() error { return i.id.Accept(p) }); err != nil {
			return err
		}
		setIDState(c.s, i, IDRequest, IDConnected)
		followQP(c.s, i, c.cmd.Spec.Name)
		c.done.Result = "the peer is told; no event follows for datagrams"
		return nil
	}
	st := step{name: stepAccept, during: IDConnecting, wait: c.cmd.Duration("timeout")}
	return takeStep(c, i, st, func() error { return i.id.Accept(p) })
}

func rejectID(c *call) error {
	i, err := idArg(c, in(IDRequest))
	if err != nil {
		return err
	}
	data := c.cmd.Bytes("private_data")
	checkPrivate(c, i, data)
	c.done.Call = fmt.Sprintf("rdma_reject(%s, %s, %d)", i.name, cData(data), len(data))
	if err := c.time(func() error { return i.id.Reject(data) }); err != nil {
		return err
	}
	setIDState(c.s, i, stateOf(c.s, i), IDDisconnected)
	c.done.Result = "refused"
	return nil
}

func disconnectID(c *call) error {
	i, err := idArg(c, in(IDConnected, IDDisconnected))
	if err != nil {
		return err
	}
	c.done.Call = fmt.Sprintf("rdma_disconnect(%s)", i.name)
	if stateOf(c.s, i) == IDDisconnected { // the peer was first, and no event follows
		if err := c.time(i.id.Disconnect); err != nil {
			return err
		}
		followQP(c.s, i, c.cmd.Spec.Name)
		c.done.Result = "the peer was first; its queue pair is in ERR now"
		return nil
	}
	return takeStep(c, i, step{name: stepDisconnect, wait: c.cmd.Duration("timeout")}, i.id.Disconnect)
}

func establishID(c *call) error {
	i, err := idArg(c, in(IDConnecting))
	if err != nil {
		return err
	}
	c.done.Call = fmt.Sprintf("rdma_establish(%s)", i.name)
	if err := c.time(i.id.Establish); err != nil {
		return err
	}
	setIDState(c.s, i, IDConnecting, IDConnected)
	c.done.Result = "the peer is told"
	return nil
}

func notifyID(c *call) error {
	i, err := idArg(c, nil)
	if err != nil {
		return err
	}
	event := c.cmd.EventType("event")
	c.done.Call = fmt.Sprintf("rdma_notify(%s, %s)", i.name, verbs.EventTypes.CName(event))
	if err := c.time(func() error { return i.id.Notify(event) }); err != nil {
		return err
	}
	c.done.Result = "the manager knows"
	return nil
}

func createManagedQP(c *call) error {
	withoutQP := func(i *cmID) bool { return i.qp == nil && i.dev != nil }
	i, err := idArg(c, withoutQP)
	if err != nil {
		return err
	}
	d, err := deviceOfID(c.s, i)
	if err != nil {
		return err
	}
	onDevice := func(n *node) bool { return n.res.(*domain).dev == d }
	if _, err := c.objectArg("pd", onDevice); err != nil {
		return err
	}
	q := &queuePair{sgid: -1, id: i}
	if err := qpParts(c, q); err != nil {
		return err
	}
	name, err := c.newName(command.KindQP)
	if err != nil {
		return err
	}
	if !c.cmd.Has("qp_type") {
		c.choose("qp_type", map[bool]string{true: "UD", false: "RC"}[isDatagram(i.ps)])
	}
	q.specify(c)
	if err := q.lack(); err != nil {
		return err
	}
	c.done.Call = q.createCall()
	if err := c.time(func() (err error) { q.qp, err = i.id.CreateQP(q.pd.pd, q.spec); return err }); err != nil {
		return err
	}
	q.dropped = func() { dropQP(c.s, i, q) }
	enterQP(c, q, name)
	c.s.mu.Lock()
	i.qp = q
	c.s.mu.Unlock()
	readState(c.s, q, c.cmd.Spec.Name)
	return nil
}

// dropQP forgets the queue pair of an identifier.
func dropQP(s *base, i *cmID, q *queuePair) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i.qp == q {
		i.qp = nil
	}
}

func initQPAttr(c *call) error {
	i, err := idArg(c, nil)
	if err != nil {
		return err
	}
	state := c.cmd.QPState("qp_state")
	c.done.Call = fmt.Sprintf("rdma_init_qp_attr(%s, &(struct ibv_qp_attr){.qp_state = %s}, &mask)", i.name, verbs.QPStates.CName(state))
	var attr verbs.QPAttr
	if err := c.time(func() (err error) { attr, err = i.id.InitQPAttr(state); return err }); err != nil {
		return err
	}
	c.s.mu.Lock()
	attrs := map[verbs.QPState]verbs.QPAttr{state: attr}
	for st, a := range i.attrs {
		if st != state {
			attrs[st] = a
		}
	}
	i.attrs = attrs
	c.s.mu.Unlock()
	c.done.Result = modifyLine(state, &attr)
	if !c.cmd.Has("qp") {
		return nil
	}
	return modifyAs(c, &attr)
}

// modifyAs moves the queue pair that the line names as the manager would.
func modifyAs(c *call, attr *verbs.QPAttr) error {
	q, err := argAs[*queuePair](c, "qp", nil)
	if err != nil {
		return err
	}
	c.body = q
	c.done.Call += "; " + modifyCall(q.name, attr)
	if err := c.time(func() error { return q.qp.Modify(*attr) }); err != nil {
		readState(c.s, q, "modify_qp that failed")
		return err
	}
	modified(c, q, attr)
	return nil
}

// modifyLine is the modify_qp that would do what the manager does.
func modifyLine(state verbs.QPState, a *verbs.QPAttr) string {
	var b strings.Builder
	b.WriteString("modify_qp QP " + state.String())
	for n := range verbs.QPFields {
		f := &verbs.QPFields[n]
		if a.Mask&f.Bit != 0 && f.Bit != verbs.AttrState && f.Bit != verbs.AttrAltPath {
			b.WriteString(" " + f.Name + "=" + f.Format(a))
		}
	}
	return b.String()
}

func joinMulticast(c *call) error {
	i, err := idArg(c, nil)
	if err != nil {
		return err
	}
	group, err := addrArg(c, "addr", 0)
	if err != nil {
		return err
	}
	if !group.Addr().IsMulticast() {
		c.warn("%s is no multicast address", group.Addr())
	}
	c.done.Call = fmt.Sprintf("rdma_join_multicast(%s, %s, NULL)", i.name, cAddr(group))
	return join(c, i, group.Addr())
}

func join(c *call, i *cmID, group netip.Addr) error {
	if d, err := deviceOfID(c.s, i); err == nil {
		if err := d.info.Lack(verbs.Datagrams); err != nil {
			return err
		}
	}
	c.s.mu.Lock()
	i.groups = append(slices.Clone(i.groups), group)
	c.s.mu.Unlock()
	st := step{name: stepJoin, wait: c.cmd.Duration("timeout")}
	err := takeStep(c, i, st, func() error { return i.id.JoinMulticast(group) })
	if err != nil {
		forgetGroup(c.s, i, group)
	}
	return err
}

func forgetGroup(s *base, i *cmID, group netip.Addr) {
	s.mu.Lock()
	i.groups = slices.DeleteFunc(slices.Clone(i.groups), func(g netip.Addr) bool { return g == group })
	s.mu.Unlock()
	s.changed()
}

func leaveMulticast(c *call) error {
	i, err := idArg(c, nil)
	if err != nil {
		return err
	}
	group, err := addrArg(c, "addr", 0)
	if err != nil {
		return err
	}
	c.done.Call = fmt.Sprintf("rdma_leave_multicast(%s, %s)", i.name, cAddr(group))
	if err := c.time(func() error { return i.id.LeaveMulticast(group.Addr()) }); err != nil {
		return err
	}
	forgetGroup(c.s, i, group.Addr())
	c.done.Result = fmt.Sprintf("%s has left %s", i.name, group.Addr())
	return nil
}

// isConnected reports whether an identifier still has its connection.
func isConnected(s *base, i *cmID) bool {
	st := stateOf(s, i)
	return st == IDConnected || st == IDConnecting
}

// whileConnected reports whether a wait that is for a connection only is still
// worth it. Events that nobody else reads are read first.
func whileConnected(s *base, ctx context.Context, i *cmID) (bool, error) {
	if i.ec.mode != modeEvent {
		now, cancel := context.WithTimeout(ctx, pollPatience)
		defer cancel()
		if _, err := readEvent(s, now, i.ec); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			return false, err
		}
	}
	return isConnected(s, i), nil
}
