package world

import (
	"rdmatui/verbs"
	"rdmatui/verbs/verbstest/sim"
)

// stepOverrun posts more datagrams than their completion queue has room for, and polls only afterwards: the first
// completions are there, the queue has raised one CQ_ERR, and the queue pair is in ERR. If all completions fit, no
// event is raised.
func (w *world) stepOverrun() {
	d := sim.Pick(w.Rng, w.hosts...).dom
	if d.closed {
		return
	}
	d.events()
	room, posted := 1+w.Rng.IntN(4), 1+w.Rng.IntN(7)
	cq, err := d.dev.CreateCQ(verbs.CQSpec{CQE: room})
	if !w.Must("create_cq", err) {
		return
	}
	qp, err := d.pd.CreateQP(verbs.QPSpec{
		QPType: verbs.UD, SendCQ: cq, RecvCQ: cq, Cap: verbs.QPCap{MaxSendWR: 7}, SQSigAll: true,
	})
	if !w.Must("create_qp", err) {
		return
	}
	w.bringUp(&end{w: w, dom: d, qp: qp, num: qp.Num(), typ: verbs.UD})
	ah := d.handle(d, 1)
	var wrs []verbs.SendWR
	for i := range posted {
		wrs = append(wrs, verbs.SendWR{
			WRID: uint64(i), Opcode: verbs.WRSend, AH: ah, RemoteQPN: qp.Num(), RemoteQKey: 1,
		})
	}
	// The rest follows when the queue pair is in ERR: how many of it were sent before would depend on the scheduler.
	sent := min(posted, room+1)
	for _, part := range [][]verbs.SendWR{wrs[:sent], wrs[sent:]} {
		_, err = qp.PostSend(part...)
		w.Must("post_send", err)
		w.Settle()
	}
	w.Tracef("%s: %d completions for %d entries", d.host.name, posted, room)
	d.checkOverrun(cq, qp, min(room, posted), posted > room)
	w.Must("destroy_qp", qp.Close())
	w.numberGone(qp.Num())
	w.Must("destroy_cq", cq.Close())
}

// checkOverrun polls a queue and checks for an overrun, or for its absence.
func (d *domain) checkOverrun(cq verbs.CQ, qp verbs.QP, want int, over bool) {
	w := d.w
	buf := make([]verbs.WC, want+1)
	n, err := cq.Poll(buf)
	w.Must("poll_cq", err)
	if n != want {
		w.Fail("%s: %d completions in a queue with room for %d", d.host.name, n, want)
	}
	for i, wc := range buf[:n] {
		if wc.WRID != uint64(i) || wc.Failed() {
			w.Fail("%s: completion %d of an overrun queue is wr_id %d, %s", d.host.name, i, wc.WRID, wc.Status)
		}
	}
	state, times := verbs.QPRTS, 0
	if over {
		state, times = verbs.QPErr, 1
	}
	attr, _, err := qp.Query(verbs.AttrState)
	w.Must("query_qp", err)
	if attr.QPState != state {
		w.Fail("%s: the queue pair is in %s, want %s", d.host.name, attr.QPState, state)
	}
	told := map[verbs.EventType]int{}
	d.takeEvents(func(ev verbs.AsyncEvent) {
		if ev.CQ == cq || ev.QP == qp {
			told[ev.Type]++
		}
	})
	if told[verbs.EventCQErr] != times || told[verbs.EventQPFatal] != times {
		w.Fail("%s: %d CQ_ERR and %d QP_FATAL, want %d of each", d.host.name, told[verbs.EventCQErr],
			told[verbs.EventQPFatal], times)
	}
}
