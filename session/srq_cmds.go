package session

import (
	"fmt"

	"rdmatui/session/command"
	"rdmatui/verbs"
)

// sharedQueue is a shared receive queue.
type sharedQueue struct {
	*node
	srq   verbs.SRQ
	pd    *domain
	recvs requestQueue

	attr verbs.SRQAttr // as last read or set; guarded by Session.mu
}

func (q *sharedQueue) close() error { return q.srq.Close() }

func (q *sharedQueue) fields() []objectField {
	text := func(n uint32) func() (string, error) { return func() (string, error) { return fmt.Sprint(n), nil } }
	return []objectField{
		{"max_wr", text(q.attr.MaxWR)},
		{"max_sge", text(q.attr.MaxSGE)},
		{"srq_limit", text(q.attr.Limit)},
	}
}

func createSRQ(c *call) error {
	pd, err := argAs[*domain](c, "pd", nil)
	if err != nil {
		return err
	}
	name, err := c.newName(command.KindSRQ)
	if err != nil {
		return err
	}
	spec := verbs.SRQSpec{MaxWR: uint32(c.cmd.Uint("max_wr")), MaxSGE: uint32(c.cmd.Uint("max_sge"))}
	checkSRQ(c, "max_wr", spec.MaxWR, "max_srq_wr", pd.dev.attr.MaxSRQWR)
	checkSRQ(c, "max_sge", spec.MaxSGE, "max_srq_sge", pd.dev.attr.MaxSRQSGE)
	c.done.Call = createSRQCall(pd.node, &spec)
	body := &sharedQueue{pd: pd, attr: verbs.SRQAttr{MaxWR: spec.MaxWR, MaxSGE: spec.MaxSGE}}
	body.recvs.shared = true
	if err := c.time(func() (err error) { body.srq, err = pd.pd.CreateSRQ(spec); return err }); err != nil {
		return err
	}
	if attr, err := body.srq.Query(); err == nil {
		body.attr = attr // what was granted; without it what was asked for must do
	}
	body.node = &node{name: name, kind: command.KindSRQ, uses: []*node{pd.node}, res: body}
	c.enter(body.node)
	c.done.Result = fmt.Sprintf("max_wr %d, max_sge %d", body.attr.MaxWR, body.attr.MaxSGE)
	return nil
}

// checkSRQ holds a size against the device's limit.
func checkSRQ(c *call, name string, asked uint32, limitName string, limit int32) {
	if uint64(asked) > uint64(max(limit, 0)) {
		c.warn("%s is more than the device's %s %d", name, limitName, limit)
	}
}

func modifySRQ(c *call) error {
	q, err := argAs[*sharedQueue](c, "srq", nil)
	if err != nil {
		return err
	}
	var attr verbs.SRQAttr
	if c.cmd.Has("max_wr") {
		attr.Mask |= verbs.SRQMaxWR
		attr.MaxWR = uint32(c.cmd.Uint("max_wr"))
		checkSRQ(c, "max_wr", attr.MaxWR, "max_srq_wr", q.pd.dev.attr.MaxSRQWR)
	}
	if c.cmd.Has("srq_limit") {
		attr.Mask |= verbs.SRQLimit
		attr.Limit = uint32(c.cmd.Uint("srq_limit"))
	}
	if attr.Mask == 0 {
		c.warn("neither srq_limit nor max_wr is given: nothing changes")
	}
	c.done.Call = modifySRQCall(q.name, &attr)
	// The event may come before the call has returned, and it says that the limit
	// is gone: so it is taken note of before.
	before := noteSRQ(c.s, q, attr.Mask&verbs.SRQLimit, attr)
	if err := c.time(func() error { return q.srq.Modify(attr) }); err != nil {
		noteSRQ(c.s, q, attr.Mask&verbs.SRQLimit, before)
		return err
	}
	noteSRQ(c.s, q, attr.Mask&verbs.SRQMaxWR, attr)
	c.done.Result = describeSRQ(q.recvs.len(), &attr)
	return nil
}

// noteSRQ takes note of attributes and returns those before.
func noteSRQ(s *base, q *sharedQueue, mask verbs.SRQAttrMask, attr verbs.SRQAttr) (before verbs.SRQAttr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before = q.attr
	if mask&verbs.SRQMaxWR != 0 {
		q.attr.MaxWR = attr.MaxWR
	}
	if mask&verbs.SRQLimit != 0 {
		q.attr.Limit = attr.Limit
	}
	s.changed()
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

func querySRQ(c *call) error {
	q, err := argAs[*sharedQueue](c, "srq", nil)
	if err != nil {
		return err
	}
	c.done.Call = fmt.Sprintf("ibv_query_srq(%s, &attr)", q.name)
	var attr verbs.SRQAttr
	if err := c.time(func() (err error) { attr, err = q.srq.Query(); return err }); err != nil {
		return err
	}
	c.s.mu.Lock()
	q.attr = attr
	c.s.mu.Unlock()
	c.s.changed()
	c.done.Result = fmt.Sprintf("max_wr=%d max_sge=%d srq_limit=%d", attr.MaxWR, attr.MaxSGE, attr.Limit)
	return nil
}

func postSRQRecv(c *call) error {
	q, err := argAs[*sharedQueue](c, "srq", nil)
	if err != nil {
		return err
	}
	wr, count, err := recvRequest(c)
	if err != nil {
		return err
	}
	checkPostSRQRecv(c, q, wr.SGList, count)
	c.done.Call = postRecvCall("ibv_post_srq_recv", q.name, &wr)
	if err := postRecvs(c, q.srq, &q.recvs, wr, count); err != nil {
		return err
	}
	wakeReceivers(c.s, q)
	return nil
}

func checkPostSRQRecv(c *call, q *sharedQueue, list []verbs.SGE, count int) {
	c.s.mu.RLock()
	granted := q.attr
	c.s.mu.RUnlock()
	checkSGEs(c, q.pd, list, granted.MaxSGE, "max_sge", verbs.LocalWrite)
	if n := q.recvs.len(); n+count > int(granted.MaxWR) {
		c.warn("%d requests are outstanding, max_wr is %d", n, granted.MaxWR)
	}
}

// wakeReceivers wakes the pollers where what was posted may complete.
func wakeReceivers(s *base, srq *sharedQueue) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, n := range s.graph.nodes {
		if q, ok := n.res.(*queuePair); ok && q.srq == srq {
			q.recvCQ.posted()
		}
	}
}

// sharedQueueOf finds what an event is about; nil if it is none of the session's.
func sharedQueueOf(s *base, srq verbs.SRQ) *sharedQueue {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, n := range s.graph.nodes {
		if q, ok := n.res.(*sharedQueue); ok && srq != nil && q.srq == srq {
			return q
		}
	}
	return nil
}

// limitReached takes note that the limit is no longer armed.
func limitReached(s *base, q *sharedQueue, event verbs.EventType) {
	if event == verbs.EventSRQLimitReached {
		noteSRQ(s, q, verbs.SRQLimit, verbs.SRQAttr{})
	}
}

func (q *sharedQueue) view(v *Snapshot) {
	v.SRQs = append(v.SRQs, SRQView{
		Name: q.name, PD: q.pd.name, Device: q.pd.dev.name, MaxWR: q.attr.MaxWR, MaxSGE: q.attr.MaxSGE,
		Limit: q.attr.Limit, RecvPosted: q.recvs.len(),
	})
}
