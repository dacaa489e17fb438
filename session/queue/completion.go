package queue

import (
	"fmt"
	"strings"
	"time"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/region"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
)

// pairOn returns the session's queue pair with this number on a device, nil if there
// is none.
func pairOn(d *device.Device, num verbs.QPN) *QP {
	qp, _ := d.QPs.Find(num).(*QP)
	return qp
}

// Harvest takes up to limit completions from the provider, records and returns them;
// the slice is valid until the next call. With an error, they were taken before it. q.mu is held.
func Harvest(s *core.Session, q *CQ, limit int) ([]timeline.Completion, error) {
	n, err := q.CQ.Poll(q.batch(limit))
	q.filled = n == len(q.wcs)
	if n == 0 {
		return nil, err
	}
	now := time.Since(s.Start)
	failed := 0
	q.few = n <= arrivedFew
	for i := range n {
		q.Match(&q.out[i], &q.wcs[i], now)
		if q.wcs[i].Failed() {
			failed++
		}
	}
	out := q.out[:n]
	if failed > 0 {
		q.Explain(s)
	}
	q.Completed.Add(uint64(n - failed))
	q.Failed.Add(uint64(failed))
	s.Tell.Completions(out)
	Seen(s).Add(out)
	s.Changed()
	if failed > 0 {
		watchFailed(s, q, out)
	}
	return out, err
}

// Match adds what is known of the request behind a completion.
func (q *CQ) Match(c *timeline.Completion, wc *verbs.WC, now time.Duration) {
	*c = timeline.Completion{WC: *wc, CQ: q.Name}
	if wc.Failed() {
		q.failed = append(q.failed, Failure{Completion: c})
	}
	qp := q.last
	if qp == nil || qp.Num != wc.QPNum || qp.Gone.Load() {
		if qp = pairOn(q.dev, wc.QPNum); qp == nil {
			return
		}
		q.last = qp
	}
	c.QP = qp.Name
	var failure *Failure
	if wc.Failed() {
		failure = &q.failed[len(q.failed)-1]
		failure.QP = qp
	}
	c.Recv = qp.isRecv(q, wc)
	from := &qp.Sends
	if c.Recv {
		from = qp.Receives()
	}
	if wc.WCFlags&verbs.WCWithInv != 0 && c.Recv && !wc.Failed() {
		qp.invalidated(wc.InvalidatedRKey)
	}
	if r, ok := from.retire(wc.WRID, wc.Failed()); ok {
		c.Matched, c.Opcode, c.Command, c.Index = true, r.Opcode, r.Command, r.Index
		if failure != nil {
			failure.Request, failure.Known = r, true
		}
		if q.few {
			c.Arrived = q.look(r.List, wc)
		}
		if c.Recv && tooLongStatuses[wc.Status] {
			c.Room = q.room(qp, r.List)
		}
		if r.Undo != nil && wc.Failed() {
			r.Undo()
		}
		c.Posted, c.Latency = time.Duration(r.At), now-time.Duration(r.At)
		if !c.Recv {
			qp.Sent.Store(r.At)
		}
	}
}

// tooLongStatuses are the statuses of a RECV that was too short for its message.
// LOC_QP_OP_ERR, which rxe reports, has other causes too.
var tooLongStatuses = map[verbs.WCStatus]bool{verbs.WCLocLenErr: true, verbs.WCLocQPOpErr: true}

// RoomOf returns how many bytes an SGE list can receive. It is 0 if the memory is not
// writable by a RECV of this queue pair: then that is why the RECV failed.
func RoomOf(s *core.Session, qp *QP, list []verbs.SGE) uint64 {
	for i := range list {
		r := region.Of(s, list[i])
		if r == nil || r.MR.Spec().Access&verbs.LocalWrite == 0 {
			return 0
		}
		s.Mu.RLock()
		other := r.PD != qp.PD
		s.Mu.RUnlock()
		if other {
			return 0
		}
	}
	return verbs.TotalLength(list)
}

// requesterStatuses are statuses that only send requests can have.
var requesterStatuses = map[verbs.WCStatus]bool{
	verbs.WCBadRespErr: true, verbs.WCRemInvReqErr: true, verbs.WCRemAccessErr: true, verbs.WCRemOpErr: true,
	verbs.WCRetryExcErr: true, verbs.WCRNRRetryExcErr: true, verbs.WCRemAbortErr: true, verbs.WCMWBindErr: true,
}

// isRecv reports whether a completion belongs to the receive queue. The opcode of a
// failed completion is undefined, so other facts decide.
func (qp *QP) isRecv(q *CQ, wc *verbs.WC) bool {
	switch {
	case !wc.Failed():
		return wc.Opcode.IsRecv()
	case qp.SendCQ != qp.RecvCQ:
		return qp.RecvCQ == q
	case requesterStatuses[wc.Status]:
		return false
	}
	send, recv := qp.Sends.isNext(wc.WRID), qp.Receives().isNext(wc.WRID)
	if send != recv {
		return recv
	}
	return wc.Opcode.IsRecv() // undefined for a failed completion, but most drivers set it
}

// watchFailed reads the states of the queue pairs with failed completions: an RC or
// UC queue pair enters ERR or SQE without a modify.
func watchFailed(s *core.Session, q *CQ, out []timeline.Completion) {
	for i := range out {
		if c := &out[i]; c.WC.Failed() && c.QP != "" {
			if qp := pairOn(q.dev, c.WC.QPNum); qp != nil && qp.StateNow() < verbs.QPSQE {
				ReadState(s, qp, "completion "+c.WC.Status.String())
			}
		}
	}
}

// maxDescribed bounds the completions that a result lists.
const maxDescribed = 16

func describeCompletions(cs []timeline.Completion) string {
	if len(cs) == 0 {
		return "no completion"
	}
	parts := make([]string, 0, maxDescribed+1)
	for i := range cs {
		if i == maxDescribed {
			parts = append(parts, fmt.Sprintf("… %d in all", len(cs)))
			break
		}
		parts = append(parts, describeCompletion(&cs[i]))
	}
	return strings.Join(parts, "; ")
}

func describeCompletion(c *timeline.Completion) string {
	wc := &c.WC
	if wc.Failed() {
		return fmt.Sprintf("wr_id %d %s vendor_err 0x%x", wc.WRID, wc.Status, wc.VendorErr)
	}
	s := fmt.Sprintf("wr_id %d %s %s", wc.WRID, wc.Opcode, wc.Status)
	if wc.Opcode.IsRecv() {
		s += fmt.Sprintf(" %d B", wc.ByteLen)
	}
	if wc.WCFlags&verbs.WCWithImm != 0 {
		s += fmt.Sprintf(" imm 0x%08x", wc.ImmData)
	}
	if wc.WCFlags&verbs.WCWithInv != 0 {
		s += fmt.Sprintf(" invalidated_rkey 0x%x", wc.InvalidatedRKey)
	}
	return s
}

// Unbidden returns how many completions were taken live, by queue.
func Unbidden(s *core.Session) map[string]uint64 {
	var queues []*CQ
	s.Mu.RLock()
	for _, n := range s.Graph.ByKind[command.KindCQ] {
		queues = append(queues, n.Body.(*CQ))
	}
	s.Mu.RUnlock()
	taken := map[string]uint64{}
	for _, q := range queues {
		q.Mu.Lock() // so that the poller has recorded what it counted
		if q.unbidden > 0 {
			taken[q.Name] = q.unbidden
		}
		q.Mu.Unlock()
	}
	return taken
}
