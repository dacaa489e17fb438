package soft

import "rdmatui/verbs"

// BindMW posts the binding of a type 1 window.
func (q *qp) BindMW(window verbs.MW, wrID uint64, flags verbs.SendFlags, bind verbs.MWBinding) error {
	err := q.mem.BindNext(window, func(key uint32) error {
		wr := verbs.SendWR{WRID: wrID, Opcode: verbs.WRBindMW, SendFlags: flags, Bind: &verbs.BindWR{MW: window, RKey: key, MWBinding: bind}}
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

// isLocal tells the requests that are done on this side and send nothing.
func isLocal(op verbs.WROpcode) bool { return op == verbs.WRBindMW || op == verbs.WRLocalInv }

// doLocal executes such a request in its turn, and passes it by where what was sent before it is being sent again. It is complete once all
// before it are.
func (q *qp) doLocal(w *sendWQE) {
	if !w.done && !q.execute(w) {
		w.status = verbs.WCMWBindErr
		return
	}
	w.done = true
	q.req.next++
	q.settle()
}

func (q *qp) execute(w *sendWQE) bool {
	if w.op == verbs.WRLocalInv {
		return q.mem.Invalidate(w.invalidate)
	}
	return q.mem.Bind(w.bind)
}

// settle completes the oldest requests as long as they are local and done.
func (q *qp) settle() {
	for q.outstanding() {
		w := q.sq.at(q.sq.head.Load())
		if !w.done {
			return
		}
		q.succeed(w)
	}
}
