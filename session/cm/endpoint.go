package cm

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"rdmatui/session/ccall"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/verbs"
)

// CreateEP carries out rdma_create_ep by the lines that make its calls. If one fails, what the others created is
// destroyed. A path in the result (family IB) is resolved again; librdmacm would set it. rdma_create_ep(3).
func CreateEP(c *core.Call) error {
	res, err := core.ArgAs[*addrInfo](c, "res", nil)
	if err != nil {
		return err
	}
	name, err := c.NewName(command.KindID)
	if err != nil {
		return err
	}
	for _, arg := range []string{"pd", "send_cq", "recv_cq", "srq"} { // before anything is created
		if c.Cmd.Has(arg) {
			if _, err := c.ObjectArg(arg, nil); err != nil {
				return err
			}
		}
	}
	c.Done.C = ccall.EP(c.Cmd)
	info := &res.infos[0]
	line := fmt.Sprintf("rdma_create_id %s mode=sync ps=%s", name, info.PortSpace)
	if res.device != "" {
		line += " device=" + res.device
	}
	if _, err := c.Expand(c.Ctx, line); err != nil {
		return err
	}
	i := core.ObjectOf[*ID](c.S, name)
	if err := reach(c, i, res, info); err != nil {
		check, hint := c.Done.Check, c.Done.Hint
		_ = destroyEndpoint(context.WithoutCancel(c.Ctx), c, i) // each of its lines is recorded with its error
		c.Done.Check, c.Done.Hint = check, hint
		return err
	}
	c.Done.Result = name + " is bound: " + describeBound(c.S, i)
	return nil
}

// reach binds an endpoint, or resolves its peer and creates its queue pair.
func reach(c *core.Call, i *ID, res *addrInfo, info *verbs.AddrInfo) error {
	if info.Flags&verbs.AddrInfoPassive != 0 {
		if c.Cmd.Bool("qp_init_attr") {
			attrs := c.Cmd
			i.forRequests = &attrs
		}
		_, err := c.Expand(c.Ctx, fmt.Sprintf("rdma_bind_addr %s %s.src_addr", i.Name, res.Name))
		return err
	}
	line := fmt.Sprintf("rdma_resolve_addr %s %s.dst_addr", i.Name, res.Name)
	if info.Src.IsValid() {
		line += fmt.Sprintf(" src=%s.src_addr", res.Name)
	}
	for _, line := range []string{line, "rdma_resolve_route " + i.Name} {
		if _, err := c.Expand(c.Ctx, line); err != nil {
			return err
		}
	}
	if !c.Cmd.Bool("qp_init_attr") {
		return nil
	}
	return createEndpointQP(c, i, c.Cmd)
}

// createEndpointQP creates the queue pair of an endpoint with the attributes of an rdma_create_ep, and the objects
// that these do not name, in librdmacm's order.
func createEndpointQP(c *core.Call, i *ID, attrs command.Command) error {
	pd := attrs.String("pd")
	if pd == "" {
		var err error
		if pd, err = domainOf(c, i); err != nil {
			return err
		}
	}
	line := fmt.Sprintf(" pd=%s", pd)
	for _, q := range []struct{ arg, size string }{{"recv_cq", "max_recv_wr"}, {"send_cq", "max_send_wr"}} {
		cq := attrs.String(q.arg)
		if cq == "" {
			var err error
			if cq, err = createEndpointCQ(c, i, q.arg, attrs.String(q.size)); err != nil {
				return err
			}
		}
		line += " " + q.arg + "=" + cq
	}
	for _, v := range attrs.Values {
		if name := v.Arg.Name; name == "srq" || strings.HasPrefix(name, "max_") || name == "sq_sig_all" {
			line += " " + name + "=" + v.Text
		}
	}
	_, err := c.Expand(c.Ctx, fmt.Sprintf("rdma_create_qp %s %s%s", i.Name, freeName(c.S, i.Name+"-qp"), line))
	return err
}

// createEndpointCQ creates a completion queue with a channel for an endpoint, and returns its name.
func createEndpointCQ(c *core.Call, i *ID, member, size string) (string, error) {
	cq, ch := freeName(c.S, i.Name+"-"+member), freeName(c.S, i.Name+"-"+member+"_channel")
	for _, one := range []struct{ name, line string }{
		{ch, fmt.Sprintf("create_comp_channel %s id=%s", ch, i.Name)},
		{cq, fmt.Sprintf("create_cq %s id=%s cqe=%s channel=%s", cq, i.Name, size, ch)},
	} {
		if _, err := c.Expand(c.Ctx, one.line); err != nil {
			return "", err
		}
		i.made = append(i.made, nodeOf(c.S, one.name))
	}
	return cq, nil
}

// domainOf returns the protection domain of an identifier: its queue pair's, or the one that librdmacm allocates once
// for all endpoints on a device.
func domainOf(c *core.Call, i *ID) (string, error) {
	if q := qpOf(c.S, i); q != nil {
		return q.PD.Name, nil
	}
	d, err := i.BoundDevice(c.S)
	if err != nil {
		return "", err
	}
	domains := managerOf(c.S).domains
	if n := domains[d]; n != nil && nodeOf(c.S, n.Name) == n {
		return n.Name, nil
	}
	name := freeName(c.S, d.Name+"-pd")
	if _, err := c.Expand(c.Ctx, fmt.Sprintf("alloc_pd %s id=%s", name, i.Name)); err != nil {
		return "", err
	}
	domains[d] = nodeOf(c.S, name)
	return name, nil
}

// DestroyEP carries out rdma_destroy_ep.
func DestroyEP(c *core.Call) error {
	i, err := idArg(c, nil)
	if err != nil {
		return err
	}
	c.Done.C = ccall.Line(c.Cmd, nil)
	if err := destroyEndpoint(c.Ctx, c, i); err != nil {
		return err
	}
	c.Done.Result = i.Name + " is gone"
	return nil
}

// destroyEndpoint destroys an identifier with what was created for it. The shared protection domain ends with its last
// user.
func destroyEndpoint(ctx context.Context, c *core.Call, i *ID) error {
	var lines []string
	if q := qpOf(c.S, i); q != nil {
		lines = append(lines, "rdma_destroy_qp "+q.Name)
	}
	for _, n := range slices.Backward(i.made) {
		if nodeOf(c.S, n.Name) == n {
			lines = append(lines, "close "+n.Name)
		}
	}
	for _, line := range append(lines, "rdma_destroy_id "+i.Name) {
		if _, err := c.Expand(ctx, line); err != nil {
			return err
		}
	}
	domain := managerOf(c.S).domains[i.dev]
	if domain == nil || nodeOf(c.S, domain.Name) != domain || inUse(c.S, domain) {
		return nil
	}
	_, err := c.Expand(ctx, "dealloc_pd "+domain.Name)
	return err
}

func inUse(s *core.Session, n *core.Node) bool {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	return len(s.Graph.UsersOf(n)) > 0
}

// GetSendComp carries out rdma_get_send_comp.
func GetSendComp(c *core.Call) error {
	return getComp(c, func(q *queue.QP) *queue.CQ { return q.SendCQ })
}

// GetRecvComp carries out rdma_get_recv_comp.
func GetRecvComp(c *core.Call) error {
	return getComp(c, func(q *queue.QP) *queue.CQ { return q.RecvCQ })
}

// getComp waits for one completion of an endpoint's queue by the lines that make librdmacm's calls: it polls, arms the
// queue, polls again because a completion before the arming raises no event, and sleeps until the event.
func getComp(c *core.Call, of func(*queue.QP) *queue.CQ) error {
	i, err := idArg(c, withQP)
	if err != nil {
		return err
	}
	q := qpOf(c.S, i)
	if q == nil || !slices.Contains(i.made, of(q).Node) {
		return fmt.Errorf("%s has no completion queue that rdma_create_ep created, so librdmacm knows none: use poll_cq",
			i.Name)
	}
	cq, timeout, begin := of(q), c.Cmd.Duration("timeout"), time.Now()
	c.Done.C = ccall.Line(c.Cmd, nil)
	if cq.EventsAreRead(c.S) { // a live session gets the events, and keeps the completion
		return pollComp(c, fmt.Sprintf("poll_cq %s timeout=%s", cq.Name, timeout))
	}
	before := cq.Polled(c.S)
	for left := timeout; ; left = max(timeout-time.Since(begin), time.Millisecond).Round(time.Millisecond) {
		for _, line := range []string{"", "req_notify_cq " + cq.Name} {
			if line != "" {
				if _, err := c.Expand(c.Ctx, line); err != nil {
					return err
				}
			}
			if err := pollComp(c, "poll_cq "+cq.Name); err != nil || cq.Polled(c.S) > before {
				return err
			}
		}
		for _, line := range []string{
			fmt.Sprintf("get_cq_event %s timeout=%s", cq.Channel.Name, left), "ack_cq_events " + cq.Name,
		} {
			if _, err := c.Expand(c.Ctx, line); err != nil {
				return err
			}
		}
	}
}

// pollComp polls a queue; the result is the command's.
func pollComp(c *core.Call, line string) error {
	done, err := c.Expand(c.Ctx, line)
	c.Done.Result, c.Done.Hint = done.Result, done.Hint
	return err
}

// withQP selects identifiers with a queue pair. Session.mu is held.
func withQP(i *ID) bool { return i.qp != nil }

// qpOf returns the queue pair of an identifier, nil if it has none.
func qpOf(s *core.Session, i *ID) *queue.QP {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	return i.qp
}

// nodeOf returns the object with a name, nil if there is none.
func nodeOf(s *core.Session, name string) *core.Node {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	return s.Graph.ByName[name]
}

// freeName returns an unused name that begins with stem.
func freeName(s *core.Session, stem string) string {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	return s.Graph.FreeName(stem)
}
