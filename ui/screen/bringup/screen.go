// Package bringup is the screen that takes queue pairs through their states: the
// objects to make first, the current state of each, the attributes of the next
// transition, its C call, and the result.
package bringup

import (
	"cmp"
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"rdmatui/assets/explain"
	"rdmatui/session"
	"rdmatui/session/bringup"
	"rdmatui/session/timeline"
	"rdmatui/ui/explained"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/steps"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/verbs"
)

// The panes.
const (
	paneForm screen.Pane = iota
	paneQPs
	paneAttributes
	paneCall
	panes
)

// Screen is the Bring-up screen.
type Screen struct {
	env  *screen.Env
	th   *theme.Theme
	snap session.Snapshot
	seen bool // snap has been filled

	move    move
	target  map[string]verbs.QPState // by queue pair: a state chosen by the user
	reader  screen.Reader
	runner  *steps.Runner
	outcome *steps.Outcome
	calls   *steps.Rows // the whole call pane, while it has the focus
	form    *widget.Form
	qps     *widget.Table
	setup   *setup

	attrs     []attribute
	attrOther string
	attrTop   int
	attrLast  int // the last attrTop, as last drawn

	pasted   *widget.Input
	pasting  bool
	problem  string            // what is wrong with the pasted text
	wantPeer string            // the peer being made
	peerOf   map[string]string // by queue pair: the peer pasted for it

	failed timeline.CommandDone // the last line run here, if it failed

	showsAttributes bool // in the current frame

	screen.Fields
	screen.Panes
}

var _ screen.Screen = (*Screen)(nil)

// New makes the screen.
func New(env *screen.Env) *Screen {
	s := &Screen{
		env: env, th: env.Theme,
		move:   move{typed: map[field]typed{}},
		target: map[string]verbs.QPState{}, peerOf: map[string]string{},
		runner: steps.NewRunner(env), outcome: steps.NewOutcome(env.Theme),
		form: widget.NewForm(env.Theme), setup: newSetup(env.Theme), pasted: widget.NewInput(env.Theme),
	}
	s.qps = widget.NewTable(s.th, qpRows{s}, qpColumns()...)
	s.qps.Keeps = true
	s.outcome.Empty, s.calls = "Results appear here.", steps.NewRows(s.th)
	s.form.Focused = true
	s.setup.update(&s.snap)
	s.Panes = screen.Panes{
		Count: int(panes), Entry: screen.NewEntry(s.th), Lay: s.lay, Used: s.pickQP,
		Texts: func(at screen.Pane) []screen.CopyText { return texts(s, at) }, Boxes: make([]*widget.Box, panes),
	}
	s.Fields = func(name string) string { return tourField(s, name) }
	return s
}

// Context implements screen.Screen.
func (s *Screen) Context() keymap.Context {
	switch {
	case s.pasting:
		return keymap.FieldOpen
	case s.Entry.Open():
		return s.Entry.Context()
	case s.form.Editing():
		return s.form.Context()
	case len(s.snap.QPs) == 0:
		return keymap.BringupSetup.Only(func(b key.Binding) bool {
			return b.Keys()[0] != keymap.Bringup.Undo.Keys()[0] || canUndo(s)
		})
	}
	return screen.ContextNow(s, keymap.BringupScreen, actions)
}

// Typing implements screen.Screen.
func (s *Screen) Typing() bool { return s.pasting || s.form.Editing() || s.Entry.Open() }

// Show implements screen.Screen: the devices may have changed meanwhile.
func (s *Screen) Show() tea.Cmd {
	if len(s.snap.Devices) == 0 {
		s.reader.Ask(func() any { return devicesMsg(s.env.Inventory.List()) })
	}
	return s.reader.Start()
}

// Refresh implements screen.Screen.
func (s *Screen) Refresh(st *screen.State) (bool, tea.Cmd) {
	other := s.env.Hand.In(&st.Session) != s.move.qp
	if s.seen && !other && st.Session.Version == s.snap.Version {
		return false, s.reader.Start()
	}
	old := s.snap
	s.snap = st.Session
	if s.seen && !other && sameFace(&old, &s.snap) {
		return false, s.reader.Start()
	}
	s.seen = true
	s.follow(&old)
	return true, s.reader.Start()
}

// sameFace reports whether two snapshots look the same here. Requests under way are
// not shown, so traffic costs this screen nothing.
func sameFace(a, b *session.Snapshot) bool {
	return len(a.Devices) == len(b.Devices) && len(a.AHs) == len(b.AHs) &&
		slices.EqualFunc(a.PDs, b.PDs, func(x, y session.PDView) bool { return x.Name == y.Name }) &&
		slices.EqualFunc(a.CQs, b.CQs, func(x, y session.CQView) bool { return x.Name == y.Name }) &&
		slices.EqualFunc(a.SRQs, b.SRQs, func(x, y session.SRQView) bool { return x.Name == y.Name }) &&
		slices.Equal(a.MRs, b.MRs) && slices.EqualFunc(a.Peers, b.Peers, samePeer) &&
		slices.EqualFunc(a.QPs, b.QPs, func(x, y session.QPView) bool {
			x.SendOutstanding, x.RecvPosted, x.RecvRoom, x.Sends = y.SendOutstanding, y.RecvPosted, y.RecvRoom, y.Sends
			return x == y
		})
}

// samePeer reports whether two peers have the same address.
func samePeer(x, y session.PeerView) bool {
	return x.Name == y.Name && x.LID == y.LID && x.QPN == y.QPN && x.PSN == y.PSN && x.GID == y.GID
}

// follow switches to a snapshot that looks different.
func (s *Screen) follow(old *session.Snapshot) {
	for i := range s.snap.QPs {
		q := &s.snap.QPs[i]
		if was := old.QP(q.Name); was != nil && was.State != q.State {
			s.move.forget(q.Name, q.State)
			delete(s.target, q.Name)
		}
	}
	for i := range old.QPs {
		if name := old.QPs[i].Name; s.snap.QP(name) == nil {
			s.move.forgetAll(name) // a new one of that name starts afresh
			delete(s.target, name)
			delete(s.peerOf, name)
		}
	}
	s.selectQP(s.env.Hand.In(&s.snap))
	s.setup.update(&s.snap)
	s.replan()
}

// current returns the queue pair shown; nil if there is none.
func (s *Screen) current() *session.QPView { return s.snap.QP(s.move.qp) }

// selectQP shows the queue pair in hand.
func (s *Screen) selectQP(name string) {
	if name != s.move.qp {
		s.move.qp, s.attrTop = name, 0
	}
	for i := range s.snap.QPs {
		if s.snap.QPs[i].Name == name {
			s.qps.SetCursor(i)
		}
	}
}

// planMsg carries the plan of a transition.
type planMsg struct {
	qp   string
	to   verbs.QPState
	plan bringup.Plan
	err  error
}

// replan asks for the plan of the current transition and compares both ends again.
func (s *Screen) replan() {
	q := s.current()
	if q == nil {
		s.move.ready, s.attrs, s.attrOther = false, nil, ""
		return
	}
	to, ok := s.target[q.Name]
	if !ok {
		to = onward[q.State]
	}
	if to != s.move.to || s.move.plan.QP != q.Name || s.move.plan.From != q.State {
		s.move.to, s.move.ready, s.move.err = to, false, ""
	}
	s.attrOther, s.attrs = compare(&s.snap, q, s.partner(q))
	name, sess := q.Name, s.env.Session
	s.reader.Ask(func() any {
		p, err := sess.Plan(name, to)
		return planMsg{name, to, p, err}
	})
}

func (s *Screen) takePlan(m planMsg) {
	if m.qp != s.move.qp || m.to != s.move.to {
		return // another one has been requested since
	}
	other := !s.move.ready
	s.move.plan, s.move.ready, s.move.err = m.plan, m.err == nil, ""
	if m.err != nil {
		s.move.err = m.err.Error()
		s.form.SetFields(nil)
		return
	}
	s.preferPeer()
	s.fill()
	if f := s.form.Fields(); other && len(f) > 0 {
		s.form.Select(f[0].Name)
	}
}

// preferPeer selects the pasted peer if the plan chose another.
func (s *Screen) preferPeer() {
	name := s.peerOf[s.move.qp]
	if name == s.move.plan.Peer || s.move.to != verbs.QPRTR {
		return
	}
	if p := s.snap.Peer(name); p != nil {
		s.move.fromPeer(p)
	}
}

// fill puts the values into the form; fields keep their errors.
func (s *Screen) fill() {
	fields := s.move.fields()
	for i := range fields {
		for _, old := range s.form.Fields() {
			if old.Name == fields[i].Name && old.Value == fields[i].Value {
				fields[i].Err = old.Err
			}
		}
	}
	s.form.SetFields(fields)
}

// Mouse implements widget.Mouser. While an address is being pasted it does nothing.
func (s *Screen) Mouse(m widget.Mouse) bool { return !s.pasting && s.Panes.Mouse(m) }

func stateStyle(th *theme.Theme, st verbs.QPState) theme.Style {
	switch st {
	case verbs.QPRTS:
		return th.OK
	case verbs.QPErr, verbs.QPSQE:
		return th.Err
	}
	return th.Accent
}

// explain explains the attribute under the cursor, or in the list of queue pairs the
// state and the planned transition. After a failed call the failure comes first,
// until another line is prepared.
func (s *Screen) explain() tea.Cmd {
	var entries []explain.Entry
	if hasFailed(s) || s.Focus == paneCall && s.failed.Err != "" {
		if entries = explained.Command(&s.failed); len(entries) > 0 {
			entries[0].Cause = cmp.Or(s.failed.Check, s.failed.Hint)
		}
	}
	if s.Focus != paneCall || len(entries) == 0 {
		entries = append(entries, underCursor(s)...)
	}
	return screen.Explain(entries...)
}

// hasFailed reports whether the prepared line is the one that failed last.
func hasFailed(s *Screen) bool {
	return s.failed.Err != "" && s.move.ready && s.failed.Line == s.move.command().Text
}

func underCursor(s *Screen) []explain.Entry {
	if s.Focus == paneForm {
		for i := range s.move.plan.Rows {
			if r := &s.move.plan.Rows[i]; r.Field.Name == s.form.Name() {
				return []explain.Entry{s.move.explain(r)}
			}
		}
	}
	q := s.current()
	if q == nil {
		return nil
	}
	entries := explain.Lookup("state", q.State.String())
	if s.move.to != q.State {
		entries = append(entries, explain.Lookup("transition", q.State.String(), s.move.to.String())...)
	}
	return entries
}
