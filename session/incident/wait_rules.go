package incident

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rdmatui/assets/explain"
	"rdmatui/session/core"
	"rdmatui/session/preflight"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// downPort is for ports that carry nothing: that of a queue pair, of an identifier, or of the device.
func downPort(x *facts) *finding {
	for _, q := range x.waiting {
		if f := x.down(q.Device, q.Port); f != nil {
			return f
		}
		if p := x.snap.Receiver(q); p != nil {
			if f := x.down(p.Device, p.Port); f != nil {
				return f
			}
		}
	}
	if id := x.id(); id != nil && id.Device != "" {
		return x.down(id.Device, id.PortNum)
	}
	return nil
}

// down says that a port is not ACTIVE; nil if it is, or its state is unknown.
func (x *facts) down(device string, port uint8) *finding {
	p, ok := x.snap.PortAttr(device, port)
	if !ok || p.State == verbs.PortActive || p.State == 0 || p.State == verbs.PortUnreadable {
		return nil
	}
	name := x.snap.Provided(device)
	return &finding{
		text: fmt.Sprintf("port %d of %s is %s, so no packet passes", port, name, p.State), sure: true,
		advice: []string{fmt.Sprintf("bring the link up, then query_port %s port_num=%d must tell ACTIVE", device,
			port)},
	}
}

// connectionEnded is for queue pairs whose connection the peer or this end has ended.
func connectionEnded(x *facts) *finding {
	for _, q := range x.waiting {
		id := x.idOf(q)
		if id == nil || id.State != core.IDDisconnected {
			continue
		}
		text := "the connection of " + id.Name + " has ended"
		if m := x.event(id.Name, verbs.CMDisconnected); m != nil {
			text += ", DISCONNECTED at " + seconds(m.at)
		}
		return &finding{text: text, sure: true, advice: []string{"connect again; a wait with while=" + id.Name +
			" ends with the connection"}}
	}
	return nil
}

// failedBefore is for queue pairs that an earlier failure has stopped.
func failedBefore(x *facts) *finding {
	for _, q := range x.waiting {
		in := x.failure(q.Name)
		if in == nil || q.State != verbs.QPErr && q.State != verbs.QPSQE {
			continue
		}
		text := fmt.Sprintf("wr_id %d of %s failed before, with %s", in.Completion.WC.WRID, q.Name,
			in.Completion.WC.Status)
		if in.Completion.Cause.Text != "" {
			text += ": " + in.Completion.Cause.Text
		}
		return &finding{text: text, sure: true}
	}
	return nil
}

// overran is for completion queues that have lost completions.
func overran(x *facts) *finding {
	for _, c := range x.awaitedCQs() {
		if c.Overruns > 0 {
			return &finding{text: fmt.Sprintf("%s was full and lost completions (CQ_ERR)", c.Name), sure: true,
				advice: []string{fmt.Sprintf("create it with more than cqe=%d, or poll more often", c.CQE)}}
		}
	}
	return nil
}

// noQueuePair is for queues in which nothing can complete.
func noQueuePair(x *facts) *finding {
	cqs := x.awaitedCQs()
	if x.wait.Kind == core.AwaitedCQEvent && len(cqs) == 0 {
		return &finding{text: fmt.Sprintf("no completion queue raises events on %s", x.wait.Of()), sure: true,
			advice: []string{"create one with create_cq channel=" + x.wait.Of()}}
	}
	if len(x.waiting) > 0 || len(cqs) == 0 {
		return nil
	}
	return &finding{text: "no queue pair completes in " + cqs[0].Name, sure: true,
		advice: []string{"create one with create_qp send_cq=" + cqs[0].Name}}
}

// notArmed is for completion channels whose queues raise no event.
func notArmed(x *facts) *finding {
	cqs := x.awaitedCQs()
	if len(cqs) == 0 || slices.ContainsFunc(cqs, func(c *core.CQView) bool { return c.Armed >= core.ArmedForAny }) {
		return nil
	}
	c := cqs[0]
	for _, other := range cqs { // that with completions to tell of
		if x.filled(other.Name) > x.filled(c.Name) {
			c = other
		}
	}
	text := c.Name + " was never armed"
	if c.Armed == core.NotArmed {
		text = c.Name + " was not armed again after its event"
	}
	if n := x.filled(c.Name); n > 0 {
		text += ", so its " + format.Counted(n, "completion") + " raised no event"
	} else {
		text += ", so a completion raises no event"
	}
	return &finding{text: text, sure: true,
		advice: []string{fmt.Sprintf("req_notify_cq %s before the request is posted", c.Name)}}
}

const solicit = "post the peer's SEND with send_flags=SOLICITED, or arm with solicited_only=0"

// unreported is for armed queues of a device that does not report how many completions they hold: those of before raise
// no event.
func unreported(x *facts) *finding {
	for _, c := range x.awaitedCQs() {
		switch {
		case x.filled(c.Name) >= 0 || c.Outstanding == 0:
		case c.Armed == core.ArmedForSolicited:
			return &finding{text: c.Name + " is armed for solicited completions only: others raise no event",
				advice: []string{solicit}}
		case c.Armed == core.ArmedForAny:
			return &finding{text: fmt.Sprintf("completions from before %s was armed raise no event, and %s does not report "+
				"them", c.Name, x.snap.Provided(c.Device)),
				advice: []string{fmt.Sprintf("poll_cq %s after arming, then wait", c.Name)}}
		}
	}
	return nil
}

// armedLate is for completions that came before the queue was armed, or that raise no event.
func armedLate(x *facts) *finding {
	for _, c := range x.awaitedCQs() {
		n := x.filled(c.Name)
		switch {
		case n <= 0:
		case c.Armed == core.ArmedForSolicited:
			return &finding{text: fmt.Sprintf("%s is armed for solicited completions only, and its %s", c.Name,
				isNot(n, "solicited")), sure: true, advice: []string{solicit}}
		case c.Armed == core.ArmedForAny:
			return &finding{text: fmt.Sprintf("%s has %s from before it was armed", c.Name, format.Counted(n,
				"completion")),
				sure: true, advice: []string{fmt.Sprintf("poll_cq %s n=%d after arming, then wait", c.Name, n)}}
		}
	}
	return nil
}

func isNot(n int, what string) string {
	if n == 1 {
		return "completion is not " + what
	}
	return fmt.Sprintf("%d completions are not %s", n, what)
}

// mtuAbovePort is for a path MTU that the port of either end does not carry.
func mtuAbovePort(x *facts) *finding {
	for _, q := range x.waiting {
		for _, end := range []*core.QPView{q, x.snap.Receiver(q)} {
			if end == nil || end.Attr.Mask&verbs.AttrPathMTU == 0 {
				continue
			}
			p, ok := x.snap.PortAttr(end.Device, end.Port)
			if !ok || p.ActiveMTU == 0 || end.Attr.PathMTU <= p.ActiveMTU {
				continue
			}
			return &finding{
				text: fmt.Sprintf("path_mtu %s of %s is above active_mtu %s of port %d of %s", end.Attr.PathMTU,
					end.Name,
					p.ActiveMTU, end.Port, x.snap.Provided(end.Device)), sure: true,
				advice: []string{fmt.Sprintf("raise the MTU of the interface, or bring both ends up with path_mtu=%s",
					p.ActiveMTU)},
			}
		}
	}
	return nil
}

// unsignaled is for waits for requests that complete in silence.
func unsignaled(x *facts) *finding {
	for _, q := range x.waiting {
		if q.Sends == nil || !x.completesHere(q.SendCQ) {
			continue
		}
		if q.Flight().Tries != (verbs.Tries{}) {
			continue // it waits for its peer first
		}
		silent := func(r core.RequestView) bool { return !r.Signaled }
		if i := slices.IndexFunc(q.Sends.Oldest, silent); i >= 0 && !slices.ContainsFunc(q.Sends.Oldest,
			func(r core.RequestView) bool { return r.Signaled }) {
			r := &q.Sends.Oldest[i]
			return &finding{text: fmt.Sprintf("wr_id %d of %s (%s) is not SIGNALED, so it has no completion unless it fails",
				r.WRID, q.Name, r.Opcode), sure: true,
				advice: []string{"post it with send_flags=SIGNALED, or create " + q.Name + " with sq_sig_all=1"}}
		}
	}
	return nil
}

// completesHere reports whether a wait is about a completion queue.
func (x *facts) completesHere(cq string) bool {
	if x.wait.Kind == core.AwaitedMessage {
		return true
	}
	return slices.ContainsFunc(x.awaitedCQs(), func(c *core.CQView) bool { return c.Name == cq })
}

// requestWaits is for send requests that the device has not completed.
func requestWaits(x *facts) *finding {
	for _, q := range x.waiting {
		if !x.completesHere(q.SendCQ) || q.SendOutstanding == 0 && x.wait.Kind != core.AwaitedMessage {
			continue
		}
		if f := x.why(q); f != nil {
			return f
		}
	}
	return nil
}

// why says why a queue pair's oldest send request has not completed: what it would fail with, had it been retried long
// enough, has the same causes.
func (x *facts) why(q *core.QPView) *finding {
	st, stalled := preflight.Stalled(x.snap, q)
	prefix := ""
	if st.WRID != 0 {
		prefix = fmt.Sprintf("wr_id %d of %s waits: ", st.WRID, q.Name)
	}
	tries := x.triesOf(q.Name)
	if tries == nil {
		f := q.Flight()
		tries = &f.Tries
	}
	y := x.about(q, cmp.Or(x.wait.Status, verbs.WCRetryExcErr))
	if tries.RNRNAKs > 0 && tries.Timeouts+tries.SequenceNAKs == 0 {
		y.c.WC.Status = verbs.WCRNRRetryExcErr
	}
	y.tries = tries
	f := x.otherCause(y)
	if told := x.triesOf(q.Name) != nil; !told && (f == nil || f.open) {
		if x.wait.Kind == core.AwaitedCQEvent {
			return nil // the request may have completed
		}
		if y.known && y.c.Opcode.Traits().NeedRecv && x.noRecvFor(y.peer) {
			y.c.WC.Status = verbs.WCRNRRetryExcErr
			f = x.otherCause(y)
		}
	}
	switch {
	case f != nil && !f.open:
		f.text = prefix + f.text
		return f
	case stalled:
		return &finding{text: prefix + st.Why, open: true}
	case f != nil && (tries.Timeouts > 0 || x.wait.Status != 0):
		f.text = prefix + f.text
		return f
	}
	return nil
}

// noRecvFor reports whether a queue pair of this session has no RECV that a message could use.
func (x *facts) noRecvFor(q *core.QPView) bool {
	if q == nil || q.SRQ == "" {
		return q != nil && q.RecvPosted == 0
	}
	return slices.ContainsFunc(x.snap.SRQs, func(s core.SRQView) bool { return s.Name == q.SRQ && s.RecvPosted == 0 })
}

// nothingPosted is for completion queues with no request that could complete.
func nothingPosted(x *facts) *finding {
	if x.wait.Kind == core.AwaitedMessage {
		return nil
	}
	for _, c := range x.awaitedCQs() {
		if c.Outstanding > 0 {
			return nil
		}
	}
	var names []string
	for _, q := range x.waiting {
		names = append(names, q.Name)
	}
	if len(names) == 0 {
		return nil
	}
	const most = 4
	list := strings.Join(names[:min(len(names), most)], ", ")
	if len(names) > most {
		list += " …"
	}
	return &finding{text: "no request is outstanding on " + list, sure: true,
		advice: []string{"post a request first, or wait for fewer completions"}}
}

// cannotReceive is for RECVs that wait although this end cannot receive.
func cannotReceive(x *facts) *finding {
	for _, q := range x.waiting {
		if !x.completesHere(q.RecvCQ) || takesPackets[q.State] || x.wait.Status != 0 && q.State == verbs.QPErr {
			continue // the failure has brought it there
		}
		f := &finding{text: fmt.Sprintf("%s is in %s and drops packets", q.Name, q.State), sure: true}
		if m := x.moved(q.Name, q.State); m != nil {
			f.text = fmt.Sprintf("%s is in %s (%s) and drops packets", q.Name, q.State, m.by())
		}
		if q.State == verbs.QPReset || q.State == verbs.QPInit {
			f.advice = []string{"bring it to RTR: connect_qps " + q.Name}
		}
		return f
	}
	return nil
}

// noRecvHere is for ends that wait for a message without a RECV for it.
func noRecvHere(x *facts) *finding {
	if x.wait.Kind == core.AwaitedMessage {
		return nil
	}
	for _, q := range x.waiting {
		if q.RecvPosted > 0 || !x.completesHere(q.RecvCQ) {
			continue
		}
		for i := range x.snap.QPs {
			p := &x.snap.QPs[i]
			if f := p.Flight(); x.snap.Receiver(p) == q && f.Tries.RNRNAKs > 0 {
				return &finding{text: fmt.Sprintf("%s has no RECV posted, and wr_id %d of %s waits for one", q.Name,
					f.WRID,
					p.Name), sure: true, advice: []string{"post_recv " + q.Name}}
			}
		}
	}
	return nil
}

// otherEnd is for RECVs whose sender is in this session: it has failed, cannot reach this end, or has sent nothing.
func otherEnd(x *facts) *finding {
	for _, q := range x.waiting {
		if q.Type == verbs.UD || q.RecvPosted == 0 || !x.completesHere(q.RecvCQ) {
			continue
		}
		p := x.snap.Receiver(q)
		if p == nil {
			continue
		}
		if in := x.failure(p.Name); in != nil {
			text := fmt.Sprintf("wr_id %d of %s failed with %s", in.Completion.WC.WRID, p.Name, in.Completion.WC.Status)
			if in.Completion.Cause.Text != "" {
				text += ": " + in.Completion.Cause.Text
			}
			return &finding{text: text, sure: true}
		}
		if p.State != verbs.QPRTS {
			return &finding{text: fmt.Sprintf("%s is in %s and sends nothing", p.Name, p.State), sure: true,
				advice: []string{"bring it to RTS: connect_qps " + p.Name + " " + q.Name}}
		}
		if p.SendOutstanding > 0 {
			if f := x.why(p); f != nil {
				return f
			}
			continue
		}
		return &finding{text: fmt.Sprintf("%s has no request outstanding, and %s has %s posted", p.Name, q.Name,
			format.Counted(q.RecvPosted, "RECV")), sure: true,
			advice: []string{fmt.Sprintf("post_send %s SEND, or wait for fewer completions", p.Name)}}
	}
	return nil
}

// countersMoved is for ends that are elsewhere: what the device has counted since the request.
func countersMoved(x *facts) *finding {
	for i := range x.moves {
		for _, c := range x.moves[i].list {
			if !trouble[c.Name] {
				continue
			}
			text := fmt.Sprintf("%s of %s moved by %s", c.Name, x.moves[i].device, format.Count(c.Value))
			return &finding{text: text, open: true, advice: []string{cmp.Or(c.Help, explain.Short("counter", c.Name),
				"compare the counters of both ends")}}
		}
	}
	return nil
}

// notHere is for messages of a peer that is not in this session.
func notHere(x *facts) *finding {
	if !x.wait.Since.IsZero() {
		return nil // the run says itself how much has arrived
	}
	for _, q := range x.waiting {
		num, gid, ok := x.about(q, verbs.WCRetryExcErr).dest()
		if !ok || x.snap.Receiver(q) != nil || !x.completesHere(q.RecvCQ) {
			continue
		}
		return &finding{text: fmt.Sprintf("nothing arrived at %s from %s at %s", q.Name, num, gid), open: true,
			advice: []string{"look at the peer's completions and state, and compare qp_num, PSN and path_mtu of both ends"}}
	}
	return nil
}

// trouble are the counters that tell why a message did not arrive, of a software device, rxe and mlx5.
var trouble = map[string]bool{
	"unknown_qp": true, "wrong_peer": true, "qkey_violation": true, "bad_icrc": true, "malformed": true,
	"access_err": true, "invalid_request": true, "dropped_messages": true, "send_err": true,
	"out_of_seq_request": true, "out_of_sequence": true, "rcvd_rnr_err": true, "send_rnr_err": true,
	"rcvd_seq_err": true, "packet_seq_err": true, "retry_exceeded_err": true, "retry_rnr_exceeded_err": true,
	"rnr_nak_retry_err": true, "local_ack_timeout_err": true, "timeouts": true, "out_of_buffer": true,
	"resp_local_length_error": true, "resp_remote_access_errors": true, "req_remote_access_errors": true,
	"port_rcv_errors": true, "port_xmit_discards": true, "link_downed": true, "symbol_error": true,
	"rx_icrc_encapsulated": true, "rx_discards_phy": true,
}
