// Package post posts requests: one, a chain or a stream, to send and receive queues,
// with the checks before a post and the call in C. It keeps no state between
// commands: the queues record outstanding requests.
package post

import (
	"fmt"
	"math"
	"time"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/queue"
	"rdmatui/session/region"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// workRequestID returns the wr_id of a request: the one that the line names, or the
// next of the session.
func workRequestID(c *core.Call) uint64 {
	if !c.Cmd.Has("wr_id") {
		c.S.WRID++
		c.Choose("wr_id", fmt.Sprint(c.S.WRID))
	}
	id := c.Cmd.Uint("wr_id")
	if id <= math.MaxUint32 {
		c.S.WRID = max(c.S.WRID, id) // so that no number is used twice
	}
	return id
}

// sgList returns the SGE list that the line describes.
func sgList(c *core.Call) ([]verbs.SGE, error) {
	texts := c.Cmd.SGEs("sge")
	list := make([]verbs.SGE, len(texts))
	for i, t := range texts {
		if t.Object == "" {
			list[i] = verbs.SGE{Addr: t.Addr, Length: t.Length, LKey: t.LKey}
			continue
		}
		e, err := sge(c.S, t)
		if err != nil {
			return nil, err
		}
		list[i] = e
	}
	return list, nil
}

// sge returns the SGE for a piece of a named region. The provider detects a piece
// outside the region.
func sge(s *core.Session, t command.SGEText) (verbs.SGE, error) {
	s.Mu.RLock()
	n, err := s.Graph.Find(t.Object, command.KindMR)
	s.Mu.RUnlock()
	if err != nil {
		return verbs.SGE{}, err
	}
	mr := n.Body.(*region.MR).MR
	e := verbs.SGE{Addr: mr.Addr() + t.Offset, Length: t.Length, LKey: mr.LKey()}
	if t.HasLKey {
		e.LKey = t.LKey
	}
	if t.ToEnd {
		size := mr.Spec().Length
		if t.Offset > size {
			return e, fmt.Errorf("offset %d is beyond the end of %s, which has %s", t.Offset, t.Object,
				format.Counted(size, "byte"))
		}
		if size-t.Offset > math.MaxUint32 {
			return e, fmt.Errorf("%s is too long for one SGE: give a length", t.Object)
		}
		e.Length = uint32(size - t.Offset)
	}
	return e, nil
}

// PostSend carries out post_send.
func PostSend(c *core.Call) error {
	q, err := core.ArgAs[*queue.QP](c, "qp", nil)
	if err != nil {
		return err
	}
	c.About = q
	wr, err := sendRequest(c, q)
	if err != nil {
		return err
	}
	times := max(1, c.Cmd.Uint("count"))
	if c.Cmd.Has("outstanding") {
		times = 1 // the rest is posted later
	}
	checkPostSend(c, q, wr, times, 0)
	c.Done.C = postCall(c, cRequest(c, q, wr))
	if isStream(c) {
		return runStream(c, q, wr.SendWR)
	}
	r := sendAccount(q, &wr.SendWR, Now(c.S))
	r.Undo, r.Posted = noteWindow(q, wr), postedBy(c, &wr.SendWR)
	p := record(c, q, r)
	_, err = q.QP.PostSend(wr.SendWR)
	if err := p.end(err); err != nil {
		return err
	}
	if wr.ah != nil {
		to := wr.ah.Body.(*queue.AH).AH.Attr()
		q.SentDatagram(c.S, &wr.SendWR, &to)
	}
	c.Done.Result = fmt.Sprintf("posted, %d outstanding", p.outstanding)
	return nil
}

// posting is a request that is being posted.
type posting struct {
	c           *core.Call
	q           *queue.QP
	r           queue.Request
	timed       func()
	outstanding int // requests, with this one
}

// record records a request, since its completion may be seen before the post
// returns; [posting.end] must follow the post.
func record(c *core.Call, q *queue.QP, r queue.Request) posting {
	r.Command = c.Done.Number
	outstanding := q.PushSend(c.S, r)
	return posting{c: c, q: q, r: r, timed: c.Begin(), outstanding: outstanding}
}

// end takes the result of the post, and returns it. It removes a refused request.
func (p *posting) end(err error) error {
	p.timed()
	if err == nil {
		p.q.SendCQ.Posted()
		return nil
	}
	p.q.UnpushSends(p.c.S, 1)
	if p.r.Undo != nil {
		p.r.Undo()
	}
	return err
}

// postedBy returns what is kept of a line to explain how its requests end; wr is nil
// for RECVs.
func postedBy(c *core.Call, wr *verbs.SendWR) *queue.Posted {
	return &queue.Posted{Line: c.Cmd.Full(), Check: c.Done.Check, WR: wr, AH: c.Cmd.String("ah")}
}

// Now returns the time in ns since the session started.
func Now(s *core.Session) int64 { return int64(time.Since(s.Start)) }

// sendWR is a send request with the objects that its line names.
type sendWR struct {
	verbs.SendWR
	ah    *core.Node     // of a datagram
	mw    *region.MW     // of a BIND_MW
	shows region.Binding // what mw will be bound to
}

// sendRequest returns the request that a line describes.
func sendRequest(c *core.Call, q *queue.QP) (*sendWR, error) {
	wr := &sendWR{SendWR: verbs.SendWR{
		WRID: workRequestID(c), Opcode: c.Cmd.Opcode("opcode"), SendFlags: c.Cmd.SendFlags("send_flags"),
		ImmData: uint32(c.Cmd.Uint("imm_data")), InvalidateKey: uint32(c.Cmd.Uint("invalidate_rkey")),
		RemoteAddr: c.Cmd.Uint("remote_addr"), RKey: uint32(c.Cmd.Uint("rkey")),
		CompareAdd: c.Cmd.Uint("compare_add"), Swap: c.Cmd.Uint("swap"),
		RemoteQPN: verbs.QPN(c.Cmd.Uint("remote_qpn")), RemoteQKey: uint32(c.Cmd.Uint("remote_qkey")),
	}}
	if wr.Opcode.Traits().Flush {
		wr.Flush = c.Cmd.Flush()
		for name, text := range map[string]string{"type": wr.Flush.Type.String(), "level": wr.Flush.Level.String()} {
			if !c.Cmd.Has(name) {
				c.Choose(name, text)
			}
		}
	}
	var err error
	if wr.SGList, err = sgList(c); err != nil {
		return nil, err
	}
	if q.Spec.QPType != verbs.UD {
		err = NoDatagram(c, q)
	} else if a, notFound := core.ArgAs[*queue.AH](c, "ah",
		func(n *core.Node) bool { return n.Body.(*queue.AH).PD == q.PD }); notFound != nil {
		err = notFound
	} else {
		wr.AH, wr.ah = a.AH, a.Node
	}
	if err == nil && wr.Opcode.Traits().Bind {
		err = bindRequest(c, q, wr)
	}
	return wr, err
}

// NoDatagram refuses arguments that apply only to datagrams: a connected queue pair
// has a destination, and would silently ignore them.
func NoDatagram(c *core.Call, q *queue.QP) error {
	for _, name := range command.DatagramFields {
		if c.Cmd.Has(name) {
			return fmt.Errorf("%s does not apply: %s is %s, and only UD requests name a destination", name, q.Name,
				q.Spec.QPType)
		}
	}
	return nil
}

// maxPostBatch bounds the receive requests posted in one call.
const maxPostBatch = 512

// PostRecv carries out post_recv.
func PostRecv(c *core.Call) error {
	q, err := core.ArgAs[*queue.QP](c, "qp", nil)
	if err != nil {
		return err
	}
	c.About = q
	wr, count, err := recvRequest(c)
	if err != nil {
		return err
	}
	checkPostRecv(c, q, wr.SGList, uint64(count), 0)
	c.Done.C = postCall(c, cReceive(wr))
	if err := postRecvs(c, q.QP, &q.Recvs, wr, count); err != nil {
		return err
	}
	q.RecvCQ.Posted()
	return nil
}

// recvRequest returns the request that a line describes, and how often to post it.
func recvRequest(c *core.Call) (wr verbs.RecvWR, count int, err error) {
	wr.WRID = workRequestID(c)
	wr.SGList, err = sgList(c)
	return wr, max(1, c.Cmd.Int("count")), err
}

// Receiver accepts receive requests: a queue pair, or a shared receive queue.
type Receiver interface {
	PostRecv(...verbs.RecvWR) (int, error)
}

// postRecvs posts and records the same request count times.
func postRecvs(c *core.Call, to Receiver, account *queue.Requests, wr verbs.RecvWR, count int) error {
	var outstanding int
	for first := 0; first < count; first += maxPostBatch {
		var err error
		if outstanding, err = postRecvBatch(c, to, account, wr, first, min(count-first, maxPostBatch)); err != nil {
			return err
		}
	}
	c.Done.Result = fmt.Sprintf("posted, %d outstanding", outstanding)
	return nil
}

// postRecvBatch posts the same request n times in one call; first is how often the
// command has posted it before. It returns how many were outstanding when they were
// posted.
func postRecvBatch(c *core.Call, to Receiver, account *queue.Requests, wr verbs.RecvWR, first,
	n int) (outstanding int, err error) {
	wrs := make([]verbs.RecvWR, n)
	at, by := Now(c.S), postedBy(c, nil)
	for i := range wrs {
		wrs[i] = wr
		r := RecvAccount(c, &wr, at, first+i)
		r.Posted = by
		outstanding = account.Push(r)
	}
	var posted int
	err = c.TimeHere(func() (err error) { posted, err = to.PostRecv(wrs...); return err })
	if err != nil {
		account.Unpush(n - posted)
		if n > 1 {
			err = fmt.Errorf("after %d of %d: %w", posted, n, err)
		}
	}
	return outstanding, err
}

// RecvAccount returns the record of the RECV that the command posts as its request
// number index, from 0.
func RecvAccount(c *core.Call, wr *verbs.RecvWR, at int64, index int) queue.Request {
	return queue.Request{
		WRID: wr.WRID, At: at, Command: c.Done.Number, Index: uint64(index), Signaled: true, List: wr.SGList,
	}
}
