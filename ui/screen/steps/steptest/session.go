// Package steptest is a session without verbs, and a driver, for the tests of
// screens that run command lines.
package steptest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"rdmatui/devices"
	"rdmatui/session"
	"rdmatui/session/command"
	"rdmatui/session/timeline"
	"rdmatui/ui/screen"
	"rdmatui/ui/uitest"
	"rdmatui/verbs"
	"rdmatui/verbs/fields"
)

// Session records the lines it is given and keeps just enough state for screens
// to follow: objects appear, queue pairs change their states.
type Session struct {
	mu    sync.Mutex
	snap  session.Snapshot
	log   *timeline.Log
	mem   map[string][]byte
	lines []string
	calls int
	// Fail answers a line that begins with a key instead of carrying it out.
	Fail map[string]timeline.CommandDone
}

// NewSession makes an empty session.
func NewSession() *Session {
	return &Session{log: timeline.New(100, nil), mem: map[string][]byte{}, Fail: map[string]timeline.CommandDone{}}
}

// Lines returns what was carried out since it was last asked.
func (s *Session) Lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := s.lines
	s.lines = nil
	return lines
}

// Calls counts all calls of methods of screen.Session but Snapshot and Timeline,
// which only copy memory.
func (s *Session) Calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

// Change edits the snapshot.
func (s *Session) Change(f func(*session.Snapshot)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.snap)
	s.snap.Version++
}

// Poke puts bytes into a region, as a peer would.
func (s *Session) Poke(name string, off int, p string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	copy(s.mem[name][off:], p)
	s.snap.Version++
}

// Quietly is Poke where nothing tells of it.
func (s *Session) Quietly(name string, off int, p string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	copy(s.mem[name][off:], p)
}

// Exec implements screen.Session.
func (s *Session) Exec(_ context.Context, text string) (timeline.CommandDone, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	s.lines = append(s.lines, text)
	for prefix, d := range s.Fail {
		if strings.HasPrefix(text, prefix) {
			d.Line = text
			return d, errors.New(d.Err)
		}
	}
	words := strings.Fields(text)
	s.apply(words)
	s.snap.Version++
	return timeline.CommandDone{Line: text, Call: "ibv_" + words[0] + "(…)", Result: "0", Took: 12300}, nil
}

func (s *Session) apply(w []string) {
	if len(w) < 2 { // a command that names no object makes none
		return
	}
	name, dev := w[1], "soft0"
	v := &s.snap
	switch w[0] {
	case "open_device":
		gid := verbs.GIDEntry{PortNum: 1, Index: 1, GID: LoopbackGID, Type: verbs.GIDTypeRoCEv2}
		v.Devices = append(v.Devices, session.DeviceView{Name: name, GIDs: []verbs.GIDEntry{gid}})
	case "alloc_pd":
		v.PDs = append(v.PDs, session.PDView{Name: name, Device: dev})
	case "reg_mr":
		n := uint64(len(v.MRs))
		m := session.MRView{Name: name, PD: "pd", Device: dev, Addr: 0x10000 * (n + 1), Length: 4096, LKey: uint32(0x100 + n), RKey: uint32(0x200 + n)}
		m.Access, _ = verbs.AccessFlags.Parse(w[len(w)-1][len("access="):])
		v.MRs = append(v.MRs, m)
		s.mem[name] = make([]byte, m.Length)
	case "create_cq":
		v.CQs = append(v.CQs, session.CQView{Name: name, Device: dev, CQE: 64})
	case "create_qp":
		n := verbs.QPN(0x11 + len(v.QPs))
		v.QPs = append(v.QPs, session.QPView{Name: name, Device: dev, PD: "pd", SendCQ: "cq", RecvCQ: "cq", Num: n, Type: verbs.RC,
			PSN: verbs.PSN(0x111 * uint32(len(v.QPs)+1)), GID: LoopbackGID,
			Cap: verbs.QPCap{MaxSendWR: 16, MaxRecvWR: 16, MaxSendSGE: 1, MaxRecvSGE: 1}})
	case "destroy_qp":
		v.QPs = deleteQP(v.QPs, name)
	case "modify_qp":
		s.move(name, w[2:])
	case "connect_qps":
		s.connect(name, w[2])
	case "peer":
		v.Peers = append(v.Peers, session.PeerView{Name: name, QPN: 0x99, PSN: 0x777, GID: LoopbackGID})
	case "write_mem":
		copy(s.mem[name], strings.Trim(w[2], `"`))
	case "post_recv":
		if q := s.qp(name); q != nil {
			q.RecvPosted++
			q.RecvRoom = 4096
		}
	}
}

// LoopbackGID is ::ffff:127.0.0.1.
var LoopbackGID = verbs.GID{10: 0xff, 11: 0xff, 12: 127, 15: 1}

func deleteQP(list []session.QPView, name string) (out []session.QPView) {
	for _, q := range list {
		if q.Name != name {
			out = append(out, q)
		}
	}
	return out
}

// qp finds a queue pair in a fresh copy, since snapshots never change.
func (s *Session) qp(name string) *session.QPView {
	s.snap.QPs = append([]session.QPView(nil), s.snap.QPs...)
	for i := range s.snap.QPs {
		if s.snap.QPs[i].Name == name {
			return &s.snap.QPs[i]
		}
	}
	return nil
}

func (s *Session) move(name string, args []string) {
	q := s.qp(name)
	if q == nil {
		return
	}
	q.State, _ = verbs.QPStates.Parse(args[0])
	for _, a := range args[1:] {
		field, value, _ := strings.Cut(a, "=")
		switch value { // what the references of a plan stand for
		case "b.qp_num":
			value = "0x12"
		case "b.psn", "a.psn":
			value = map[string]string{"b.psn": "0x222", "a.psn": "0x111"}[value]
		case "b.gid":
			value = LoopbackGID.String()
		}
		if f := fields.QPNamed(field); f != nil {
			_ = f.Set(&q.Attr, value)
		}
	}
}

func (s *Session) connect(one, two string) {
	for _, n := range [][2]string{{one, two}, {two, one}} {
		if q := s.qp(n[0]); q != nil {
			q.State, q.PeerName = verbs.QPRTS, n[1]
			q.Attr.Mask |= verbs.AttrAccessFlags | verbs.AttrMaxQPRDAtomic | verbs.AttrMaxDestRDAtomic
			q.Attr.QPAccessFlags = verbs.RemoteWrite | verbs.RemoteRead
			q.Attr.MaxRDAtomic, q.Attr.MaxDestRDAtomic = 1, 1
		}
	}
}

// Snapshot implements screen.Session.
func (s *Session) Snapshot() session.Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return uitest.Listed(s.snap)
}

// Timeline implements screen.Session.
func (s *Session) Timeline() *timeline.Log { return s.log }

// Complete implements screen.Session.
func (s *Session) Complete(string, int) []command.Candidate {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	return nil
}

// ReadMem implements screen.Session.
func (s *Session) ReadMem(name string, off int64, p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	m, ok := s.mem[name]
	if !ok || off > int64(len(m)) {
		return 0, fmt.Errorf("no memory region %q", name)
	}
	n := copy(p, m[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Inventory lists devices for screen.Env; these screens ask it for nothing else.
type Inventory struct {
	screen.Inventory
	Devices []devices.Summary
}

// Detail implements screen.Inventory: each device is at 10.9.0.1.
func (v *Inventory) Detail(name string) (devices.Detail, error) {
	p := devices.Port{PortAttr: verbs.PortAttr{PortNum: 1, LinkLayer: verbs.LinkEthernet}}
	p.GIDs = []devices.GID{{GID: verbs.GID{10: 0xff, 11: 0xff, 12: 10, 13: 9, 15: 1}, Type: verbs.GIDTypeRoCEv2}}
	return devices.Detail{DeviceInfo: verbs.DeviceInfo{Name: name}, Ports: []devices.Port{p}}, nil
}

// List implements screen.Inventory.
func (v *Inventory) List() []devices.Summary { return v.Devices }
