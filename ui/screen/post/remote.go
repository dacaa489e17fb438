package post

import (
	"strings"

	"rdmatui/session"
	"rdmatui/verbs"
)

// remote is what remote_addr and rkey stand for, as far as it is in this session.
type remote struct {
	byAddr, byKey *session.MRView
	window        *session.MWView // whose key it is
	off           uint64          // in byAddr
	addr          uint64          // 0 where it is not known
}

func (r *request) remote() (t remote) {
	addr, plus, _ := strings.Cut(r.value("remote_addr"), "+")
	if name, ok := strings.CutSuffix(addr, ".addr"); ok {
		t.off, _ = verbs.ParseUint(plus, 64) // "" is offset 0
		if t.byAddr = findMR(r.snap, name); t.byAddr != nil {
			t.addr = t.byAddr.Addr + t.off
		} else if w := findMW(r.snap, name); w != nil {
			t.setAddr(r.snap, windowStart(w)+t.off)
		}
	} else if n, err := verbs.ParseUint(addr, 64); err == nil {
		t.setAddr(r.snap, n)
	}
	key := r.value("rkey")
	if name, ok := strings.CutSuffix(key, ".rkey"); ok {
		t.byKey, t.window = findMR(r.snap, name), findMW(r.snap, name)
	} else if n, err := verbs.ParseUint(key, 32); err == nil {
		t.setKey(r.snap, uint32(n))
	}
	return t
}

// setAddr finds the region that an address is in.
func (t *remote) setAddr(s *session.Snapshot, addr uint64) {
	t.addr = addr
	for i := range s.MRs {
		if m := &s.MRs[i]; addr >= m.Addr && addr-m.Addr < m.Length {
			t.byAddr, t.off = m, addr-m.Addr
		}
	}
}

// setKey finds the region or window that a key is of.
func (t *remote) setKey(s *session.Snapshot, key uint32) {
	for i := range s.MRs {
		if m := &s.MRs[i]; m.RKey == key {
			t.byKey = m
		}
	}
	for i := range s.MWs {
		if w := &s.MWs[i]; w.RKey == key && w.MR != "" {
			t.window = w
		}
	}
}

// windowStart is the address by which the peer reaches a window's first byte.
func windowStart(w *session.MWView) uint64 {
	if w.Access&verbs.ZeroBased != 0 {
		return 0
	}
	return w.Addr
}

func findMW(s *session.Snapshot, name string) *session.MWView {
	for i := range s.MWs {
		if s.MWs[i].Name == name {
			return &s.MWs[i]
		}
	}
	return nil
}

// windowOf is a window through which a queue pair's peer can reach memory, nil
// where there is none.
func windowOf(s *session.Snapshot, qp string) *session.MWView {
	q := findQP(s, qp)
	for i := range s.MWs {
		if w := &s.MWs[i]; q != nil && w.MR != "" && (w.QP == qp || w.QP == "" && w.PD == q.PD) {
			return w
		}
	}
	return nil
}
