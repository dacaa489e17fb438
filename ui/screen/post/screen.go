// Package post is the screen that posts work requests by hand: a form with the
// fields that the opcode uses, what must be true for the request to work, and the
// memory of both ends with what changed.
package post

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/assets/explain"
	"rdmatui/session"
	"rdmatui/session/command"
	"rdmatui/session/preflight"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/replay"
	"rdmatui/ui/screen/steps"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/verbs"
)

// The panes.
const (
	paneForm screen.Pane = iota
	paneNear
	paneFar
	panePath
	paneChecks
	paneResult
	panes
	paneSteps = panes // has all the room, or none
)

// period is the least time between two reads of memory after an event here; quiet is
// the time otherwise, since no event reports a peer's WRITE.
const (
	period = 200 * time.Millisecond
	quiet  = time.Second
)

// Screen is the Post screen.
type Screen struct {
	env  *screen.Env
	th   *theme.Theme
	now  func() time.Time
	snap session.Snapshot
	seen bool

	req                request
	hand               string // the queue pair in hand when the form last followed it
	chose              bool   // the user selected the opcode
	form               *widget.Form
	checks             preflight.Report
	advised            []string          // their texts, with what resolves them; nil until they are shown
	fixable            int               // the first that the key Fix can resolve, -1 for none
	cmds               []command.Command // that enter runs
	near, far          *memory
	reader             screen.Reader
	runner             *steps.Runner
	outcome            *steps.Outcome
	results, checkRows *steps.Rows // a whole pane, while it has the focus

	recvs   map[string]piece  // by queue pair: where the last RECV posted here puts data
	last    []command.Command // those run last, for Repeat
	lastQP  string            // the queue pair that they posted to
	waiting *posted           // a request whose completion is awaited
	sending *posted           // the request being posted

	chaining bool // the chain is being posted
	bad      int  // the refused request of the chain, from 1; 0: none

	read1  readKey   // what was last read; zero to read it again
	asked  readKey   // what is being read
	readAt time.Time // and when
	memory bool      // the regions have the whole screen

	steps   *replay.Replay // of the last request
	diagram bool           // it has the whole screen

	screen.Fields
	screen.Panes
}

var _ screen.Screen = (*Screen)(nil)

// readKey decides whether memory has to be read again.
type readKey struct {
	version, events uint64
	near, far       window
}

// New makes the screen.
func New(env *screen.Env) *Screen {
	s := &Screen{
		env: env, th: env.Theme, now: time.Now,
		form: widget.NewForm(env.Theme), near: newMemory(env.Theme), far: newMemory(env.Theme),
		runner: steps.NewRunner(env), outcome: steps.NewOutcome(env.Theme), steps: new(replay.Replay),
	}
	s.req = newRequest(&s.snap)
	s.req.hand = &env.Hand
	s.form.Complete = s.complete
	s.recvs = map[string]piece{}
	s.Panes = screen.Panes{
		Count: int(panes), Entry: screen.NewEntry(s.th), Lay: s.lay,
		Texts: func(at screen.Pane) []screen.CopyText { return texts(s, at) }, Boxes: make([]*widget.Box, panes+1),
	}
	s.outcome.Empty, s.results, s.checkRows = "Results appear here.", steps.NewRows(s.th), steps.NewRows(s.th)
	s.Fields = func(name string) string { return tourField(s, name) }
	return s
}

// Context implements screen.Screen.
func (s *Screen) Context() keymap.Context {
	switch {
	case s.Entry.Open():
		return s.Entry.Context()
	case s.form.Editing():
		return s.form.Context()
	case s.jumping() != nil:
		return keymap.FieldOpen
	case s.diagram:
		return screen.ContextNow(s, keymap.PostSteps, diagramActions)
	}
	return screen.ContextNow(s, keymap.PostScreen, actions)
}

// Typing implements screen.Screen.
func (s *Screen) Typing() bool { return s.form.Editing() || s.jumping() != nil || s.Entry.Open() }

// Show implements screen.Screen.
func (s *Screen) Show() tea.Cmd {
	s.read1 = readKey{} // something may have changed behind another screen
	return s.reader.Start()
}

// Refresh implements screen.Screen. Memory is read again after events, but not in
// every frame: under load every frame has new events.
func (s *Screen) Refresh(st *screen.State) (bool, tea.Cmd) {
	changed := !s.seen || st.Session.Version != s.snap.Version || s.env.Hand.In(&st.Session) != s.hand
	if changed {
		s.snap, s.seen = st.Session, true
		s.follow()
	}
	s.askForNews(st)
	if s.diagram && s.steps.Refresh(s.now()) {
		changed = true
	}
	return changed, s.reader.Start()
}

// askForNews requests the examination of a file of unknown length, or a read of memory.
func (s *Screen) askForNews(st *screen.State) {
	if s.reader.Busy() {
		return
	}
	if path, unknown := s.req.unknownFile(); unknown {
		s.reader.Ask(lookAt(path))
		return
	}
	key := readKey{st.Session.Version, st.Counts.Total, s.near.window(), s.far.window()}
	now := s.now()
	since := now.Sub(s.readAt)
	if key != s.read1 && since >= period || since >= quiet {
		s.read1, s.asked, s.readAt = key, key, now
		s.reader.Ask(s.read([]window{key.near, key.far}, s.waiting, busy(&s.snap), tracedQP(s)))
	}
}

// busy reports whether requests worth showing are under way.
func busy(s *session.Snapshot) bool {
	return slices.ContainsFunc(s.QPs, func(q session.QPView) bool { return q.SendOutstanding > 0 })
}

// follow takes over a new snapshot.
func (s *Screen) follow() {
	if name := s.env.Hand.In(&s.snap); name != s.hand {
		s.hand = name
		s.chooseQueue(name)
	}
	if s.req.queue() == nil {
		s.req.qp = ""
		if all := s.req.queues(); len(all) > 0 {
			s.req.qp = all[0].Value
		}
		if s.snap.SRQ(s.req.qp) != nil {
			s.req.op = recv
		}
	}
	preferWrite(s)
	s.refill()
}

// preferWrite starts with a WRITE if a remote peer has announced its regions and the user has selected
// nothing.
func preferWrite(s *Screen) {
	q := s.req.queue()
	if q == nil || s.chose || s.req.toldRegion(far(&s.snap, q)) == nil {
		return
	}
	if op := verbs.WRRDMAWrite.String(); whyNot(&s.snap, q, op) == "" {
		s.req.op, s.chose = op, true
	}
}

// refill rebuilds the form, the checks, the commands and the regions from the request, once for each change of it.
func (s *Screen) refill() {
	s.form.SetFields(s.req.fields())
	s.cmds, s.checks, s.advised = s.req.commands(), s.req.checks(), nil
	s.turnRegions()
}

// turnRegions shows the request's region here and the one at the far end, with the
// bytes that it names.
func (s *Screen) turnRegions() {
	hand, t := &s.env.Hand, s.req.remote()
	near, far1 := hand.Region(&s.snap, s.req.qp), hand.Region(&s.snap, farEnd(s))
	nearChosen, farChosen := near != nil, far1 != nil
	if !nearChosen {
		near = s.snap.MR(parsePiece(s.req.value("sge")).region)
	}
	if near == nil {
		near = own(&s.snap, s.req.qp)
	}
	if !farChosen {
		if far1 = own(&s.snap, farEnd(s)); s.req.traits().Remote && t.mr != nil {
			far1 = t.mr
		}
		if far1 == nil || near != nil && far1.Name == near.Name && !nearChosen {
			far1 = another(&s.snap, near)
		}
	}
	s.near.show(near)
	s.far.show(far1)
	s.near.put(s.nearMarks())
	s.far.put(nil, nil)
	if len(s.near.marks) > 0 {
		s.near.look(s.near.marks[0])
	}
	at := s.landing()
	if s.req.traits().Remote && t.mr != nil && t.mr.Name == s.far.mr.Name {
		r := widget.HexRange{Style: s.th.Range}
		r.Off, r.Len = clip(t.off, s.req.reach(), s.far.mr.Length)
		s.far.put([]widget.HexRange{r}, nil)
		at = r
	}
	s.far.look(at)
}

// farEnd names the other end of the request's queue pair, "" if it is not known.
func farEnd(s *Screen) string {
	if q := s.req.queue(); q != nil {
		return far(&s.snap, q)
	}
	return ""
}

// useTyped puts the regions in use that the user has typed into the request.
func useTyped(s *Screen) {
	r := &s.req
	if text, ok := r.typed[slot{r.qp, r.op, "sge"}]; ok && s.snap.MR(parsePiece(text).region) != nil {
		s.env.Hand.TakeRegion(r.qp, parsePiece(text).region)
	}
	if _, ok := r.typed[slot{r.qp, r.op, "remote_addr"}]; ok && r.traits().Remote {
		if t := r.remote(); t.mr != nil {
			s.env.Hand.TakeRegion(farEnd(s), t.mr.Name)
		}
	}
}

// landing returns where a SEND arrives in the far region, if known: in the last RECV
// that was posted here at the other end.
func (s *Screen) landing() widget.HexRange {
	q := s.req.queue()
	if q == nil || s.req.isRecv() {
		return widget.HexRange{}
	}
	p := s.recvs[far(&s.snap, q)]
	if p.region == "" || p.region != s.far.mr.Name {
		return widget.HexRange{}
	}
	off, n := clip(p.off, min(p.size(s.far.mr.Length), max(s.req.total(), 1)), s.far.mr.Length)
	return widget.HexRange{Off: off, Len: n}
}

// another returns a region other than mr, nil if there is none.
func another(snap *session.Snapshot, mr *session.MRView) *session.MRView {
	for i := range snap.MRs {
		if m := &snap.MRs[i]; mr == nil || m.Name != mr.Name {
			return m
		}
	}
	return nil
}

// tags of pieces in their order; letters if digits would look like the bytes beside
// them.
var tags = map[bool][maxPieces]string{
	false: {"¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸"},
	true:  {"P", "Q", "R", "S", "T", "U", "V", "W"},
}

// nearMarks marks the request's pieces in the near region, with tags if there are
// several.
func (s *Screen) nearMarks() (marks []widget.HexRange, names []string) {
	if !s.req.traits().HasList() {
		return nil, nil
	}
	all := s.req.sgeNames()
	for i, n := range all {
		p := parsePiece(s.req.value(n))
		if p.region == "" || p.region != s.near.mr.Name {
			continue
		}
		r := widget.HexRange{Style: s.th.Range}
		if i%2 == 1 {
			r.Style = s.th.Range2
		}
		if r.Off, r.Len = clip(p.off, p.size(s.near.mr.Length), s.near.mr.Length); len(all) > 1 {
			r.Tag = tags[s.th.Glyphs.ASCII][i]
			names = append(names, s.req.value(n))
		}
		marks = append(marks, r)
	}
	return marks, names
}

// takeRead shows the bytes read, and the completion if it has arrived.
func (s *Screen) takeRead(m readMsg) {
	for _, p := range m.pieces {
		for _, side := range []*memory{s.near, s.far} {
			if p.window == side.window() {
				if text := side.arrived(p, s.asked.events, s.isStill()); text != "" {
					s.outcome.Then("memory", text, false)
				}
			}
			side.take(p)
		}
	}
	if m.traced {
		s.steps.Set(m.request, s.now(), s.diagram)
	}
	if m.wc == nil || s.waiting == nil || s.waiting.qp != "" && m.wc.QP != s.waiting.qp ||
		m.wc.WC.WRID != s.waiting.wrID {
		return
	}
	s.waiting = nil
	text := m.wc.WC.Status.String()
	if !m.wc.WC.Failed() {
		text = m.wc.WC.Opcode.String() + " " + text
	}
	text = fmt.Sprintf("wr_id %d %s", m.wc.WC.WRID, text)
	if took := steps.Took(m.wc.Latency); m.wc.Matched && took != "" {
		text += " · " + took
	}
	s.outcome.Then("wc", text, m.wc.WC.Failed())
}

// explain explains the field under the cursor; for an opcode and for flags, also
// their values.
func (s *Screen) explain() tea.Cmd {
	if s.req.queue() == nil {
		return screen.Explain()
	}
	name, _, _ := strings.Cut(s.form.Name(), " ") // "sge 2"
	switch name {
	case "qp", "", widget.MoreFields:
		return screen.Explain(explain.Lookup("queue pair")...)
	case "opcode":
		if s.req.op == recv {
			return screen.Explain(explain.Lookup("wc_opcode", recv)...)
		}
		return screen.Explain(explain.Lookup("wr_opcode", s.req.op)...)
	case "send_flags":
		return screen.Explain(explain.Lookup("send_flags", s.req.value(name))...)
	}
	return screen.Explain(explain.Lookup(name)...)
}
