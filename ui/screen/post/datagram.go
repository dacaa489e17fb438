package post

import (
	"fmt"

	"rdmatui/session"
	"rdmatui/verbs"
)

// told is the identifier of a queue pair if the connection manager has told it
// how to reach its peer, or a group; nil otherwise.
func told(s *session.Snapshot, qp string) *session.IDView {
	for i := range s.IDs {
		if id := &s.IDs[i]; id.QP == qp && id.UD.QPNum != 0 {
			return id
		}
	}
	return nil
}

// presetDatagram is where a datagram goes where the user typed nothing: as the
// connection manager has told, else to what the queue pair was exchanged with, or
// the only other one.
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
		if o := findQP(r.snap, peer); o != nil && o.Attr.Mask&verbs.AttrQKey != 0 {
			return fmt.Sprintf("0x%x", o.Attr.QKey)
		}
		if findPeer(r.snap, peer) != nil && q.Attr.Mask&verbs.AttrQKey != 0 {
			return fmt.Sprintf("0x%x", q.Attr.QKey) // no exchange tells it: both ends have to agree
		}
	}
	return ""
}

// presetAH is the address handle that leads to the peer, and failing that the
// first of the domain.
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
		if p := findPeer(r.snap, peer); id == nil && p != nil && p.LedToBy(&ah.Attr) {
			return ah.Name
		}
	}
	return first
}

func findPeer(s *session.Snapshot, name string) *session.PeerView {
	for i := range s.Peers {
		if s.Peers[i].Name == name {
			return &s.Peers[i]
		}
	}
	return nil
}
