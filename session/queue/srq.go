package queue

import (
	"fmt"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/region"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// SRQ is a shared receive queue.
type SRQ struct {
	*core.Node
	SRQ   verbs.SRQ
	PD    *region.PD
	Recvs Requests

	Attr verbs.SRQAttr // as last read or set; guarded by Session.mu
}

// Close implements [core.Body].
func (q *SRQ) Close() error { return q.SRQ.Close() }

// Fields implements [core.Body].
func (q *SRQ) Fields() []core.Field {
	text := func(n uint32) func() (string, error) { return func() (string, error) { return fmt.Sprint(n), nil } }
	return []core.Field{
		{Name: "max_wr", Text: text(q.Attr.MaxWR)},
		{Name: "max_sge", Text: text(q.Attr.MaxSGE)},
		{Name: "srq_limit", Text: text(q.Attr.Limit)},
	}
}

// CreateSRQ carries out create_srq.
func CreateSRQ(c *core.Call) error {
	pd, err := core.ArgAs[*region.PD](c, "pd", nil)
	if err != nil {
		return err
	}
	name, err := c.NewName(command.KindSRQ)
	if err != nil {
		return err
	}
	spec := verbs.SRQSpec{MaxWR: uint32(c.Cmd.Uint("max_wr")), MaxSGE: uint32(c.Cmd.Uint("max_sge"))}
	checkSRQ(c, "max_wr", spec.MaxWR, "max_srq_wr", pd.Device.Attr.MaxSRQWR)
	checkSRQ(c, "max_sge", spec.MaxSGE, "max_srq_sge", pd.Device.Attr.MaxSRQSGE)
	body := &SRQ{PD: pd, Attr: verbs.SRQAttr{MaxWR: spec.MaxWR, MaxSGE: spec.MaxSGE}}
	body.Recvs.shared = true
	if err := c.Time(func() (err error) { body.SRQ, err = pd.PD.CreateSRQ(spec); return err }); err != nil {
		return err
	}
	if attr, err := body.SRQ.Query(); err == nil {
		body.Attr = attr // as granted; if the query fails, as requested
	}
	body.Node = &core.Node{Name: name, Kind: command.KindSRQ, Uses: []*core.Node{pd.Node}, Body: body}
	c.Enter(body.Node)
	c.Done.Result = fmt.Sprintf("max_wr %d, max_sge %d", body.Attr.MaxWR, body.Attr.MaxSGE)
	return nil
}

// checkSRQ warns if a size exceeds the device's limit.
func checkSRQ(c *core.Call, name string, asked uint32, limitName string, limit int32) {
	if uint64(asked) > uint64(max(limit, 0)) {
		c.Warn("%s is more than the device's %s %d", name, limitName, limit)
	}
}

// ModifySRQ carries out modify_srq.
func ModifySRQ(c *core.Call) error {
	q, err := core.ArgAs[*SRQ](c, "srq", nil)
	if err != nil {
		return err
	}
	var attr verbs.SRQAttr
	if c.Cmd.Has("max_wr") {
		attr.Mask |= verbs.SRQMaxWR
		attr.MaxWR = uint32(c.Cmd.Uint("max_wr"))
		checkSRQ(c, "max_wr", attr.MaxWR, "max_srq_wr", q.PD.Device.Attr.MaxSRQWR)
	}
	if c.Cmd.Has("srq_limit") {
		attr.Mask |= verbs.SRQLimit
		attr.Limit = uint32(c.Cmd.Uint("srq_limit"))
	}
	if attr.Mask == 0 {
		c.Warn("nothing to change: give srq_limit or max_wr")
	}
	// The event may arrive before the call returns, and clears the limit: so store
	// the attributes first.
	before := noteSRQ(c.S, q, attr.Mask&verbs.SRQLimit, attr)
	if err := c.Time(func() error { return q.SRQ.Modify(attr) }); err != nil {
		noteSRQ(c.S, q, attr.Mask&verbs.SRQLimit, before)
		return err
	}
	noteSRQ(c.S, q, attr.Mask&verbs.SRQMaxWR, attr)
	c.Done.Result = describeSRQ(q.Recvs.Len(), &attr)
	return nil
}

// noteSRQ stores attributes and returns the previous ones.
func noteSRQ(s *core.Session, q *SRQ, mask verbs.SRQAttrMask, attr verbs.SRQAttr) (before verbs.SRQAttr) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	before = q.Attr
	if mask&verbs.SRQMaxWR != 0 {
		q.Attr.MaxWR = attr.MaxWR
	}
	if mask&verbs.SRQLimit != 0 {
		q.Attr.Limit = attr.Limit
	}
	s.Changed()
	return before
}

func describeSRQ(posted int, attr *verbs.SRQAttr) string {
	text := fmt.Sprintf("%d outstanding", posted)
	if attr.Mask&verbs.SRQMaxWR != 0 {
		text += fmt.Sprintf(", max_wr %d", attr.MaxWR)
	}
	if attr.Mask&verbs.SRQLimit != 0 {
		text += fmt.Sprintf(", srq_limit %d", attr.Limit)
	}
	return text
}

// QuerySRQ carries out query_srq.
func QuerySRQ(c *core.Call) error {
	q, err := core.ArgAs[*SRQ](c, "srq", nil)
	if err != nil {
		return err
	}
	var attr verbs.SRQAttr
	if err := c.Time(func() (err error) { attr, err = q.SRQ.Query(); return err }); err != nil {
		return err
	}
	c.S.Mu.Lock()
	q.Attr = attr
	c.S.Mu.Unlock()
	c.Done.Result = fmt.Sprintf("max_wr=%d max_sge=%d srq_limit=%d", attr.MaxWR, attr.MaxSGE, attr.Limit)
	return nil
}

// WakeReceivers wakes the pollers of the queues where posted RECVs may complete.
func WakeReceivers(s *core.Session, srq *SRQ) {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	for _, n := range s.Graph.Nodes {
		if q, ok := n.Body.(*QP); ok && q.SRQ == srq {
			q.RecvCQ.Posted()
		}
	}
}

// View implements [core.Body].
func (q *SRQ) View(v *core.Snapshot) {
	v.SRQs = append(v.SRQs, core.SRQView{
		Name: q.Name, PD: q.PD.Name, Device: q.PD.Device.Name, MaxWR: q.Attr.MaxWR, MaxSGE: q.Attr.MaxSGE,
		Limit: q.Attr.Limit, RecvPosted: q.Recvs.Len(),
	})
}

// IsOf reports whether an event is about the queue.
func (q *SRQ) IsOf(e *verbs.AsyncEvent) bool { return e.SRQ != nil && q.SRQ == e.SRQ }

// AsyncCame notes that the limit is no longer armed.
func (q *SRQ) AsyncCame(s *core.Session, e *verbs.AsyncEvent, told *timeline.AsyncEvent) (after func()) {
	told.SRQ = q.Name
	if e.Type == verbs.EventSRQLimitReached {
		noteSRQ(s, q, verbs.SRQLimit, verbs.SRQAttr{})
	}
	return nil
}

// Naming counts the outstanding requests that use the region with these keys.
func (q *SRQ) Naming(lkey, rkey uint32) int { return q.Recvs.naming(lkey, rkey) }
