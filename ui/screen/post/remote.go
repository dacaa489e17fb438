package post

import (
	"rdmatui/session"
	"rdmatui/session/command"
	"rdmatui/verbs"
)

// remote is the target of remote_addr, if it is in this session.
type remote struct {
	mr  *session.MRView
	off uint64 // in mr
}

func (r *request) remote() (t remote) {
	text := r.value("remote_addr")
	if object, field, add, ok := command.ParseReference(text); ok && field == "addr" {
		if m := r.snap.MR(object); m != nil {
			return remote{m, add}
		}
	}
	if addr, ok := known(r.snap, text); ok {
		for i := range r.snap.MRs {
			if m := &r.snap.MRs[i]; addr >= m.Addr && addr-m.Addr < m.Length {
				t = remote{m, addr - m.Addr}
			}
		}
	}
	return t
}

// known parses a number, or the value of a region or window such as dst.addr+8; ok is
// false if only the session can read it.
func known(s *session.Snapshot, text string) (n uint64, ok bool) {
	object, field, add, ok := command.ParseReference(text)
	if !ok {
		n, err := verbs.ParseUint(text, 64)
		return n, err == nil
	}
	var values map[string]uint64
	if m := s.MR(object); m != nil {
		values = map[string]uint64{"addr": m.Addr, "length": m.Length, "lkey": uint64(m.LKey), "rkey": uint64(m.RKey)}
	} else if w := s.MW(object); w != nil {
		values = map[string]uint64{"addr": windowStart(w), "length": w.Length, "rkey": uint64(w.RKey)}
	} else if p := s.Peer(object); p != nil && len(p.Regions) > 0 {
		values = toldValues(p)
	}
	n, ok = values[field]
	return n + add, ok
}

// toldValues returns the values of a peer's regions; those of the first also without its
// name.
func toldValues(p *session.PeerView) map[string]uint64 {
	values := map[string]uint64{}
	for i := range p.Regions {
		m := &p.Regions[i]
		for field, n := range map[string]uint64{"addr": m.Addr, "length": m.Length, "rkey": uint64(m.RKey)} {
			if values[m.Name+"."+field] = n; i == 0 {
				values[field] = n
			}
		}
	}
	return values
}

// windowStart is the address by which the peer reaches a window's first byte.
func windowStart(w *session.MWView) uint64 {
	if w.Access&verbs.ZeroBased != 0 {
		return 0
	}
	return w.Addr
}

// windowOf returns a window through which a queue pair's peer can reach memory, nil
// if there is none.
func windowOf(s *session.Snapshot, qp string) *session.MWView {
	q := queueOf(s, qp)
	for i := range s.MWs {
		if w := &s.MWs[i]; q != nil && w.MR != "" && (w.QP == qp || w.QP == "" && w.PD == q.PD) {
			return w
		}
	}
	return nil
}
