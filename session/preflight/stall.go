package preflight

import (
	"fmt"
	"time"

	"rdmatui/session/core"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// Stall is a send request that delays those behind it.
type Stall struct {
	WRID uint64
	Why  string // with values, as "RNR, 412 NAKs; b posted no RECV"
	Fix  Fix
	Over bool // the reason is resolved: the device is about to retry
}

// Behind says what the next request waits for.
func (st *Stall) Behind() string { return fmt.Sprintf("waits behind wr %d: %s", st.WRID, st.Why) }

// longAfter is the age from which a request is reported even without a known reason.
const longAfter = time.Second

// Stalled says what the oldest send request of a queue pair waits for; ok is false if none is known to wait. It uses
// the last observed progress.
func Stalled(s *core.Snapshot, q *core.QPView) (st Stall, ok bool) {
	waiting, f := q.Waiting(), q.Flight()
	if len(waiting) == 0 || f.Age == 0 || q.State == verbs.QPErr || q.State == verbs.QPSQE {
		return st, false
	}
	st = Stall{WRID: f.WRID}
	switch t := &f.Tries; {
	case q.State == verbs.QPSQD && f.Out == 0:
		st.Why, st.Fix = q.Name+" is in SQD, which starts no request", FixState
	case t.RNRNAKs > 0:
		st.notReady(s, q, &f)
	case t.Timeouts+t.Resends+t.SequenceNAKs > 0:
		st.unanswered(s, q, &f)
	case f.Age < longAfter:
		return st, false
	case !f.Told:
		st.Why = fmt.Sprintf("posted %s ago; %s does not report its progress", format.Span(f.Age), q.Device)
	case f.Out > 0:
		st.Why = fmt.Sprintf("posted %s ago, %d of %d packets sent, %d acknowledged", format.Span(f.Age), f.Out,
			f.Packets, f.Acked)
	default:
		st.Why = fmt.Sprintf("posted %s ago, not sent yet", format.Span(f.Age))
	}
	return st, true
}

// whose says that a counter is for the whole device, if it is.
func whose(q *core.QPView, f *core.FlightView) string {
	if f.By == core.ToldByDevice {
		return " at " + q.Device
	}
	return ""
}

// notReady describes an RNR retry.
func (st *Stall) notReady(s *core.Snapshot, q *core.QPView, f *core.FlightView) {
	st.Why = "RNR, " + format.Counted(f.Tries.RNRNAKs, "NAK") + whose(q, f)
	switch peer := s.Receiver(q); {
	case peer == nil:
		st.Why += "; the peer posted no RECV"
	case peer.RecvPosted == 0:
		st.Why, st.Fix = st.Why+"; "+peer.Name+" posted no RECV", FixRecv
	default:
		st.Why, st.Over = st.Why+"; "+peer.Name+" has a RECV now", true
	}
}

// unanswered describes a retry after packet loss.
func (st *Stall) unanswered(s *core.Snapshot, q *core.QPView, f *core.FlightView) {
	t := &f.Tries
	st.Why = "no acknowledgement" + whose(q, f)
	switch {
	case t.Timeouts > 0:
		st.Why += ", " + format.Counted(t.Timeouts, "timeout")
	case t.SequenceNAKs > 0:
		st.Why += ", " + format.Counted(t.SequenceNAKs, "sequence NAK")
	default:
		st.Why += ", " + format.Counted(t.Resends, "retry")
	}
	if peer := s.Receiver(q); peer != nil && !receives(peer) {
		st.Why, st.Fix = st.Why+"; "+peer.Name+" is "+peer.State.String()+", which drops packets", FixPeerState
		return
	}
	if d := s.Device(q.Device); d != nil && d.Faults.Active() {
		st.Why += "; faults of " + d.Name + ": " + d.Faults.Text(format.Span)
	}
}

// InUse says which outstanding request reads or writes any of n bytes of a region from an offset; ok is false if none
// is known to.
func InUse(s *core.Snapshot, m *core.MRView, off, n uint64) (text string, ok bool) {
	for i := range s.QPs {
		q := &s.QPs[i]
		if f := q.Flight(); !f.Seen() {
			continue
		}
		for _, w := range q.Waiting() {
			if q.Device == m.Device && w.Uses(m.LKey, m.RKey, m.Addr+off, n) {
				return fmt.Sprintf("wr %d of %s (%s) still uses these bytes of %s", w.WRID, q.Name, w.Opcode, m.Name),
					true
			}
		}
	}
	return "", false
}

// receives reports whether a queue pair accepts packets.
func receives(q *core.QPView) bool {
	return q.State == verbs.QPRTR || q.State == verbs.QPRTS || q.State == verbs.QPSQD
}

// ahead checks for a stalled request in the queue: certain if it has been retried.
func (r *Request) ahead(c *Report, q *core.QPView) {
	st, ok := Stalled(r.Snapshot, q)
	if !ok {
		return
	}
	f := Finding{Verdict: Missing, Text: st.Behind(), Fix: st.Fix}
	if st.Over || q.Flight().Tries == (verbs.Tries{}) {
		f.Verdict = Unknown
	}
	*c = append(*c, f)
	r.noRecv = st.Fix == FixRecv
}

// taken counts the requests ahead that each consume a RECV of the peer, if the device reports which have not completed.
func taken(q *core.QPView) (n int) {
	if f := q.Flight(); !f.Told {
		return 0
	}
	for _, w := range q.Waiting() {
		if w.Opcode.Traits().NeedRecv {
			n++
		}
	}
	return n
}
