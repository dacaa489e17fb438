package incident

import (
	"fmt"
	"strings"

	"rdmatui/session/core"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// dest returns the peer's number and GID from the queue pair's attributes; ok is false if
// they are not set.
func (x *facts) dest() (num verbs.QPN, gid verbs.GID, ok bool) {
	if x.own == nil || x.own.Type == verbs.UD || x.own.Attr.Mask&verbs.AttrDestQPN == 0 {
		return 0, gid, false
	}
	return x.own.Attr.DestQPNum, x.own.Attr.AH.GRH.DGID, true
}

func peerDestroyed(x *facts) *finding {
	num, gid, ok := x.dest()
	if !ok || x.peer != nil {
		return nil
	}
	for i := len(x.gone.QPs) - 1; i >= 0; i-- {
		d := &x.gone.QPs[i]
		if d.View.Num != num || d.View.GID != gid {
			continue
		}
		when := "before the request was posted"
		if d.At > x.posted() {
			when = "while the request was outstanding"
		}
		return &finding{
			text:   fmt.Sprintf("%s, the peer of %s (qp_num %s), was destroyed %s", d.View.Name, x.own.Name, num, when),
			sure:   true,
			advice: []string{"create a new queue pair at the peer and connect to it: its qp_num will differ"},
		}
	}
	return nil
}

// deviceOf returns the open device with a GID; nil if no device of this session has it.
func (x *facts) deviceOf(gid verbs.GID) *core.DeviceView {
	for i := range x.snap.Devices {
		d := &x.snap.Devices[i]
		for j := range d.GIDs {
			if d.GIDs[j].GID == gid {
				return d
			}
		}
	}
	return nil
}

func numberUnknown(x *facts) *finding {
	num, gid, ok := x.dest()
	if !ok || x.peer != nil {
		return nil
	}
	dev := x.deviceOf(gid)
	if dev == nil {
		return nil
	}
	for i := range x.snap.QPs {
		p := &x.snap.QPs[i]
		if p.Device == dev.Name && p.Name != x.own.Name && p.Attr.Mask&verbs.AttrDestQPN != 0 &&
			p.Attr.DestQPNum == x.own.Num {
			text := fmt.Sprintf("dest_qp_num of %s is %s, but %s, which is connected to %s, has qp_num %s",
				x.own.Name, num, p.Name, x.own.Name, p.Num)
			if core.Swapped(uint64(num), uint64(p.Num)) {
				text = fmt.Sprintf("dest_qp_num of %s is %s and qp_num of %s is %s, %s", x.own.Name, num, p.Name, p.Num,
					core.SwappedText)
			}
			return &finding{
				text: text, sure: true,
				advice: []string{fmt.Sprintf("modify_qp %s RTR with dest_qp_num=%s.qp_num, after RESET and INIT",
					x.own.Name, p.Name)},
			}
		}
	}
	return nil // the queue pair may belong to another session
}

// takesPackets are the states in which a responder accepts packets.
var takesPackets = map[verbs.QPState]bool{verbs.QPRTR: true, verbs.QPRTS: true, verbs.QPSQD: true, verbs.QPSQE: true}

func peerState(x *facts) *finding {
	if x.peer == nil || takesPackets[x.peer.State] {
		return nil
	}
	f := &finding{text: fmt.Sprintf("%s is in %s and drops packets", x.peer.Name, x.peer.State), sure: true}
	if m := x.moved(x.peer.Name, x.peer.State); m != nil {
		f.text = fmt.Sprintf("%s is in %s (%s) and drops packets", x.peer.Name, x.peer.State, m.by())
	}
	if in := x.failure(x.peer.Name); in != nil && in.Completion.WC.Status != verbs.WCWRFlushErr &&
		in.Completion.Cause.Text != "" {
		f.text = fmt.Sprintf("%s has been in %s since its wr_id %d failed: %s", x.peer.Name, x.peer.State,
			in.Completion.WC.WRID, in.Completion.Cause.Text)
	}
	return f
}

func connectedElsewhere(x *facts) *finding {
	if x.own == nil || x.peer == nil || x.peer.Attr.Mask&verbs.AttrDestQPN == 0 || x.peer.Attr.DestQPNum == x.own.Num {
		return nil
	}
	return &finding{
		text: fmt.Sprintf("dest_qp_num of %s is %s, but %s has qp_num %s: %s drops its packets", x.peer.Name,
			x.peer.Attr.DestQPNum, x.own.Name, x.own.Num, x.peer.Name), sure: true,
		advice: []string{fmt.Sprintf("modify_qp %s RTR with dest_qp_num=%s.qp_num, after RESET and INIT",
			x.peer.Name, x.own.Name)},
	}
}

func psnDiffers(x *facts) *finding {
	if x.own == nil || x.peer == nil {
		return nil
	}
	a, b := &x.own.Began, &x.peer.Began
	if a.Mask&verbs.AttrSQPSN == 0 || b.Mask&verbs.AttrRQPSN == 0 || a.SQ == b.RQ {
		return nil
	}
	text := fmt.Sprintf("rq_psn of %s is %s, but sq_psn of %s is %s: %s drops the packets", x.peer.Name, b.RQ,
		x.own.Name, a.SQ, x.peer.Name)
	if core.Swapped(uint64(b.RQ), uint64(a.SQ)) {
		text = fmt.Sprintf("rq_psn of %s is %s and sq_psn of %s is %s, %s", x.peer.Name, b.RQ, x.own.Name, a.SQ,
			core.SwappedText)
	}
	return &finding{
		text: text, sure: true,
		advice: []string{fmt.Sprintf("bring both queue pairs up again, %s with rq_psn=%s", x.peer.Name, a.SQ)},
	}
}

// packetsMissing is for a requester that received NAKs for the packet that it was to send
// next: the PSNs agree, so the packet was lost.
func packetsMissing(x *facts) *finding {
	if x.tries == nil || x.tries.SequenceNAKs == 0 {
		return nil
	}
	return &finding{
		text: fmt.Sprintf("packets are lost on the path: %s, %s in %s", format.Counted(x.tries.SequenceNAKs,
			"sequence NAK"), format.Counted(x.tries.Timeouts, "timeout"), format.Span(x.tries.Span)),
		advice: []string{
			"look for drops in the counters of both devices and of the switches, and check priority flow control"},
	}
}

// heavyLoss is a share of lost packets that retries do not compensate for.
const heavyLoss = 0.5

func packetsLost(x *facts) *finding {
	if x.own == nil {
		return nil
	}
	for i := range x.snap.Devices {
		d := &x.snap.Devices[i]
		if d.Name != x.own.Device && (x.peer == nil || d.Name != x.peer.Device) || d.Faults.Loss < heavyLoss {
			continue
		}
		return &finding{text: fmt.Sprintf("fault injection on %s drops %.0f %% of the packets", d.Name,
			100*d.Faults.Loss), sure: d.Faults.Loss >= 1,
			advice: []string{fmt.Sprintf("fault %s off", d.Name)}}
	}
	return nil
}

// waited says in parentheses how long the requester tried: timeouts, retry_cnt and timeout; "" if nothing is known.
func (x *facts) waited() string {
	var parts []string
	a := &x.own.Attr
	if t := x.tries; t != nil && t.Timeouts > 0 {
		parts = append(parts, format.Counted(t.Timeouts, "timeout")+" in "+format.Span(t.Span))
	}
	if a.Mask&verbs.AttrRetryCnt != 0 {
		parts = append(parts, fmt.Sprintf("retry_cnt=%d", a.RetryCnt))
	}
	if a.Mask&verbs.AttrTimeout != 0 && a.Timeout != 0 {
		parts = append(parts, fmt.Sprintf("timeout=%d (%s)", a.Timeout, format.Span(verbs.AckTimeout(a.Timeout))))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func noAnswerAtAll(x *facts) *finding {
	num, gid, ok := x.dest()
	if !ok {
		return nil
	}
	if x.peer != nil {
		return &finding{
			text: fmt.Sprintf(
				"%s is in %s and the attributes of both ends agree, so packets are lost or the timeout is too short%s",
				x.peer.Name, x.peer.State, x.waited()), open: true,
		}
	}
	f := &finding{text: fmt.Sprintf("no answer from queue pair %s at %s%s", num, gid, x.waited()),
		sure: true, open: true,
		advice: []string{"run query_qp at the peer and compare state, qp_num, dest_qp_num, rq_psn and path_mtu"}}
	if d := x.deviceOf(gid); d != nil {
		f.text += "; the GID is that of " + d.Name + ", where this session has no such queue pair"
	}
	return f
}
