package transport

import (
	"syscall"

	"rdmatui/verbs"
)

// PostSend posts requests in order and rings the doorbell once.
func (q *QP) PostSend(wrs ...verbs.SendWR) (posted int, err error) {
	s := &q.sq
	s.mu.Lock()
	for posted < len(wrs) {
		if err = q.postSend(&wrs[posted], verbs.MWType2); err != nil {
			break
		}
		posted++
	}
	s.mu.Unlock()
	if posted > 0 {
		q.eng.post(q)
	}
	return posted, q.fail("ibv_post_send", err)
}

// BindMW posts the binding of a type 1 window.
func (q *QP) BindMW(window verbs.MW, wrID uint64, flags verbs.SendFlags, bind verbs.MWBinding) error {
	err := q.mem.BindNext(window, func(key uint32) error {
		wr := verbs.SendWR{
			WRID: wrID, Opcode: verbs.WRBindMW,
			SendFlags: flags, Bind: &verbs.BindWR{MW: window, RKey: key, MWBinding: bind},
		}
		q.sq.mu.Lock()
		defer q.sq.mu.Unlock()
		return q.postSend(&wr, verbs.MWType1)
	})
	if err != nil {
		return q.fail("ibv_bind_mw", err)
	}
	q.eng.post(q)
	return nil
}

// post is ring for callers that hold no lock: they run the round themselves if possible.
func (e *Engine) post(q *QP) {
	if e.list(q) && !e.assist(e.sendRound) {
		e.Wake()
	}
}

// postSend adds one request to the send queue; sq.mu is held. A BIND_MW must name a window of the given type.
func (q *QP) postSend(wr *verbs.SendWR, windows verbs.MWType) (err error) {
	s := &q.sq
	if q.closed {
		return verbs.ErrClosed
	}
	if q.state < verbs.QPRTS {
		return syscall.EINVAL
	}
	if err := q.checkSend(wr); err != nil {
		return err
	}
	tail := s.tail.Load()
	if tail-s.head.Load() >= s.depth {
		return syscall.ENOMEM
	}
	w, t := s.at(tail), wr.Opcode.Traits()
	if t.Bind {
		if w.bind, err = q.mem.NewBinding(wr.Bind, windows); err != nil {
			return err
		}
	}
	w.wrID, w.op, w.flags, w.imm = wr.WRID, wr.Opcode, wr.SendFlags, wr.ImmData
	w.remote, w.rkey, w.status, w.split, w.done = wr.RemoteAddr, wr.RKey, verbs.WCSuccess, false, false
	w.invalidate, w.compareAdd, w.swap = wr.InvalidateKey, wr.CompareAdd, wr.Swap
	if q.typ == verbs.UD {
		w.address(wr, q.pd)
	}
	w.length, w.flush = uint32(verbs.TotalLength(wr.SGList)), wr.Flush
	switch {
	case t.Atomic:
		w.length = verbs.AtomicLen
	case t.Flush:
		w.length = wr.Flush.Length
	}
	w.list = append(w.list[:0], wr.SGList...)
	w.inline = w.inline[:0]
	if wr.SendFlags&verbs.SendInline != 0 || t.Copied {
		var ok bool
		if w.inline, ok = q.mem.AppendInline(w.inline, w.list); !ok {
			return syscall.EFAULT
		}
	}
	if t.Bind {
		w.bind.Posted()
	}
	s.tail.Store(tail + 1)
	return nil
}

// checkSend returns an error if the queue pair must not take the request.
func (q *QP) checkSend(wr *verbs.SendWR) error {
	t := wr.Opcode.Traits()
	if !t.Posted() || !t.On(q.typ) {
		return &verbs.UnsupportedError{
			Feature: wr.Opcode.String() + " on " + q.typ.String() + " queue pairs of a software device",
		}
	}
	if err := q.sendOps.Lack(wr.Opcode); err != nil {
		return err
	}
	n := verbs.TotalLength(wr.SGList)
	if len(wr.SGList) > int(q.cap.MaxSendSGE) || n > MaxMsg {
		return syscall.EINVAL
	}
	if wr.SendFlags&verbs.SendInline != 0 && (n > uint64(q.cap.MaxInlineData) || t.Receives) {
		return syscall.EINVAL
	}
	if t.Atomic && n < verbs.AtomicLen || t.Local() && len(wr.SGList) > 0 || t.Placement() && !isWholePlacement(wr) {
		return syscall.EINVAL
	}
	if q.typ == verbs.UD {
		return q.checkAH(wr.AH)
	}
	return nil
}

// isWholePlacement reports whether a request has the data that its operation needs: 8 bytes in one element, or none.
func isWholePlacement(wr *verbs.SendWR) bool {
	if wr.SendFlags&verbs.SendInline != 0 {
		return false
	}
	if wr.Opcode.Traits().Flush {
		return len(wr.SGList) == 0
	}
	return len(wr.SGList) == 1 && wr.SGList[0].Length == verbs.AtomicLen
}

// checkAH returns an error if the queue pair cannot use the address handle. Its protection domain is checked when the
// request is executed.
func (q *QP) checkAH(h verbs.AH) error {
	own, isOurs := h.(*ah)
	switch {
	case h == nil:
		return syscall.EINVAL
	case !isOurs || own.pd.dev != q.dev:
		return verbs.ErrForeignObject
	}
	return nil
}

// address sets the destination of a datagram of a queue pair in a protection domain.
func (w *sendWQE) address(wr *verbs.SendWR, own *PD) {
	to := wr.AH.(*ah)
	w.path, w.foreign = to.path, to.pd != own
	w.destQP, w.qkey = uint32(wr.RemoteQPN), wr.RemoteQKey
}

// PostRecv posts receive requests. The engine need not be woken, except in ERR, where the requests must be flushed. A
// queue pair on a shared receive queue accepts none.
func (q *QP) PostRecv(wrs ...verbs.RecvWR) (posted int, err error) {
	r := &q.rq
	r.mu.Lock()
	for posted < len(wrs) {
		if err = q.postRecv(&wrs[posted]); err != nil {
			break
		}
		posted++
	}
	flush := q.state == verbs.QPErr
	r.mu.Unlock()
	if flush {
		q.eng.ring(q)
	}
	return posted, q.fail("ibv_post_recv", err)
}

// postRecv adds one request to the queue pair's own ring; rq.mu is held.
func (q *QP) postRecv(wr *verbs.RecvWR) error {
	if q.closed {
		return verbs.ErrClosed
	}
	if q.state == verbs.QPReset || q.rq.shared != nil {
		return syscall.EINVAL
	}
	return q.rq.post(wr)
}
