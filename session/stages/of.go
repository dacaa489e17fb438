package stages

import (
	"time"

	"rdmatui/session/core"
	"rdmatui/session/packets"
	"rdmatui/session/queue"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// Of returns what is known of the request of a completion of a send queue.
func Of(s *core.Session, e *timeline.Event) Request {
	c := &e.WC
	r := Request{QP: c.QP, Opcode: c.Opcode, WRID: c.WC.WRID, Posted: c.Posted, Done: true, Status: c.WC.Status}
	f := facts{op: c.Opcode, done: true, status: c.WC.Status, typ: verbs.RC}
	f.set(Posted, 0)
	f.set(Polled, c.Latency)
	look(s, &r, &f, e.T)
	return r
}

// recent is how many events are searched for the last completion of a queue pair.
const recent = 1 << 10

// Last returns the oldest request of a queue pair that has not completed, or else the last one that has; ok is false if
// there is none.
func Last(s *core.Session, name string) (r Request, ok bool) {
	q := find(s, name)
	if q == nil {
		return r, false
	}
	if w, waits := q.Sends.Oldest(); waits {
		r = Request{QP: name, Opcode: w.Opcode, WRID: w.WRID, Posted: time.Duration(w.At)}
		f := facts{op: w.Opcode}
		f.set(Posted, 0)
		look(s, &r, &f, 0)
		return r, true
	}
	var last *timeline.Event
	events := s.Log.Tail(recent, nil)
	for i := range events {
		e := &events[i]
		if e.Kind == timeline.KindWC && e.WC.Matched && !e.WC.Recv && e.WC.QP == name &&
			(last == nil || Counts(&e.WC, last.WC.WC.Status)) {
			last = e
		}
	}
	if last == nil {
		return r, false
	}
	return Of(s, last), true
}

// Counts reports whether a completion is worth more than one before it with a given status: a flushed request only
// follows the one that failed.
func Counts(c *timeline.Completion, before verbs.WCStatus) bool {
	return c.WC.Status != verbs.WCWRFlushErr || before == verbs.WCSuccess
}

func find(s *core.Session, name string) *queue.QP {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	n := s.Graph.ByName[name]
	if n == nil {
		return nil
	}
	q, _ := n.Body.(*queue.QP)
	return q
}

// look adds what the device recorded of a request, or what its packets show until it completed.
func look(s *core.Session, r *Request, f *facts, until time.Duration) {
	if q := find(s, r.QP); q != nil {
		s.Mu.RLock()
		r.Device, r.Peer, r.Type = q.PD.Device.Name, q.Peer(), q.Spec.QPType
		s.Mu.RUnlock()
		f.typ = r.Type
		f.ask(s, r, q)
		if f.done && !f.recorded && r.Posted == time.Duration(q.Sent.Load()) { // else another has completed since
			packets.Flush(s) // the packets of this request may not have been read yet
			w := onWire{q: q, device: r.Device, from: r.Posted, to: until}
			w.look(packets.Since(s, 0, maxLooked, nil))
			w.tell(f)
		}
	}
	r.Steps, r.Stop = f.build()
}

// set records that a step was measured.
func (f *facts) set(s Stage, after time.Duration) { f.at[s], f.measured[s] = max(after, 0), true }

// ask adds what the queue pair, and its peer's if that is on a device of the same provider, recorded.
func (f *facts) ask(s *core.Session, r *Request, q *queue.QP) {
	d, ok := q.QP.(verbs.StepRecorder)
	if !ok {
		return
	}
	posted := s.Start.Add(r.Posted)
	all := d.Steps()
	for i := len(all) - 1; i >= 0; i-- {
		st := &all[i]
		if st.WRID != r.WRID || st.Fetched.Before(posted) || f.done && st.Fetched.After(posted.Add(f.at[Polled])) {
			continue
		}
		f.recorded = true
		f.take(st, posted)
		f.hear(s, r, st, posted)
		return
	}
}

// take adds a device's record of the request.
func (f *facts) take(st *verbs.RequestSteps, posted time.Time) {
	for stage, at := range map[Stage]time.Time{Fetched: st.Fetched, Built: st.Built, Sent: st.Sent, Placed: st.Placed,
		Acknowledged: st.Answered, CQE: st.Completed} {
		if !at.IsZero() {
			f.set(stage, at.Sub(posted))
		}
	}
	n := int(st.Last-st.First)&int(verbs.MaxPSN) + 1
	if Pulls(f.op) {
		f.notes[Acknowledged] = format.Counted(n, "packet")
	} else if f.measured[Sent] {
		f.notes[Sent] = format.Counted(n, "packet")
	}
	if st.Resent > 0 {
		f.notes[Sent] = "sent " + format.Counted(st.Resent+1, "time")
	}
	if f.done && refused[f.status] && f.measured[Acknowledged] {
		f.notes[Acknowledged] = "NAK"
	}
}

// hear adds what the peer's device recorded of the request.
func (f *facts) hear(s *core.Session, r *Request, st *verbs.RequestSteps, posted time.Time) {
	for _, p := range s.Opts.Providers {
		t, ok := p.(verbs.ServeTeller)
		if !ok {
			continue
		}
		served, recorded := t.Served(st.Peer, st.PeerQP)
		f.near = f.near || recorded
		for i := len(served) - 1; i >= 0; i-- {
			v := &served[i]
			if v.Last != st.Last || v.At.Before(st.Fetched) || f.typ == verbs.UD && v.From != numOf(s, r.QP) {
				continue
			}
			if Pulls(f.op) {
				r.Served = v.At.Sub(posted)
				f.notes[Acknowledged] += ", executed there after " + format.Span(r.Served)
			} else {
				f.set(Placed, v.At.Sub(posted))
			}
			return
		}
	}
}

func numOf(s *core.Session, name string) verbs.QPN {
	if q := find(s, name); q != nil {
		return q.Num
	}
	return 0
}
