package transport

import "rdmatui/verbs"

// BindMW posts the binding of a type 1 window.
func (q *QP) BindMW(window verbs.MW, wrID uint64, flags verbs.SendFlags, bind verbs.MWBinding) error {
	err := q.mem.BindNext(window, func(key uint32) error {
		wr := verbs.SendWR{WRID: wrID, Opcode: verbs.WRBindMW, SendFlags: flags, Bind: &verbs.BindWR{MW: window, RKey: key, MWBinding: bind}}
		q.sq.mu.Lock()
		defer q.sq.mu.Unlock()
		return q.sq.post(&wr, verbs.MWType1)
	})
	if err != nil {
		return q.fail("ibv_bind_mw", err)
	}
	q.eng.post(q)
	return nil
}

// isLocal tells the requests that are done on this side and send nothing.
func isLocal(op verbs.WROpcode) bool { return op == verbs.WRBindMW || op == verbs.WRLocalInv }

// doLocal executes such a request in its turn, and passes it by where what was sent before it is being sent again. It is complete once all
// before it are.
func (r *requester) doLocal(w *sendWQE) {
	if !w.done && !r.execute(w) {
		w.status = verbs.WCMWBindErr
		return
	}
	w.done = true
	r.next++
	r.q.comp.settle()
}

func (r *requester) execute(w *sendWQE) bool {
	if w.op == verbs.WRLocalInv {
		return r.q.mem.Invalidate(w.invalidate)
	}
	return r.q.mem.Bind(w.bind)
}

// settle completes the oldest requests as long as they are local and done.
func (c *completer) settle() {
	for c.outstanding() {
		w := c.q.sq.at(c.q.sq.head.Load())
		if !w.done {
			return
		}
		c.succeed(w)
	}
}
