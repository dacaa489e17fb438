// Package post is the screen that posts work requests by hand: a form with the
// fields that the opcode uses, what must be true for the request to work, and the
// memory of both ends with what changed.
package post

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/bringup/step"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/form"
	"rdmatui/ui/widget/hexdump"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// pane is a part of the screen that can have the keys.
type pane int

const (
	paneForm pane = iota
	paneNear
	paneFar
	panes
)

// period is the least time between two reads of memory.
const period = 200 * time.Millisecond

// Screen is the Post screen.
type Screen struct {
	env  *screen.Env
	th   *theme.Theme
	now  func() time.Time
	snap session.Snapshot
	seen bool

	req       request
	form      *form.Form
	checks    []check
	near, far *memory
	errand    *step.Errand
	queue     *step.Queue
	outcome   *step.Outcome

	recvs   map[string]piece // of each queue pair, where the last RECV posted here puts data
	last    []string         // the lines that were run last, for Repeat
	waiting *posted          // a request whose completion has not been seen
	sending *posted          // the one that the queue is posting

	read1  readKey   // what was read last
	readAt time.Time // and when
	own    string    // the line of ours that was shown before its message came
	focus  pane
	zoom   bool
	memory bool // the regions have the whole screen
	face   face
}

var _ screen.Screen = (*Screen)(nil)

// readKey tells whether memory has to be read again.
type readKey struct {
	version, events uint64
	near, far       window
}

// New makes the screen.
func New(env *screen.Env) *Screen {
	s := &Screen{
		env: env, th: env.Theme, now: time.Now,
		form: form.New(env.Theme), near: newMemory(env.Theme), far: newMemory(env.Theme),
		errand: step.NewErrand(), queue: step.NewQueue(env), outcome: step.NewOutcome(env.Theme),
	}
	s.req = request{op: opcodes[0].Value, typed: map[slot]string{}, pieces: map[slot]int{}, next: 1, snap: &s.snap}
	s.recvs = map[string]piece{}
	s.outcome.Empty = "What comes back of a command shows here."
	return s
}

// Context implements screen.Screen.
func (s *Screen) Context() keymap.Context {
	if s.form.Editing() {
		return s.form.Context()
	}
	return keymap.PostScreen
}

// Typing implements screen.Screen.
func (s *Screen) Typing() bool { return s.form.Editing() }

// Show implements screen.Screen.
func (s *Screen) Show() tea.Cmd {
	s.collect()
	s.read1 = readKey{} // whatever happened behind another screen
	return s.errand.Wait(s.env.Ctx)
}

// Refresh implements screen.Screen. Memory is read again when something happened,
// but not at every frame: under load every frame has something new.
func (s *Screen) Refresh(st *screen.State) bool {
	something := s.collect()
	changed := !s.seen || st.Session.Version != s.snap.Version
	if changed {
		s.snap, s.seen = st.Session, true
		s.follow()
	}
	key := readKey{st.Session.Version, st.Counts.Total, s.near.window(), s.far.window()}
	if now := s.now(); key != s.read1 && !s.errand.Busy() && now.Sub(s.readAt) >= period {
		s.read1, s.readAt = key, now
		s.errand.Ask(s.read([]window{key.near, key.far}, s.waiting))
	}
	return changed || something
}

// follow takes over a new snapshot.
func (s *Screen) follow() {
	if findQP(&s.snap, s.req.qp) == nil {
		s.req.qp = ""
		if len(s.snap.QPs) > 0 {
			s.req.qp = s.snap.QPs[0].Name
		}
	}
	s.refill()
}

// refill makes the form, the checks and the regions anew from the request.
func (s *Screen) refill() {
	fields := s.req.fields()
	for i := range fields {
		for _, old := range s.form.Fields() {
			if old.Name == fields[i].Name && old.Value == fields[i].Value {
				fields[i].Err = old.Err
			}
		}
	}
	s.form.SetFields(fields)
	s.checks = s.req.checks()
	s.turnRegions()
}

// turnRegions shows the region that the request uses here, and the one at the far
// end, with the bytes that it names.
func (s *Screen) turnRegions() {
	near := findMR(&s.snap, parsePiece(s.req.value("sge")).region)
	if near == nil {
		near = own(&s.snap, s.req.qp)
	}
	var far1 *session.MRView
	t := s.req.remote()
	if q := findQP(&s.snap, s.req.qp); q != nil {
		far1 = own(&s.snap, far(&s.snap, q))
	}
	if s.req.traits().Remote && t.byAddr != nil {
		far1 = t.byAddr
	}
	if far1 == nil || near != nil && far1.Name == near.Name {
		far1 = s.another(near)
	}
	s.near.show(near)
	s.far.show(far1)
	s.near.marks, s.far.marks = s.nearMarks(), nil
	if len(s.near.marks) > 0 {
		s.near.about(s.near.marks[0])
	}
	at := s.landing()
	if s.req.traits().Remote && t.byAddr != nil && t.byAddr.Name == s.far.mr.Name {
		s.far.marks = []hexdump.Range{{Off: int(t.off), Len: int(s.req.total()), Style: s.th.Range}}
		at = s.far.marks[0]
	}
	s.far.about(at)
}

// landing is where in the far region a SEND is put, as far as it is known: by the
// last RECV that was posted here at the other end.
func (s *Screen) landing() hexdump.Range {
	q := findQP(&s.snap, s.req.qp)
	if q == nil || s.isRecv() {
		return hexdump.Range{}
	}
	p := s.recvs[far(&s.snap, q)]
	if p.region == "" || p.region != s.far.mr.Name {
		return hexdump.Range{}
	}
	return hexdump.Range{Off: int(p.off), Len: int(min(p.end(s.far.mr.Length)-p.off, max(s.req.total(), 1)))}
}

func (s *Screen) another(mr *session.MRView) *session.MRView {
	for i := range s.snap.MRs {
		if m := &s.snap.MRs[i]; mr == nil || m.Name != mr.Name {
			return m
		}
	}
	return nil
}

func (s *Screen) nearMarks() (marks []hexdump.Range) {
	for i, n := range s.req.sgeNames() {
		p := parsePiece(s.req.value(n))
		if p.region == "" || p.region != s.near.mr.Name {
			continue
		}
		st := s.th.Range
		if i%2 == 1 {
			st = s.th.Range2
		}
		marks = append(marks, hexdump.Range{Off: int(p.off), Len: int(p.end(s.near.mr.Length) - p.off), Style: st})
	}
	return marks
}

// takeRead shows what was read.
func (s *Screen) takeRead(m readMsg) {
	for _, p := range m.pieces {
		s.near.take(p)
		s.far.take(p)
	}
	if m.wc == nil || s.waiting == nil || m.wc.QP != s.waiting.qp || m.wc.WC.WRID != s.waiting.wrID {
		return
	}
	s.waiting = nil
	text := m.wc.WC.Status.String()
	if !m.wc.WC.Failed() {
		text = m.wc.WC.Opcode.String() + " " + text
	}
	text = fmt.Sprintf("wr_id %d %s", m.wc.WC.WRID, text)
	if took := step.Took(m.wc.Latency); m.wc.Matched && took != "" {
		text += " · " + took
	}
	s.outcome.Then("wc", text, m.wc.WC.Failed())
}

// SetSize implements widget.Block.
func (s *Screen) SetSize(w, h int) {
	s.face.w, s.face.h = w, h
	s.arrange()
}

// DrawLine implements widget.Block.
func (s *Screen) DrawLine(b *line.Buf, y int) {
	if y == 0 {
		s.arrange()
	}
	s.face.block.DrawLine(b, y)
}

// Mouse implements widget.Mouser.
func (s *Screen) Mouse(m widget.Mouse) bool {
	t, ok := s.face.block.(widget.Mouser)
	return ok && t.Mouse(m)
}

// isRecv reports whether the request is for a receive queue.
func (s *Screen) isRecv() bool { return s.req.op == recv }

// wrID reads the number of the request; ok is false where the session picks one.
func (s *Screen) wrID() (n uint64, ok bool) {
	n, err := verbs.ParseUint(s.req.value("wr_id"), 64)
	return n, err == nil
}
