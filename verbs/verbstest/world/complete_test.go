package world

import (
	"context"
	"slices"

	"rdmatui/verbs"
)

// ended is a cancelled context: a wait with it checks once and returns.
var ended = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// collect takes completions and events of the connection manager and returns their number.
func (w *world) collect() (n int) {
	var recvs, sends []verbs.WC
	var at []*domain
	var buf [32]verbs.WC
	poll := func(d *domain, cq verbs.CQ) {
		for {
			k, err := cq.Poll(buf[:])
			w.Must("poll_cq", err)
			if k == 0 {
				return
			}
			for _, wc := range buf[:k] {
				n++
				if r := w.requests[wc.WRID]; r != nil && !r.recv {
					sends = append(sends, wc)
					at = append(at, d)
				} else {
					recvs = append(recvs, wc)
					w.completedRecv(d, &wc)
				}
			}
		}
	}
	for _, d := range w.domains() {
		poll(d, d.cq)
		if d.recvCQ != d.cq {
			poll(d, d.recvCQ)
		}
	}
	for i := range sends {
		w.completedSend(at[i], &sends[i])
	}
	for _, h := range w.hosts {
		if h.managed != nil {
			n += h.managed.events()
		}
	}
	return n
}

// events takes completion events and asynchronous events. The object of each of the latter must exist.
func (d *domain) events() {
	w := d.w
	d.takeEvents(func(verbs.AsyncEvent) {})
	for d.channel != nil {
		cq, err := d.channel.GetCQEvent(ended)
		if err != nil {
			break
		}
		cq.AckEvents(1)
		w.Must("req_notify_cq", cq.ReqNotify(false))
	}
}

// takeEvents takes the asynchronous events.
func (d *domain) takeEvents(see func(verbs.AsyncEvent)) {
	w := d.w
	for {
		ev, err := d.dev.GetAsyncEvent(ended)
		if err != nil {
			return
		}
		w.Note(uint64(ev.Type) << 40)
		w.Tracef("%s: event %s", d.host.name, ev.Type)
		if ev.Type.Element() == verbs.ElementQP && ev.QP == nil {
			w.Fail("event %s of no queue pair", ev.Type)
		}
		see(ev)
	}
}

func (w *world) noteWC(h *host, wc *verbs.WC) {
	w.Note(wc.WRID<<24 ^ uint64(wc.Status)<<8 ^ uint64(wc.ByteLen)<<32 ^ uint64(h.n))
	w.Tracef("%s: wr_id %d %s byte_len %d QP %s", h.name, wc.WRID, wc.Status, wc.ByteLen, wc.QPNum)
}

// completedSend handles a completion of a send queue. It also completes the unsignaled requests before it.
func (w *world) completedSend(d *domain, wc *verbs.WC) {
	h := d.host
	w.noteWC(h, wc)
	r := w.requests[wc.WRID]
	if r == nil {
		w.Fail("%s: second completion of wr_id %d", h.name, wc.WRID)
		return
	}
	e := r.end
	if wc.QPNum != e.num || d != e.dom {
		w.Fail("%s: wr_id %d completes at QP %s but was posted at QP %s", h.name, wc.WRID, wc.QPNum, e.num)
		return
	}
	for len(e.sends) > 0 && e.sends[0] != r {
		first := e.sends[0]
		if first.signaled {
			w.Fail("%s: wr_id %d completes before wr_id %d, which was posted earlier", h.name, r.id, first.id)
			return
		}
		w.done(first)
		first.succeed()
	}
	w.done(r)
	if !wc.Failed() {
		if r.op.Traits().Receives && int(wc.ByteLen) != r.local.length() {
			w.Fail("%s: wr_id %d, %s of %d bytes, has byte_len %d", h.name, r.id, r.op, r.local.length(), wc.ByteLen)
		}
		r.succeed()
		return
	}
	if r.verdict == must && w.perfect && !e.spoiled && !(wc.Status == verbs.WCRNRRetryExcErr && e.rnr < 7) {
		w.Fail("%s: wr_id %d, %s at QP %s, failed with %s although it was valid", h.name, r.id, r.op, e.num, wc.Status)
	}
	if n := w.rnr[uint32(e.num)].times; wc.Status == verbs.WCRNRRetryExcErr && w.perfect && n != int(e.rnr)+1 {
		w.Fail("%s: wr_id %d failed with %s after %d RNR NAKs, with rnr_retry %d", h.name, r.id, wc.Status, n, e.rnr)
	}
	if r.refusal != 0 && w.perfect && wc.Status != r.refusal && wc.Status != verbs.WCWRFlushErr {
		w.Fail("%s: wr_id %d failed with %s; the failure of its RECV requires %s", h.name, r.id, wc.Status, r.refusal)
	}
	if r.window != nil && wc.Status == verbs.WCMWBindErr && !w.insecure() {
		w.Fail("%s: wr_id %d, %s, failed with %s although it was valid", h.name, r.id, r.op, wc.Status)
	}
	r.checkGivenUp(wc.Status)
	e.spoil()
	r.lost()
}

// done removes a send request from the lists.
func (w *world) done(r *request) {
	delete(w.requests, r.id)
	r.end.sends = r.end.sends[1:]
}

// completedRecv handles a completion of a receive queue.
func (w *world) completedRecv(d *domain, wc *verbs.WC) {
	h := d.host
	w.noteWC(h, wc)
	r := w.requests[wc.WRID]
	if r == nil || !r.recv {
		w.Fail("%s: completion of wr_id %d, which is already complete or was never posted", h.name, wc.WRID)
		return
	}
	e := d.ends[wc.QPNum]
	if e == nil || r.end != nil && r.end != e || r.end == nil && e.srq == nil {
		w.Fail("%s: wr_id %d completes at QP %s, where it was not posted", h.name, wc.WRID, wc.QPNum)
		return
	}
	delete(w.requests, r.id)
	queue := &e.recvs
	if r.end == nil {
		queue, e.srq.latest = &e.srq.recvs, max(e.srq.latest, r.id)
	} else if e.recvs[0] != r {
		w.Fail("%s: RECV %d completes before RECV %d, which was posted earlier", h.name, r.id, e.recvs[0].id)
	}
	*queue = slices.DeleteFunc(*queue, func(other *request) bool { return other == r })
	if wc.Failed() {
		w.failedRecv(e, r, wc.Status)
		if e.typ == verbs.RC {
			e.spoil()
		}
		r.abandonLocal()
		return
	}
	w.receive(e, r, wc)
}

// failedRecv compares the failure of a RECV with the mistake in it.
func (w *world) failedRecv(e *end, r *request, status verbs.WCStatus) {
	if w.insecure() {
		return
	}
	if r.bad && !slices.Equal(r.local[1:].actual(), r.local[1:].model()) {
		w.Fail("integrity: RECV %d at QP %s failed with %s, but bytes of its forbidden element were written",
			r.id, e.num, status)
	}
	room := r.local.length()
	if e.typ == verbs.UD {
		room -= verbs.GRHLen
	}
	long := slices.IndexFunc(e.inbound, func(m *request) bool { return len(m.data) > room })
	ok := !w.perfect || e.spoiled
	switch {
	case status == verbs.WCWRFlushErr:
		return
	case status == verbs.WCLocProtErr:
		ok = r.bad
	case status == verbs.WCLocLenErr:
		// an attacker's datagram was too long
		ok = long == 0 || long > 0 && e.typ != verbs.RC || e.typ == verbs.UD && w.plan.hostile != peaceful
	}
	if !ok {
		w.Fail("%s: RECV %d at QP %s failed with %s, for which there is no cause", e.dom.host.name, r.id, e.num, status)
	}
	if e.typ == verbs.RC && len(e.inbound) > 0 {
		e.inbound[0].refusal = refusals[status]
	}
}

// refusals maps the status of a failed RECV to the status of its SEND.
var refusals = map[verbs.WCStatus]verbs.WCStatus{
	verbs.WCLocProtErr: verbs.WCRemOpErr, verbs.WCLocLenErr: verbs.WCRemInvReqErr,
}

// receive compares a RECV with the messages that were sent.
func (w *world) receive(e *end, r *request, wc *verbs.WC) {
	n := int(wc.ByteLen)
	if wc.Opcode == verbs.WCRecvRDMAWithImm {
		n = 0
	}
	if n > r.local.length() {
		w.Fail("RECV %d of %d bytes has byte_len %d", r.id, r.local.length(), wc.ByteLen)
		return
	}
	if r.bad && n > r.local[:1].length() && !w.insecure() {
		w.Fail("RECV %d of %d bytes at QP %s succeeded despite a forbidden element", r.id, n, e.num)
	}
	got := r.local.actual()
	// Nothing may be written after the message, except on UC by an earlier message that was longer and lost its end.
	if behind := r.local.model(); e.typ != verbs.UC && !w.insecure() && !slices.Equal(got[n:], behind[n:]) {
		w.Fail("integrity: RECV %d of %d bytes at QP %s: bytes after its message of %d are changed", r.id,
			r.local.length(), e.num, n)
	}
	head := 0
	if e.typ == verbs.UD {
		head = verbs.GRHLen
	}
	if n < head && wc.Opcode == verbs.WCRecv {
		w.Fail("RECV %d of a datagram has byte_len %d", r.id, n)
		return
	}
	at := -1
	for i, m := range e.inbound {
		if wc.Opcode == verbs.WCRecv && m.matches(wc, got[head:n]) || wc.Opcode != verbs.WCRecv && m.matches(wc, nil) {
			at = i
			break
		}
		if e.typ == verbs.RC {
			break // only the oldest can match
		}
	}
	if at >= 0 && e.inbound[at].reached != nil {
		e.inbound[at].reached[e]++
	}
	switch {
	case at >= 0 && e.typ == verbs.RC:
		m := e.inbound[at]
		e.inbound = e.inbound[at+1:]
		m.received = true
		e.dom.invalidated(e, m)
		if m.verdict == never && !w.insecure() {
			w.Fail("RECV %d at QP %s received request %d, which must be refused: %s", r.id, e.num, m.id, m.why)
		}
	case at < 0 && !w.insecure() && !(e.typ == verbs.UD && w.plan.hostile != peaceful):
		w.Fail("integrity: RECV %d at QP %s of %s, %s, byte_len %d: no such message was sent, or it is out of order",
			r.id, e.num, e.dom.host.name, e.typ, wc.ByteLen)
	}
	r.abandonLocal()
}
