package connections

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/ui/screen/steps"
	"rdmatui/verbs"
)

// Private data that names a region: the mark, addr, rkey and length, big-endian. The manager pads it with zeros.
const (
	regionMark  = 0x72646d61 // "rdma"
	regionBytes = 4 + 8 + 4 + 8
	regionData  = " private_data=be32:0x%x,be64:%[2]s.addr,be32:%[2]s.rkey,be64:%[2]s.length"
)

// regionPeerMay is what the peer may do with the region that it is told.
const regionPeerMay = verbs.RemoteWrite | verbs.RemoteRead

// registration returns the line that registers memory for a connection where its protection domain has none: for a
// server memory open to the peer, for a client memory to send from.
func registration(snap *session.Snapshot, id *session.IDView, pd string) []todo {
	has := func(m session.MRView) bool { return m.PD == pd }
	name, access, why := "src", "LOCAL_WRITE", whyMR
	if id.Listen != "" {
		has = func(m session.MRView) bool { return m.PD == pd && m.Access&regionPeerMay == regionPeerMay }
		name, access, why = "dst", "LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ", whyOpenMR
	}
	if id.PortSpace != verbs.PortSpaceTCP || slices.ContainsFunc(snap.MRs, has) {
		return nil
	}
	return []todo{{line: "reg_mr " + steps.FreeName(snap, name) + " pd=" + pd + " length=4096 access=" + access,
		why: why}}
}

// acceptData returns the private data of an acceptance: what the user wants to send, or else where the peer finds the
// region that is open to it. before are the lines that run first.
func acceptData(snap *session.Snapshot, id *session.IDView, w *wish, before []todo) string {
	if w.private != "" || id.PortSpace != verbs.PortSpaceTCP {
		return w.data()
	}
	pd := ""
	if q := snap.QP(id.QP); q != nil {
		pd = q.PD
	}
	for _, t := range before {
		words := strings.Fields(t.line)
		switch {
		case words[0] == "reg_mr":
			return fmt.Sprintf(regionData, regionMark, words[1])
		case words[0] == "rdma_create_qp":
			pd = strings.TrimPrefix(words[3], "pd=")
		}
	}
	for i := range snap.MRs {
		if m := &snap.MRs[i]; m.PD == pd && m.Access&regionPeerMay == regionPeerMay {
			return fmt.Sprintf(regionData, regionMark, m.Name)
		}
	}
	return ""
}

// sentRegion returns the region that private data names, as arguments of peer; "" for other data.
func sentRegion(p []byte) string {
	if len(p) < regionBytes || binary.BigEndian.Uint32(p) != regionMark ||
		slices.ContainsFunc(p[regionBytes:], func(b byte) bool { return b != 0 }) {
		return ""
	}
	return fmt.Sprintf(" addr=0x%x rkey=0x%x length=%d", binary.BigEndian.Uint64(p[4:]),
		binary.BigEndian.Uint32(p[12:]), binary.BigEndian.Uint64(p[16:]))
}

// toldRegion records the peer's region, so that requests can be posted to it. The queue
// pair's destination is read first, because the manager has set it.
func toldRegion(snap *session.Snapshot, id *session.IDView, q *session.QPView, w *wish) (list []todo) {
	region := w.region
	if region == "" && !endsHere(snap, id) {
		region = sentRegion(id.PrivateData)
	}
	if region == "" || q == nil || snap.ConnectedTo(q) != "" {
		return nil
	}
	num, at := q.Attr.DestQPNum, " gid="+q.Attr.AH.GRH.DGID.String()
	if q.Attr.AH.GRH.DGID.IsZero() {
		at = fmt.Sprintf(" lid=%d", q.Attr.AH.DLID)
	}
	if q.Attr.Mask&verbs.AttrDestQPN == 0 {
		list = append(list, todo{line: "query_qp " + q.Name, why: whyQuery})
		if num, at = sentNumber(snap, id); num == 0 {
			return list
		}
	}
	return append(list, todo{
		line: "peer " + steps.FreeName(snap, "peer") + " qp_num=" + num.String() + at + region, why: whyRegion,
	})
}

// recordSent records the region in the answer to a request that "run all" has sent.
func recordSent(s *Screen) tea.Cmd {
	id := s.current()
	if id == nil || s.draft != nil || id.State != session.IDConnected || !s.wishFor(id.Name).all {
		return nil
	}
	w := s.wishFor(id.Name)
	w.all = false
	if list := toldRegion(&s.snap, id, s.snap.QP(id.QP), w); list != nil {
		return s.runner.Start(upToEvent(list)...)
	}
	return nil
}

// endsHere reports whether the peer is another identifier of this session.
func endsHere(snap *session.Snapshot, id *session.IDView) bool {
	return slices.ContainsFunc(snap.IDs, func(o session.IDView) bool { return o.Name != id.Name && o.Local == id.Peer })
}

// sentNumber returns the peer's queue pair number and GID as the last event and the address tell them, 0 where they do
// not.
func sentNumber(snap *session.Snapshot, id *session.IDView) (num verbs.QPN, at string) {
	if !onEthernet(snap, id) || id.Last == nil || id.Last.Conn == nil {
		return 0, ""
	}
	return id.Last.Conn.QPNum, " gid=" + verbs.GID(id.Peer.Addr().As16()).String()
}
