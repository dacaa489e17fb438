package incident

import (
	"fmt"
	"slices"
	"strings"

	"rdmatui/session/core"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// datagramLost is for RECVs that no datagram of this session reaches: a datagram that nobody takes is not reported.
func datagramLost(x *facts) *finding {
	for _, q := range x.waiting {
		if q.Type != verbs.UD || q.RecvPosted == 0 || !x.completesHere(q.RecvCQ) {
			continue
		}
		for i := range x.snap.QPs {
			p := &x.snap.QPs[i]
			if p.Datagram == nil || p.Type != verbs.UD {
				continue
			}
			if f := x.missed(q, p, p.Datagram); f != nil {
				return f
			}
		}
	}
	return nil
}

// missed says why q has not received a datagram of p; nil if nothing prevents it.
func (x *facts) missed(q, p *core.QPView, d *core.DatagramView) *finding {
	gid := d.To.GRH.DGID
	if gid.IsMulticast() {
		return x.missedGroup(q, p, gid)
	}
	to := core.QPView{Attr: verbs.QPAttr{Mask: verbs.AttrDestQPN, DestQPNum: d.QPN, AH: d.To}}
	switch o := x.snap.Receiver(&to); {
	case o == nil && x.deviceOf(gid) != nil && q.Device == x.deviceOf(gid).Name:
		f := &finding{text: fmt.Sprintf("the last datagram of %s went to qp_num %s, but %s has %s", p.Name, d.QPN,
			q.Name,
			q.Num), sure: true, advice: []string{"post it with remote_qpn=" + q.Name + ".qp_num"}}
		if core.Swapped(uint64(d.QPN), uint64(q.Num)) {
			f.text += ": " + core.SwappedText
		}
		return f
	case o == nil || o.Name != q.Name:
		return nil
	}
	if q.Attr.Mask&verbs.AttrQKey != 0 && x.sentQKey(p, d) != q.Attr.QKey {
		return &finding{text: fmt.Sprintf("the last datagram of %s has Q_Key 0x%x, but qkey of %s is 0x%x: %s drops it",
			p.Name, x.sentQKey(p, d), q.Name, q.Attr.QKey, q.Name), sure: true,
			advice: []string{fmt.Sprintf("post it with remote_qkey=0x%x", q.Attr.QKey)}}
	}
	if need := d.Length + verbs.GRHLen; need > q.RecvRoom {
		return &finding{text: fmt.Sprintf("the last datagram of %s needs %s with its GRH, but the RECV of %s has room for %s",
			p.Name, bytes(need), q.Name, format.Count(q.RecvRoom)), sure: true,
			advice: []string{fmt.Sprintf("post RECVs of at least %s on %s", bytes(need), q.Name)}}
	}
	return nil
}

// sentQKey returns the Q_Key of a datagram: bit 31 selects the sender's own; IBA 10.2.5.
func (x *facts) sentQKey(p *core.QPView, d *core.DatagramView) uint32 {
	if d.QKey>>31 != 0 {
		return p.Attr.QKey
	}
	return d.QKey
}

// missedGroup is for datagrams to a multicast group that q has not joined.
func (x *facts) missedGroup(q, p *core.QPView, group verbs.GID) *finding {
	var members []string
	for i := range x.snap.Groups {
		if g := &x.snap.Groups[i]; g.GID == group {
			members = append(members, g.QP)
		}
	}
	for i := range x.snap.IDs {
		if id := &x.snap.IDs[i]; len(id.Groups) > 0 && id.QP != "" { // the manager attaches it; the GID may differ
			members = append(members, id.QP)
		}
	}
	if slices.Contains(members, q.Name) {
		return nil
	}
	text := fmt.Sprintf("the last datagram of %s went to group %s, and no queue pair is attached to it", p.Name, group)
	if len(members) > 0 {
		text = fmt.Sprintf("the last datagram of %s went to group %s, to which %s is attached, but not %s", p.Name,
			group,
			strings.Join(members, ", "), q.Name)
	}
	return &finding{text: text, sure: true, advice: []string{fmt.Sprintf("attach_mcast %s gid=%s", q.Name, group)}}
}
