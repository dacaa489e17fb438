package incident

import (
	"fmt"

	"rdmatui/session/core"
	"rdmatui/verbs"
)

// difference is a pair of attributes that must agree.
type difference struct {
	own, peer string // names
	why       string
	// of returns both values and whether they agree; known is false if one is unknown.
	of func(x *facts, a, b *core.QPView) (own, peer string, agree, known bool)
}

// both compares an attribute that must be the same at both ends.
func both(name string, bit verbs.AttrMask, why string, of func(*verbs.QPAttr) string) difference {
	return difference{name, name, why, func(_ *facts, a, b *core.QPView) (string, string, bool, bool) {
		own, peer := of(&a.Attr), of(&b.Attr)
		return own, peer, own == peer, a.Attr.Mask&b.Attr.Mask&bit != 0
	}}
}

// psns compares the starting PSNs of one direction.
func psns(own, peer string, ownBit, peerBit verbs.AttrMask,
	of func(a, b *core.PSNs) (verbs.PSN, verbs.PSN)) difference {
	return difference{own, peer, "the receiver drops packets with other PSNs",
		func(_ *facts, a, b *core.QPView) (string, string, bool, bool) {
			x, y := of(&a.Began, &b.Began)
			return x.String(), y.String(), x == y, a.Began.Mask&ownBit != 0 && b.Began.Mask&peerBit != 0
		}}
}

func numbers(own, peer string, why string, of func(a, b *core.QPView) (dest, num verbs.QPN, known bool)) difference {
	return difference{own, peer, why, func(_ *facts, a, b *core.QPView) (string, string, bool, bool) {
		dest, num, known := of(a, b)
		return dest.String(), num.String(), dest == num, known
	}}
}

// differences lists what must agree between the sender and the receiver of a request.
var differences = []difference{
	{"qp_type", "qp_type", "both ends must use the same transport service",
		func(_ *facts, a, b *core.QPView) (string, string, bool, bool) {
			return a.Type.String(), b.Type.String(), a.Type == b.Type, true
		}},
	{"state", "state", "it accepts packets only in RTR, RTS, SQD and SQE",
		func(_ *facts, a, b *core.QPView) (string, string, bool, bool) {
			return a.State.String(), b.State.String(), takesPackets[b.State], true
		}},
	numbers("dest_qp_num", "qp_num", "packets go to a different queue pair",
		func(a, b *core.QPView) (verbs.QPN, verbs.QPN, bool) {
			return a.Attr.DestQPNum, b.Num, a.Type != verbs.UD && a.Attr.Mask&verbs.AttrDestQPN != 0
		}),
	numbers("qp_num", "dest_qp_num", "it accepts packets from a different queue pair",
		func(a, b *core.QPView) (verbs.QPN, verbs.QPN, bool) {
			return a.Num, b.Attr.DestQPNum, b.Type != verbs.UD && b.Attr.Mask&verbs.AttrDestQPN != 0
		}),
	both("path_mtu", verbs.AttrPathMTU, "the receiver expects packets of a different length",
		func(a *verbs.QPAttr) string { return a.PathMTU.String() }),
	psns("sq_psn", "rq_psn", verbs.AttrSQPSN, verbs.AttrRQPSN, func(a, b *core.PSNs) (verbs.PSN, verbs.PSN) {
		return a.SQ, b.RQ
	}),
	psns("rq_psn", "sq_psn", verbs.AttrRQPSN, verbs.AttrSQPSN, func(a, b *core.PSNs) (verbs.PSN, verbs.PSN) {
		return a.RQ, b.SQ
	}),
	{"remote_qkey", "qkey", "it drops datagrams with another Q_Key",
		func(x *facts, a, b *core.QPView) (string, string, bool, bool) {
			if a.Type != verbs.UD || x.wr == nil || b.Attr.Mask&verbs.AttrQKey == 0 {
				return "", "", true, false
			}
			return fmt.Sprintf("0x%x", x.wr.RemoteQKey), fmt.Sprintf("0x%x", b.Attr.QKey),
				x.wr.RemoteQKey == b.Attr.QKey, true
		}},
	{"opcode", "qp_access_flags", "the queue pair must allow the operation",
		func(x *facts, _, b *core.QPView) (string, string, bool, bool) {
			if x.wr == nil || !x.wr.Opcode.Traits().Remote || b.Attr.Mask&verbs.AttrAccessFlags == 0 {
				return "", "", true, false
			}
			return x.wr.Opcode.String(), rights(b.Attr.QPAccessFlags),
				b.Attr.QPAccessFlags&x.wr.RemoteRight() == x.wr.RemoteRight(), true
		}},
	{"max_rd_atomic", "max_dest_rd_atomic",
		"the sender may have more READs and atomics in flight than the responder accepts",
		func(_ *facts, a, b *core.QPView) (string, string, bool, bool) {
			known := a.Attr.Mask&verbs.AttrMaxQPRDAtomic != 0 && b.Attr.Mask&verbs.AttrMaxDestRDAtomic != 0
			return fmt.Sprint(a.Attr.MaxRDAtomic), fmt.Sprint(b.Attr.MaxDestRDAtomic),
				a.Attr.MaxRDAtomic <= b.Attr.MaxDestRDAtomic, known
		}},
	{"pkey_index", "pkey_index", "both ends must use the same P_Key",
		func(_ *facts, a, b *core.QPView) (string, string, bool, bool) {
			known := a.Device == b.Device && a.Port == b.Port && a.Attr.Mask&b.Attr.Mask&verbs.AttrPKeyIndex != 0
			return fmt.Sprint(a.Attr.PKeyIndex), fmt.Sprint(b.Attr.PKeyIndex),
				a.Attr.PKeyIndex == b.Attr.PKeyIndex, known
		}},
}

// differenceRows are the attributes that must agree between sender and receiver and do not.
func (x *facts) differenceRows() (rows [][]string) {
	if x.own == nil || x.peer == nil {
		return nil
	}
	for i := range differences {
		d := &differences[i]
		own, peer, agree, known := d.of(x, x.own, x.peer)
		if known && !agree && !(d.own == "state" && x.movedSince(x.peer.Name)) {
			rows = append(rows, []string{fmt.Sprintf("%s of %s is %s", d.own, x.own.Name, own),
				fmt.Sprintf("%s of %s is %s", d.peer, x.peer.Name, peer), d.why})
		}
	}
	return rows
}

// movedSince reports whether a queue pair has changed its state since the request was
// posted: the state may then be an effect of the failure.
func (x *facts) movedSince(qp string) bool {
	m := x.moved(qp, x.snap.QP(qp).State)
	return m != nil && m.at > x.posted()
}
