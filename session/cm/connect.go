package cm

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"rdmatui/session/ccall"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/session/region"
	"rdmatui/verbs"
	"rdmatui/verbs/fields"
)

// connParam parses the arguments of rdma_connect and rdma_accept.
func connParam(c *core.Call) verbs.CMConnParam {
	return verbs.CMConnParam{
		PrivateData: c.Cmd.Bytes("private_data"), ResponderResources: uint8(c.Cmd.Uint("responder_resources")),
		InitiatorDepth: uint8(c.Cmd.Uint("initiator_depth")), FlowControl: c.Cmd.Bool("flow_control"),
		RetryCount: uint8(c.Cmd.Uint("retry_count")), RNRRetryCount: uint8(c.Cmd.Uint("rnr_retry_count")),
		SRQ: c.Cmd.Bool("srq"), QPNum: verbs.QPN(c.Cmd.Uint("qp_num")),
	}
}

// privateLimit returns how many bytes of private data a message of the connection
// manager can carry; rdma_connect(3), rdma_accept(3).
func privateLimit(of *command.Spec, ps verbs.CMPortSpace) int {
	switch {
	case of == command.RDMAConnect && ps.IsDatagram():
		return 180
	case of == command.RDMAConnect && ps == verbs.PortSpaceIB:
		return 92
	case of == command.RDMAConnect:
		return 56
	case ps.IsDatagram():
		return 136
	case of == command.RDMAReject:
		return 148
	}
	return 196
}

func checkPrivate(c *core.Call, i *ID, data []byte) {
	if limit := privateLimit(c.Cmd.Spec, i.PS); len(data) > limit {
		c.Warn("%d bytes of private data are too many: at most %d", len(data), limit)
	}
}

// Connect carries out rdma_connect.
func Connect(c *core.Call) error {
	i, err := idArg(c, in(core.IDAddrResolved, core.IDRouteResolved))
	if err != nil {
		return err
	}
	p := checkedParam(c, i)
	st := step{name: stepConnect, during: core.IDConnecting, wait: c.Cmd.Duration("timeout")}
	return takeStep(c, i, st, func() error { return i.ID.Connect(p) })
}

// checkedParam returns the parameters of rdma_connect or rdma_accept, and warns of those that do not fit.
func checkedParam(c *core.Call, i *ID) verbs.CMConnParam {
	p := connParam(c)
	checkPrivate(c, i, p.PrivateData)
	checkOwnQP(c, i, &p)
	return p
}

// checkOwnQP warns of a connection without a queue pair.
func checkOwnQP(c *core.Call, i *ID, p *verbs.CMConnParam) {
	c.S.Mu.RLock()
	defer c.S.Mu.RUnlock()
	switch {
	case i.qp == nil && p.QPNum == 0:
		c.Warn("%s has no queue pair: rdma_create_qp %s first, or give qp_num of one that you bring up by hand", i.Name,
			i.Name)
	case i.qp != nil && c.Cmd.Has("qp_num"):
		c.Warn("qp_num is ignored: %s has the queue pair %s", i.Name, i.qp.Name)
	}
}

// Accept carries out rdma_accept.
func Accept(c *core.Call) error {
	i, err := idArg(c, in(core.IDRequest))
	if err != nil {
		return err
	}
	p := checkedParam(c, i)
	if i.PS.IsDatagram() { // the peer is sent the datagram address, and does not answer
		if err := c.Time(func() error { return i.ID.Accept(p) }); err != nil {
			return err
		}
		SetIDState(c.S, i, core.IDRequest, core.IDConnected)
		followQP(c.S, i, c.Cmd.Spec.Name)
		c.Done.Result = "the peer is notified; datagrams have no further event"
		return nil
	}
	st := step{name: stepAccept, during: core.IDConnecting, wait: c.Cmd.Duration("timeout")}
	return takeStep(c, i, st, func() error { return i.ID.Accept(p) })
}

// Reject carries out rdma_reject.
func Reject(c *core.Call) error {
	i, err := idArg(c, in(core.IDRequest))
	if err != nil {
		return err
	}
	data := c.Cmd.Bytes("private_data")
	checkPrivate(c, i, data)
	if len(data) == 0 {
		c.Done.C = ccall.Line(c.Cmd, map[string]string{"private_data": "NULL", "private_data_len": "0"})
	}
	before := StateOf(c.S, i)
	if err := c.Time(func() error { return i.ID.Reject(data) }); err != nil {
		return err
	}
	SetIDState(c.S, i, before, core.IDDisconnected)
	c.Done.Result = "refused"
	return nil
}

// Disconnect carries out rdma_disconnect.
func Disconnect(c *core.Call) error {
	i, err := idArg(c, in(core.IDConnected, core.IDDisconnected))
	if err != nil {
		return err
	}
	if StateOf(c.S, i) == core.IDDisconnected { // the peer disconnected first, and no event follows
		if err := c.Time(i.ID.Disconnect); err != nil {
			return err
		}
		followQP(c.S, i, c.Cmd.Spec.Name)
		c.Done.Result = "the peer had already disconnected; the queue pair is now in ERR"
		return nil
	}
	return takeStep(c, i, step{name: stepDisconnect, wait: c.Cmd.Duration("timeout")}, i.ID.Disconnect)
}

// Establish carries out rdma_establish.
func Establish(c *core.Call) error {
	i, err := idArg(c, in(core.IDConnecting))
	if err != nil {
		return err
	}
	if err := c.Time(i.ID.Establish); err != nil {
		return err
	}
	SetIDState(c.S, i, core.IDConnecting, core.IDConnected)
	c.Done.Result = "the peer is notified"
	return nil
}

// Notify carries out rdma_notify.
func Notify(c *core.Call) error {
	i, err := idArg(c, nil)
	if err != nil {
		return err
	}
	event := c.Cmd.EventType("event")
	if err := c.Time(func() error { return i.ID.Notify(event) }); err != nil {
		return err
	}
	c.Done.Result = "the connection manager is notified"
	return nil
}

// CreateManagedQP carries out rdma_create_qp.
func CreateManagedQP(c *core.Call) error {
	withoutQP := func(i *ID) bool { return i.qp == nil && i.dev != nil }
	i, err := idArg(c, withoutQP)
	if err != nil {
		return err
	}
	d, err := i.BoundDevice(c.S)
	if err != nil {
		return err
	}
	onDevice := func(n *core.Node) bool { return n.Body.(*region.PD).Device == d }
	if _, err := c.ObjectArg("pd", onDevice); err != nil {
		return err
	}
	q := &queue.QP{SGID: -1, ID: i}
	if err := queue.QPParts(c, q); err != nil {
		return err
	}
	name, err := c.NewName(command.KindQP)
	if err != nil {
		return err
	}
	if !c.Cmd.Has("qp_type") {
		c.Choose("qp_type", map[bool]string{true: "UD", false: "RC"}[i.PS.IsDatagram()])
	}
	q.Specify(c)
	if err := q.Lack(); err != nil {
		return err
	}
	if err := c.Time(func() (err error) { q.QP, err = i.ID.CreateQP(q.PD.PD, q.Spec); return err }); err != nil {
		return err
	}
	q.Dropped = func() { dropQP(c.S, i, q) }
	queue.EnterQP(c, q, name)
	c.S.Mu.Lock()
	i.qp = q
	c.S.Mu.Unlock()
	queue.ReadState(c.S, q, c.Cmd.Spec.Name)
	return nil
}

// dropQP removes the queue pair of an identifier.
func dropQP(s *core.Session, i *ID, q *queue.QP) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if i.qp == q {
		i.qp = nil
	}
}

// InitQPAttr carries out rdma_init_qp_attr.
func InitQPAttr(c *core.Call) error {
	i, err := idArg(c, nil)
	if err != nil {
		return err
	}
	state := c.Cmd.QPState("qp_state")
	c.Done.C = ccall.Line(c.Cmd, map[string]string{
		"&attr": "&(struct ibv_qp_attr){.qp_state = " + c.Cmd.CName("qp_state") + "}"})
	var attr verbs.QPAttr
	if err := c.Time(func() (err error) { attr, err = i.ID.InitQPAttr(state); return err }); err != nil {
		return err
	}
	c.S.Mu.Lock()
	attrs := map[verbs.QPState]verbs.QPAttr{state: attr}
	for st, a := range i.attrs {
		if st != state {
			attrs[st] = a
		}
	}
	i.attrs = attrs
	c.S.Mu.Unlock()
	c.Done.Result = modifyLine(state, &attr)
	if !c.Cmd.Has("qp") {
		return nil
	}
	return modifyAs(c, &attr)
}

// modifyAs modifies the named queue pair as the manager would.
func modifyAs(c *core.Call, attr *verbs.QPAttr) error {
	q, err := core.ArgAs[*queue.QP](c, "qp", nil)
	if err != nil {
		return err
	}
	c.About = q
	c.Done.C = ccall.Format("%s; %s", c.Done.C, ccall.Modify(q.Name, *attr))
	before := q.StateAt()
	if err := c.Time(func() error { return q.QP.Modify(*attr) }); err != nil {
		queue.ReadState(c.S, q, "modify_qp that failed")
		return err
	}
	queue.Modified(c, q, before, attr)
	return nil
}

// modifyLine returns the modify_qp line that does what the manager does.
func modifyLine(state verbs.QPState, a *verbs.QPAttr) string {
	var b strings.Builder
	b.WriteString("modify_qp QP " + state.String())
	for n := range fields.QP {
		f := &fields.QP[n]
		if a.Mask&f.Bit != 0 && f.Bit != verbs.AttrState && f.Bit != verbs.AttrAltPath {
			b.WriteString(" " + f.Name + "=" + f.Format(a))
		}
	}
	return b.String()
}

// JoinMulticast carries out rdma_join_multicast.
func JoinMulticast(c *core.Call) error {
	i, group, err := groupArgs(c)
	if err != nil {
		return err
	}
	if !group.Addr().IsMulticast() {
		c.Warn("%s is not a multicast address", group.Addr())
	}
	c.Done.C = ccall.Line(c.Cmd, map[string]string{"addr": cAddr(group)})
	return join(c, i, group.Addr())
}

// groupArgs returns the identifier and the address of a group.
func groupArgs(c *core.Call) (i *ID, group netip.AddrPort, err error) {
	if i, err = idArg(c, nil); err == nil {
		group, err = AddrArg(c, "addr", 0)
	}
	return i, group, err
}

func join(c *core.Call, i *ID, group netip.Addr) error {
	if d, err := i.BoundDevice(c.S); err == nil {
		if err := d.Info.Lack(verbs.Datagrams); err != nil {
			return err
		}
	}
	c.S.Mu.Lock()
	i.groups = append(slices.Clone(i.groups), group)
	c.S.Mu.Unlock()
	st := step{name: stepJoin, wait: c.Cmd.Duration("timeout")}
	err := takeStep(c, i, st, func() error { return i.ID.JoinMulticast(group) })
	if err != nil {
		forgetGroup(c.S, i, group)
	}
	return err
}

// forgetGroup removes the last membership of a group; a group that was joined twice has
// two.
func forgetGroup(s *core.Session, i *ID, group netip.Addr) {
	s.Mu.Lock()
	for n, g := range slices.Backward(i.groups) {
		if g == group {
			i.groups = slices.Delete(slices.Clone(i.groups), n, n+1)
			break
		}
	}
	s.Mu.Unlock()
	s.Changed()
}

// LeaveMulticast carries out rdma_leave_multicast.
func LeaveMulticast(c *core.Call) error {
	i, group, err := groupArgs(c)
	if err != nil {
		return err
	}
	c.Done.C = ccall.Line(c.Cmd, map[string]string{"addr": cAddr(group)})
	if err := c.Time(func() error { return i.ID.LeaveMulticast(group.Addr()) }); err != nil {
		return err
	}
	forgetGroup(c.S, i, group.Addr())
	c.Done.Result = fmt.Sprintf("%s has left %s", i.Name, group.Addr())
	return nil
}

// IsConnected reports whether an identifier is still connected.
func IsConnected(s *core.Session, i *ID) bool {
	st := StateOf(s, i)
	return st == core.IDConnected || st == core.IDConnecting
}

// Connected implements [core.Connection]'s check. It first reads events that have no
// other reader.
func (i *ID) Connected(ctx context.Context, s *core.Session) (bool, error) {
	if i.ec.mode != ModeEvent {
		now, cancel := context.WithTimeout(ctx, core.PollPatience)
		defer cancel()
		if _, err := readEvent(now, s, i.ec); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			return false, err
		}
	}
	return IsConnected(s, i), nil
}
