package core

import "rdmatui/verbs"

// QP returns the queue pair of a name, nil where there is none.
func (v *Snapshot) QP(name string) *QPView {
	for i := range v.QPs {
		if v.QPs[i].Name == name {
			return &v.QPs[i]
		}
	}
	return nil
}

// Peer returns what an exchange learned under a name, nil where there is none.
func (v *Snapshot) Peer(name string) *PeerView {
	for i := range v.Peers {
		if v.Peers[i].Name == name {
			return &v.Peers[i]
		}
	}
	return nil
}

// Receiver returns the queue pair of this session that receives what q sends, nil
// where that is none of ours or not known yet: the one with q's dest_qp_num, on a
// device that q's address vector leads to.
func (v *Snapshot) Receiver(q *QPView) *QPView {
	if q.Attr.Mask&verbs.AttrDestQPN == 0 {
		return nil
	}
	for i := range v.QPs {
		if o := &v.QPs[i]; o.Num == q.Attr.DestQPNum && v.hasGID(o, q.Attr.AH.GRH.DGID) {
			return o
		}
	}
	return nil
}

// hasGID reports whether a queue pair can be reached by a GID.
func (v *Snapshot) hasGID(q *QPView, gid verbs.GID) bool {
	if q.GID == gid {
		return true
	}
	for i := range v.Devices {
		d := &v.Devices[i]
		for j := range d.GIDs {
			if d.Name == q.Device && d.GIDs[j].GID == gid {
				return true
			}
		}
	}
	return false
}

// LikelyPeer names what a queue pair is connected to, or is most probably to be:
// another queue pair, or a peer that an exchange learned; "" where there is none.
// It is sure of what the queue pair was connected to, even where that is unknown
// here, of the only peer learned, and failing that of the only other queue pair of
// its type.
func (v *Snapshot) LikelyPeer(q *QPView) (name string, sure bool) {
	if v.QP(q.PeerName) != nil || v.Peer(q.PeerName) != nil {
		return q.PeerName, true
	}
	if o := v.Receiver(q); o != nil {
		return o.Name, true
	}
	if len(v.Peers) == 1 {
		return v.Peers[0].Name, true
	}
	others, free := []string{}, ""
	for i := range v.QPs {
		o := &v.QPs[i]
		if o.Name == q.Name || o.Type != q.Type {
			continue
		}
		others = append(others, o.Name)
		if free == "" && o.PeerName == "" {
			free = o.Name
		}
	}
	sure = len(others) == 1 && len(v.Peers) == 0
	switch {
	case free != "":
		return free, sure
	case len(others) > 0:
		return others[0], sure
	case len(v.Peers) > 0:
		return v.Peers[len(v.Peers)-1].Name, false
	}
	return "", false
}
