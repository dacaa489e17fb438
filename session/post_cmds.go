package session

import (
	"fmt"
	"math"
	"time"

	"rdmatui/session/command"
	"rdmatui/verbs"
)

// workRequestID is the number of a request: the one that the line names, or the
// next of the session's own.
func (s *Session) workRequestID(c *call) uint64 {
	if !c.cmd.Has("wr_id") {
		s.wrID++
		c.choose("wr_id", fmt.Sprint(s.wrID))
	}
	id := c.cmd.Uint("wr_id")
	if id <= math.MaxUint32 {
		s.wrID = max(s.wrID, id) // so that a number is not given twice
	}
	return id
}

// sgList makes pieces of memory of what the line names.
func (s *Session) sgList(c *call) ([]verbs.SGE, error) {
	texts := c.cmd.SGEs("sge")
	list := make([]verbs.SGE, len(texts))
	for i, t := range texts {
		if t.Object == "" {
			list[i] = verbs.SGE{Addr: t.Addr, Length: t.Length, LKey: t.LKey}
			continue
		}
		e, err := s.sge(t)
		if err != nil {
			return nil, err
		}
		list[i] = e
	}
	return list, nil
}

// sge makes one piece of a named region. What lies outside the region is left
// for the provider to find.
func (s *Session) sge(t command.SGEText) (verbs.SGE, error) {
	s.mu.RLock()
	n, err := s.graph.find(t.Object, command.KindMR)
	s.mu.RUnlock()
	if err != nil {
		return verbs.SGE{}, err
	}
	mr := n.res.(*region).mr
	e := verbs.SGE{Addr: mr.Addr() + t.Offset, Length: t.Length, LKey: mr.LKey()}
	if t.HasLKey {
		e.LKey = t.LKey
	}
	if t.ToEnd {
		size := mr.Spec().Length
		if t.Offset > size {
			return e, fmt.Errorf("offset %d is beyond the end of %s, which has %d bytes", t.Offset, t.Object, size)
		}
		if size-t.Offset > math.MaxUint32 {
			return e, fmt.Errorf("%s is too long for one piece: give a length", t.Object)
		}
		e.Length = uint32(size - t.Offset)
	}
	return e, nil
}

func (s *Session) postSend(c *call) error {
	q, err := argAs[*queuePair](s, c, "qp", nil)
	if err != nil {
		return err
	}
	c.body = q
	wr, ah, err := s.sendRequest(c, q)
	if err != nil {
		return err
	}
	var w *window
	var b binding
	if wr.Opcode.Traits().Bind {
		if w, b, err = s.bindRequest(c, q, &wr); err != nil {
			return err
		}
	}
	s.checkPostSend(c, q, &wr)
	c.done.Call = postSendCall(q, &wr, ah, w, &b)
	if isStream(c) && w == nil {
		return s.stream(c, q, wr)
	}
	r := request{
		wrID: wr.WRID, opcode: wr.Opcode, signaled: wr.SendFlags&verbs.SendSignaled != 0 || q.spec.SQSigAll,
		list: wr.SGList, rkey: wr.RKey, undo: noteWindow(q, &wr, w, b),
	}
	if err := s.postRequest(c, q, r, func() error { _, err := q.qp.PostSend(wr); return err }); err != nil {
		return err
	}
	c.done.Result = fmt.Sprintf("posted, %d outstanding", q.sends.len())
	return nil
}

// now is ns since the session began.
func (s *Session) now() int64 { return int64(time.Since(s.start)) }

func (s *Session) sendRequest(c *call, q *queuePair) (verbs.SendWR, *node, error) {
	wr := verbs.SendWR{
		WRID: s.workRequestID(c), Opcode: c.cmd.Opcode("opcode"), SendFlags: c.cmd.SendFlags("send_flags"),
		ImmData: uint32(c.cmd.Uint("imm_data")), InvalidateKey: uint32(c.cmd.Uint("invalidate_rkey")),
		RemoteAddr: c.cmd.Uint("remote_addr"), RKey: uint32(c.cmd.Uint("rkey")),
		CompareAdd: c.cmd.Uint("compare_add"), Swap: c.cmd.Uint("swap"),
		RemoteQPN: verbs.QPN(c.cmd.Uint("remote_qpn")), RemoteQKey: uint32(c.cmd.Uint("remote_qkey")),
	}
	if wr.Opcode.Traits().Flush {
		wr.Flush = c.cmd.Flush()
		for name, text := range map[string]string{"type": wr.Flush.Type.String(), "level": wr.Flush.Level.String()} {
			if !c.cmd.Has(name) {
				c.choose(name, text)
			}
		}
	}
	var err error
	if wr.SGList, err = s.sgList(c); err != nil {
		return wr, nil, err
	}
	if q.spec.QPType != verbs.UD {
		return wr, nil, noDatagram(c, q)
	}
	a, err := argAs[*addressHandle](s, c, "ah", func(n *node) bool { return n.res.(*addressHandle).pd == q.pd })
	if err != nil {
		return wr, nil, err
	}
	wr.AH = a.ah
	return wr, a.node, nil
}

// noDatagram refuses what only a datagram has: a connected queue pair has its
// destination already, and would leave these out without a word.
func noDatagram(c *call, q *queuePair) error {
	for _, name := range []string{"ah", "remote_qpn", "remote_qkey"} {
		if c.cmd.Has(name) {
			return fmt.Errorf("%s does not apply: %s is %s, and only UD requests name where they go", name, q.name, q.spec.QPType)
		}
	}
	return nil
}

// maxPostBatch is how many receive requests are posted in one call.
const maxPostBatch = 512

func (s *Session) postRecv(c *call) error {
	q, err := argAs[*queuePair](s, c, "qp", nil)
	if err != nil {
		return err
	}
	c.body = q
	wr, count, err := s.recvRequest(c)
	if err != nil {
		return err
	}
	s.checkPostRecv(c, q, wr.SGList, count)
	c.done.Call = postRecvCall("ibv_post_recv", q.name, &wr)
	if err := s.postRecvs(c, q.qp, &q.recvs, wr, count); err != nil {
		return err
	}
	q.recvCQ.posted()
	return nil
}

// recvRequest is the request that a line describes, and how often to post it.
func (s *Session) recvRequest(c *call) (wr verbs.RecvWR, count int, err error) {
	wr.WRID = s.workRequestID(c)
	wr.SGList, err = s.sgList(c)
	return wr, max(1, c.cmd.Int("count")), err
}

// receiver takes receive requests: a queue pair, or a shared receive queue.
type receiver interface {
	PostRecv(...verbs.RecvWR) (int, error)
}

// postRecvs posts the same request count times and keeps account of it.
func (s *Session) postRecvs(c *call, to receiver, account *requestQueue, wr verbs.RecvWR, count int) error {
	for first := 0; first < count; first += maxPostBatch {
		if err := s.postRecvBatch(c, to, account, wr, first, min(count-first, maxPostBatch)); err != nil {
			return err
		}
	}
	s.changed()
	c.done.Result = fmt.Sprintf("posted, %d outstanding", account.len())
	return nil
}

// postRecvBatch posts the same request n times in one call; first is how often the
// command has posted it before.
func (s *Session) postRecvBatch(c *call, to receiver, account *requestQueue, wr verbs.RecvWR, first, n int) error {
	wrs := make([]verbs.RecvWR, n)
	at := s.now()
	for i := range wrs {
		wrs[i] = wr
		account.push(recvAccount(c, &wr, at, first+i))
	}
	var posted int
	err := c.timeHere(func() (err error) { posted, err = to.PostRecv(wrs...); return err })
	if err != nil {
		account.unpush(n - posted)
		if n > 1 {
			return fmt.Errorf("after %d of %d: %w", posted, n, err)
		}
	}
	return err
}

// recvAccount is what is remembered of the RECV that the command posts as its
// request number index, from 0.
func recvAccount(c *call, wr *verbs.RecvWR, at int64, index int) request {
	return request{wrID: wr.WRID, at: at, command: c.done.Number, index: uint64(index), signaled: true, list: wr.SGList}
}
