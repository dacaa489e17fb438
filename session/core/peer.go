package core

import (
	"slices"

	"rdmatui/verbs"
)

// named returns the first view of that name, nil if there is none; of returns a view's name.
func named[V any](views []V, name string, of func(*V) string) *V {
	for i := range views {
		if of(&views[i]) == name {
			return &views[i]
		}
	}
	return nil
}

// Device returns the named device, nil if there is none.
func (v *Snapshot) Device(name string) *DeviceView {
	return named(v.Devices, name, func(d *DeviceView) string { return d.Name })
}

// MR returns the named memory region, nil if there is none.
func (v *Snapshot) MR(name string) *MRView {
	return named(v.MRs, name, func(m *MRView) string { return m.Name })
}

// MW returns the named memory window, nil if there is none.
func (v *Snapshot) MW(name string) *MWView {
	return named(v.MWs, name, func(w *MWView) string { return w.Name })
}

// QP returns the named queue pair, nil if there is none.
func (v *Snapshot) QP(name string) *QPView {
	return named(v.QPs, name, func(q *QPView) string { return q.Name })
}

// SRQ returns the named shared receive queue, nil if there is none.
func (v *Snapshot) SRQ(name string) *SRQView {
	return named(v.SRQs, name, func(q *SRQView) string { return q.Name })
}

// AH returns the named address handle, nil if there is none.
func (v *Snapshot) AH(name string) *AHView {
	return named(v.AHs, name, func(a *AHView) string { return a.Name })
}

// ID returns the named identifier of the connection manager, nil if there is none.
func (v *Snapshot) ID(name string) *IDView {
	return named(v.IDs, name, func(id *IDView) string { return id.Name })
}

// Peer returns the named peer, nil if there is none.
func (v *Snapshot) Peer(name string) *PeerView {
	return named(v.Peers, name, func(p *PeerView) string { return p.Name })
}

// PortAttr returns the attributes of a device's port as last read; ok is false if there is no such port.
func (v *Snapshot) PortAttr(device string, num uint8) (p verbs.PortAttr, ok bool) {
	if d := v.Device(device); d != nil {
		return d.PortAttr(num)
	}
	return p, false
}

// Receiver returns the queue pair of this session that receives from q, nil if it is
// in another session or unknown: the one with q's dest_qp_num, on a device that q's
// address vector leads to.
func (v *Snapshot) Receiver(q *QPView) *QPView {
	if q.Attr.Mask&verbs.AttrDestQPN == 0 {
		return nil
	}
	for i := range v.QPs {
		if o := &v.QPs[i]; o.Num == q.Attr.DestQPNum && v.leadsTo(&q.Attr.AH, o) {
			return o
		}
	}
	return nil
}

// leadsTo reports whether an address vector addresses a queue pair's device: by a
// GID, or without one by the LID of the queue pair's port.
func (v *Snapshot) leadsTo(ah *verbs.AHAttr, q *QPView) bool {
	gid := ah.GRH.DGID
	if q.GID == gid && !gid.IsZero() {
		return true
	}
	if gid.IsZero() {
		port, ok := v.PortAttr(q.Device, q.Port)
		return ok && port.LID == ah.DLID && ah.DLID != 0
	}
	d := v.Device(q.Device)
	return d != nil && slices.ContainsFunc(d.GIDs, func(e verbs.GIDEntry) bool { return e.GID == gid })
}

// Region returns the peer's region with a key, nil if it is unknown.
func (p *PeerView) Region(rkey uint32) *RemoteRegion {
	for i := range p.Regions {
		if p.Regions[i].RKey == rkey {
			return &p.Regions[i]
		}
	}
	return nil
}

// LedToBy reports whether an address vector addresses the peer: by its GID, or if it
// has none by its LID.
func (p *PeerView) LedToBy(ah *verbs.AHAttr) bool {
	if p.GID.IsZero() {
		return ah.DLID == p.LID
	}
	return ah.GRH.DGID == p.GID
}

// connected reports whether a queue pair's attributes include a destination.
func (q *QPView) connected() bool {
	return q.State != verbs.QPReset && q.State != verbs.QPInit && q.Attr.Mask&verbs.AttrDestQPN != 0
}

// destination names what a connected queue pair sends to, "" if this session does not
// know it.
func (v *Snapshot) destination(q *QPView) string {
	if o := v.Receiver(q); o != nil {
		return o.Name
	}
	for i := range v.Peers {
		if p := &v.Peers[i]; p.QPN == q.Attr.DestQPNum && p.LedToBy(&q.Attr.AH) {
			return p.Name
		}
	}
	return ""
}

// ConnectedTo names what a queue pair is connected to: the destination in its
// attributes, otherwise what a command connected it to; "" if unknown.
func (v *Snapshot) ConnectedTo(q *QPView) string {
	if q.connected() {
		if name := v.destination(q); name != "" {
			return name
		}
	}
	return q.PeerName
}

// LikelyPeer names what a queue pair is, or most likely will be, connected to:
// another queue pair, or a peer from an exchange; "" if there is none. sure is true
// for an existing connection, even to an unknown peer, for the only known peer, and
// failing that for the only other queue pair of its type.
func (v *Snapshot) LikelyPeer(q *QPView) (name string, sure bool) {
	if to := v.ConnectedTo(q); v.QP(to) != nil || v.Peer(to) != nil {
		return to, true
	}
	if q.connected() {
		return "", true
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
		if free == "" && v.ConnectedTo(o) == "" {
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
