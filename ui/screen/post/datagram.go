package post

import (
	"fmt"

	"rdmatui/session"
	"rdmatui/verbs"
)

// told returns the queue pair's identifier if the connection manager has reported how
// to reach its peer or a group; nil otherwise.
func told(s *session.Snapshot, qp string) *session.IDView {
	for i := range s.IDs {
		if id := &s.IDs[i]; id.QP == qp && id.UD.QPNum != 0 {
			return id
		}
	}
	return nil
}

// presetDatagram is the default destination of a datagram: the one reported by the
// connection manager, else the peer that the queue pair was exchanged with, or the
// only other queue pair.
func (r *request) presetDatagram(name string, q *session.QPView) string {
	id, peer := told(r.snap, q.Name), far(r.snap, q)
	switch {
	case name == "ah":
		return r.presetAH(q, id, peer)
	case id != nil:
		return id.Name + "." + name
	case name == "remote_qpn" && peer != "":
		return peer + ".qp_num"
	case name == "remote_qkey":
		if o := queueOf(r.snap, peer); o != nil && o.Attr.Mask&verbs.AttrQKey != 0 {
			return fmt.Sprintf("0x%x", o.Attr.QKey)
		}
		if r.snap.Peer(peer) != nil && q.Attr.Mask&verbs.AttrQKey != 0 {
			return fmt.Sprintf("0x%x", q.Attr.QKey) // not exchanged: both ends have to agree
		}
	}
	return ""
}

// presetAH is the address handle for the peer, or else the first one of the domain.
func (r *request) presetAH(q *session.QPView, id *session.IDView, peer string) string {
	first := ""
	for i := range r.snap.AHs {
		ah := &r.snap.AHs[i]
		if ah.PD != q.PD {
			continue
		}
		if first == "" {
			first = ah.Name
		}
		if id != nil && ah.Attr == id.UD.AH {
			return ah.Name
		}
		if p := r.snap.Peer(peer); id == nil && p != nil && p.LedToBy(&ah.Attr) {
			return ah.Name
		}
	}
	return first
}
