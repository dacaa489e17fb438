package bringup

import (
	"errors"
	"fmt"
	"slices"

	"rdmatui/session/ccall"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/verbs"
	"rdmatui/verbs/fields"
	"rdmatui/verbs/transition"
)

// ConnectQPs carries out connect_qps: the modify_qp lines that connect a queue pair
// to a peer, or two to each other, each recorded as if it had been typed.
func ConnectQPs(c *core.Call) error {
	q, err := core.ArgAs[*queue.QP](c, "qp", nil)
	if err != nil {
		return err
	}
	peer, err := c.ObjectArg("peer", nil)
	if err != nil {
		return err
	}
	ends := []end{{q, peer}}
	if other, ok := peer.Body.(*queue.QP); ok && other != q {
		ends = append(ends, end{other, q.Node})
	}
	if err := keepAllowed(c, ends); err != nil {
		return err
	}
	for _, e := range ends {
		if err := e.qp.PD.Device.Info.Lack(verbs.ByHand); err != nil {
			return err
		}
		if err := refuseTaken(c, e); err != nil {
			return err
		}
		if err := refuseMovedOn(c, e); err != nil {
			return err
		}
	}
	if c.Cmd.Given("sgid_index") {
		defer addressedBy(c.S, ends, c.Cmd.Int("sgid_index"))()
	}
	beginAnew(c.S, ends)
	for _, to := range queue.BringUp {
		for _, e := range ends {
			if err := bringTo(c, e, to); err != nil {
				return err
			}
		}
	}
	c.S.Mu.Lock()
	for _, e := range ends {
		e.joins() // also for an end that was already in RTS
	}
	c.S.Mu.Unlock()
	c.Done.Result = fmt.Sprintf("%s is connected to %s", q.Name, peer.Name)
	return nil
}

// end is a queue pair to be connected, and its peer.
type end struct {
	qp   *queue.QP
	peer *core.Node
}

// beginAnew gives two queue pairs that were connected before, by whatever command, new
// PSNs unless one of them already expects the other's. A remote peer was already sent
// the PSN, so that one stays.
func beginAnew(s *core.Session, ends []end) {
	known := func(e end) bool { return e.qp.StateNow() >= verbs.QPRTR }
	if len(ends) != 2 || slices.ContainsFunc(ends, known) {
		return
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	for _, e := range ends {
		e.qp.RenewPSN(s)
	}
}

// addressedBy makes the ends use a row of their GID tables as their address until the
// returned function is called.
func addressedBy(s *core.Session, ends []end, row int) (restore func()) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	was := make([]int, len(ends))
	for i, e := range ends {
		was[i], e.qp.SGID = e.qp.SGID, row
	}
	return func() {
		s.Mu.Lock()
		defer s.Mu.Unlock()
		for i, e := range ends {
			e.qp.SGID = was[i]
		}
	}
}

// keepAllowed refuses an attribute that no transition of the ends' types accepts. It
// removes defaults of such attributes, so that the resolved line is valid.
func keepAllowed(c *core.Call, ends []end) error {
	var taken verbs.AttrMask
	for _, e := range ends {
		taken |= takenOnTheWay(e.qp.Spec.QPType)
	}
	for _, v := range c.Cmd.Values {
		f := fields.QPNamed(v.Arg.Name)
		switch {
		case f == nil || taken&f.Bit != 0:
		case v.Given:
			return fmt.Errorf("%s does not apply: no transition of a %s queue pair to RTS accepts it", f.Name,
				ends[0].qp.Spec.QPType)
		default:
			c.Cmd = c.Cmd.Without(f.Name)
		}
	}
	return nil
}

// joins notes at the end what it is being connected to.
func (e *end) joins() {
	other, _ := e.peer.Body.(*queue.QP)
	e.qp.Joins(e.peer.Name, other)
}

// refuseTaken refuses an end that is in RTS with another peer. An end in RTR is
// accepted, so that a wrong dest_qp_num can be tried.
func refuseTaken(c *core.Call, e end) error {
	c.S.Mu.RLock()
	defer c.S.Mu.RUnlock()
	q := e.qp
	if q.StateNow() != verbs.QPRTS || q.Attr.Mask&verbs.AttrDestQPN == 0 {
		return nil
	}
	num, err := e.peer.Field("qp_num")
	if err != nil || num == q.Attr.DestQPNum.String() {
		return nil
	}
	c.Done.Hint = fmt.Sprintf("modify_qp %s RESET first", q.Name)
	return fmt.Errorf("%s is in RTS and has another peer, dest_qp_num=%s", q.Name, q.Attr.DestQPNum)
}

// refuseMovedOn refuses an end in RTS if the other one must be brought up and their
// PSNs do not match: it has exchanged packets before, and would drop the other's.
// Bringing the other up at its current PSNs is no solution: sent but unacknowledged
// requests would count as duplicates and be reported as done.
func refuseMovedOn(c *core.Call, e end) error {
	other, ok := e.peer.Body.(*queue.QP)
	if !ok || other == e.qp || e.qp.Spec.QPType != verbs.RC || e.qp.StateNow() != verbs.QPRTS {
		return nil
	}
	was := other.StateNow()
	if was >= verbs.QPRTS {
		return nil
	}
	attr, _, err := e.qp.QP.Query(verbs.AttrRQPSN | verbs.AttrSQPSN)
	if err != nil {
		return nil // modify_qp reports more
	}
	q, text := e.qp, ""
	switch {
	case attr.RQPSN != other.PSN:
		text = fmt.Sprintf("%s is in RTS and expects PSN %s, but %s would start at %s", q.Name, attr.RQPSN,
			other.Name, other.PSN)
	case was < verbs.QPRTR && attr.SQPSN != q.PSN:
		text = fmt.Sprintf("%s is in RTS and continues at PSN %s, but %s would expect %s", q.Name, attr.SQPSN,
			other.Name, q.PSN)
	default:
		return nil
	}
	c.Done.Hint = fmt.Sprintf("modify_qp %s RESET first", q.Name)
	return errors.New(text)
}

// takenOnTheWay returns the attributes that the transitions from RESET to RTS accept.
func takenOnTheWay(t verbs.QPType) (mask verbs.AttrMask) {
	from := verbs.QPReset
	for _, to := range queue.BringUp {
		if tr, ok := transition.Find(t, from, to); ok {
			mask |= tr.Allowed()
		}
		from = to
	}
	return mask
}

// bringTo carries out one modify_qp, unless the queue pair is already in the state,
// and adds its C call to the command's.
func bringTo(c *core.Call, e end, to verbs.QPState) error {
	switch from := e.qp.StateNow(); {
	case from > verbs.QPRTS:
		c.Done.Hint = fmt.Sprintf("modify_qp %s RESET first", e.qp.Name)
		return fmt.Errorf("%s is in %s", e.qp.Name, from)
	case from >= to:
		return nil
	}
	c.S.Mu.Lock()
	e.joins()
	plan, err := plan(c.S, e.qp, e.peer, to)
	c.S.Mu.Unlock()
	if err != nil {
		return err
	}
	done, err := c.ExpandTo(c.Ctx, plan.Command(plan.overridden(c.Cmd)))
	switch {
	case c.Done.C == nil:
		c.Done.C = done.C
	case done.C != nil:
		c.Done.C = ccall.Format("%s;\n%s", c.Done.C, done.C)
	}
	c.Done.Expands = true
	return err
}

// overridden returns the plan's values, replaced by those that a connect_qps line
// names.
func (p Plan) overridden(cmd command.Command) map[string]string {
	values := p.Values()
	for i := range p.Rows {
		r := &p.Rows[i]
		given := cmd.Given(r.Field.Name)
		if r.Need != NotAllowed && (given || values[r.Field.Name] != "" && cmd.Has(r.Field.Name)) {
			values[r.Field.Name] = cmd.String(r.Field.Name)
		}
	}
	return values
}
