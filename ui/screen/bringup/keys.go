package bringup

import (
	"strings"

	"charm.land/bubbles/v2/key"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/timeline"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/steps"
	"rdmatui/ui/widget"
)

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case screen.DoneMsg:
		cmd = s.done(msg)
	case screen.ReadMsg:
		s.reader.Done()
		s.take(msg.What)
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseClickMsg:
		cmd = s.input(msg)
	}
	return tea.Batch(cmd, s.reader.Start())
}

// take shows the result of a read.
func (s *Screen) take(what any) {
	switch what := what.(type) {
	case planMsg:
		s.takePlan(what)
	case devicesMsg:
		s.setup.setDevices(what)
		s.setup.update(&s.snap)
	}
}

// done shows the outcome of a line; of several lines run here, only the last.
func (s *Screen) done(msg screen.DoneMsg) tea.Cmd {
	next, over := s.runner.Take(msg)
	if over || msg.Typed {
		s.outcome.Set(msg)
		if s.failed = msg.Done; msg.Err == nil {
			s.failed = timeline.CommandDone{}
		}
	}
	if over {
		if s.wantPeer != "" && msg.Err == nil {
			s.peerOf[s.move.qp] = s.wantPeer
		}
		s.wantPeer = ""
	}
	return next
}

// input handles a key or a paste; an open field gets it first.
func (s *Screen) input(msg tea.Msg) tea.Cmd {
	k, isKey := msg.(tea.KeyPressMsg)
	switch {
	case s.pasting:
		return s.pasteInput(msg)
	case s.form.Editing():
		return s.formEvent(s.form.Update(msg))
	case s.Entry.Open():
		cmd, _ := s.Input(msg)
		return cmd
	case !isKey:
		return pasteBlock(s, msg)
	case len(s.snap.QPs) == 0:
		return s.setupKey(k)
	}
	if cmd, taken := s.Input(k); taken {
		return cmd
	}
	if cmd, taken := screen.Do(s, k, actions); taken {
		return cmd
	}
	return s.paneKey(k)
}

var actions = append(screen.FormActions(onForm),
	screen.On(&keymap.Bringup.Other, func(s *Screen) tea.Cmd { s.otherQP(); return nil }).When(hasOther),
	screen.On(&keymap.Bringup.Target, func(s *Screen) tea.Cmd { s.turnTarget(1); return nil }),
	screen.On(&keymap.Bringup.TargetBack, func(s *Screen) tea.Cmd { s.turnTarget(-1); return nil }),
	screen.On(&keymap.Bringup.Connect, (*Screen).connect).When(hasPartner),
	screen.On(&keymap.Bringup.Fix, fix).When(canFix),
	screen.On(&keymap.Bringup.Peer, func(s *Screen) tea.Cmd { s.openPaste(); return nil }),
	screen.On(&keymap.Bringup.AsIs, (*Screen).sendAsIs).When(isRefused),
	screen.On(&keymap.Bringup.Query, (*Screen).query),
	screen.On(&keymap.Bringup.New, (*Screen).newQP).When(canMake),
	screen.On(&keymap.Bringup.Bench, func(s *Screen) tea.Cmd { return s.makeAll() }).When(lacks),
	screen.On(&keymap.Bringup.Destroy, (*Screen).destroy),
	screen.On(&keymap.Bringup.Undo, undo).When(canUndo),
	screen.On(&keymap.Meet.Wait, func(s *Screen) tea.Cmd { return meet(s, "") }),
	screen.On(&keymap.Meet.Join, askMeeting),
	screen.On(&keymap.Bringup.All, func(s *Screen) tea.Cmd { s.move.all = !s.move.all; s.fill(); return nil }),
	screen.On(&keymap.Explain, (*Screen).explain),
	screen.On(&keymap.Form.Submit, (*Screen).send).When(canSend),
)

// meet connects to another instance: that at an address, or for "" the first that comes.
func meet(s *Screen, address string) tea.Cmd {
	return steps.RunMeet(s.runner, s.env, &s.snap, s.setup.deviceName(), address)
}

func askMeeting(s *Screen) tea.Cmd {
	return s.Entry.Ask(steps.Meeting(func(address string) tea.Cmd { return meet(s, address) }), "")
}

// Conditions under which keys can be used.
func hasOther(s *Screen) bool   { return len(s.snap.QPs) > 1 }
func hasPartner(s *Screen) bool { q := s.current(); return q != nil && s.partner(q) != "" }
func isRefused(s *Screen) bool  { return s.move.ready && s.move.check() != nil }
func canMake(s *Screen) bool    { _, ok := steps.NewQP(&s.snap); return ok }
func lacks(s *Screen) bool      { return len(s.setup.missing()) > 0 }
func canSend(s *Screen) bool    { return s.move.ready && !s.move.sameState() && s.move.check() == nil }

// onForm returns the form while it has the focus.
func onForm(s *Screen) *widget.Form {
	if s.Focus == paneForm {
		return s.form
	}
	return nil
}

// paneKey passes a key to the focused pane.
func (s *Screen) paneKey(k tea.KeyPressMsg) tea.Cmd {
	l := &keymap.List
	if keymap.Matches(k, l.Back) {
		s.Back()
		return nil
	}
	switch s.Focus {
	case paneQPs:
		switch {
		case keymap.Matches(k, l.Left):
			s.turnTarget(-1)
		case keymap.Matches(k, l.Right):
			s.turnTarget(1)
		case s.qps.Update(k):
			s.pickQP()
		}
	case paneAttributes:
		s.scrollAttributes(k)
	case paneCall:
		s.calls.Update(k)
	default:
		return s.formEvent(s.form.Update(k))
	}
	return nil
}

func (s *Screen) scrollAttributes(k tea.KeyPressMsg) {
	far := max(s.H/2, 1)
	for _, m := range []struct {
		key key.Binding
		by  int
	}{{keymap.List.Up, -1}, {keymap.List.Down, 1}, {keymap.List.PageUp, -far}, {keymap.List.PageDown, far},
		{keymap.List.Home, -s.attrLast}, {keymap.List.End, s.attrLast}} {
		if keymap.Matches(k, m.key) {
			s.attrTop = max(min(s.attrTop+m.by, s.attrLast), 0)
		}
	}
}

// pickQP shows the queue pair under the cursor of the list.
func (s *Screen) pickQP() {
	if i := s.qps.Cursor(); i >= 0 && s.snap.QPs[i].Name != s.move.qp {
		s.env.Hand.Take(s.snap.QPs[i].Name)
		s.selectQP(s.snap.QPs[i].Name)
		s.replan()
	}
}

func (s *Screen) otherQP() {
	if n := len(s.snap.QPs); n > 0 {
		s.qps.SetCursor((s.qps.Cursor() + 1) % n)
		s.pickQP()
	}
}

func (s *Screen) turnTarget(dir int) {
	s.target[s.move.qp] = around(s.move.to, dir)
	s.replan()
}

// formEvent takes over the values set in the form.
func (s *Screen) formEvent(ev widget.FormEvent) tea.Cmd {
	if ev.Kind == widget.FormChanged {
		problem := s.move.set(ev.Name, ev.Value)
		s.fill()
		s.form.SetError(ev.Name, problem)
	}
	return nil
}

// send runs the line made from the values, unless the table rejects it: sendAsIs runs
// it then, so that this is done on purpose.
func (s *Screen) send() tea.Cmd {
	switch {
	case !s.move.ready:
		return refuse(s, s.move.notReady())
	case s.move.sameState():
		return screen.Flash(s.move.qp + " is in " + s.move.to.String() +
			" already and no value is set; t picks another state")
	}
	if err := s.move.check(); err != nil {
		return refuse(s, err.Error()+"; x sends it as it is")
	}
	return s.runner.Run(s.move.command())
}

// refuse says why nothing is sent.
func refuse(_ *Screen, why string) tea.Cmd { return screen.Warn("Not sent: " + why) }

func (s *Screen) sendAsIs() tea.Cmd {
	if !s.move.ready {
		return refuse(s, s.move.notReady())
	}
	return s.runner.Run(s.move.command())
}

func (s *Screen) connect() tea.Cmd {
	q := s.current()
	other := s.partner(q)
	if other == "" {
		return screen.Warn("no peer to connect " + q.Name + " to: n creates a second QP, P enters a peer's address")
	}
	return s.runner.Start("connect_qps " + q.Name + " " + other)
}

func (s *Screen) query() tea.Cmd {
	if !s.showsAttributes {
		s.Focus = paneAttributes
	}
	return s.runner.Start("query_qp " + s.move.qp)
}

func (s *Screen) newQP() tea.Cmd {
	text, ok := steps.NewQP(&s.snap)
	if !ok {
		return screen.Warn("a QP needs a PD and a CQ first: b creates what is missing")
	}
	return s.runner.Start(text)
}

func (s *Screen) makeAll() tea.Cmd {
	lines := s.setup.missing()
	if len(lines) == 0 {
		return screen.Flash("nothing is missing")
	}
	return s.runner.Start(lines...)
}

// undo makes the object again that was destroyed last.
func undo(s *Screen) tea.Cmd {
	if !canUndo(s) {
		return screen.Flash("nothing was destroyed")
	}
	return s.runner.Start("undo")
}

func canUndo(s *Screen) bool { return s.snap.Destroyed != "" }

// destroy asks first: the connection of a destroyed queue pair cannot be restored.
func (s *Screen) destroy() tea.Cmd {
	name := s.move.qp
	return screen.Ask("destroy?", "Destroy the queue pair "+name+"?", func() tea.Cmd {
		return s.runner.Start("destroy_qp " + name)
	})
}

// setupKey handles a key while there is no queue pair.
func (s *Screen) setupKey(k tea.KeyPressMsg) tea.Cmd {
	l := &keymap.List
	switch {
	case keymap.Matches(k, keymap.Form.Submit):
		if why := s.setup.blocked(); why != "" {
			return screen.Warn(why)
		}
		return s.runner.Start(s.setup.marked().Line)
	case keymap.Matches(k, keymap.Bringup.Undo) && canUndo(s):
		return undo(s)
	case keymap.Matches(k, keymap.Bringup.Bench):
		if s.snap.Devices == nil && s.setup.deviceName() == "" {
			return screen.Warn(s.setup.blocked())
		}
		return s.makeAll()
	case keymap.Matches(k, keymap.Form.Edit):
		if n := s.setup.marked(); n != nil && n.Line != "" {
			return screen.Edit(n.Line)
		}
	case keymap.Matches(k, keymap.Meet.Wait):
		return meet(s, "")
	case keymap.Matches(k, keymap.Meet.Join):
		return askMeeting(s)
	case keymap.Matches(k, l.Left):
		s.turnDevice(-1)
	case keymap.Matches(k, l.Right):
		s.turnDevice(1)
	default:
		s.setup.move(k)
	}
	return nil
}

func (s *Screen) turnDevice(dir int) {
	s.setup.turn(dir)
	s.setup.update(&s.snap)
}

func (s *Screen) openPaste() {
	s.pasting, s.problem = true, ""
	s.pasted.SetValue("")
}

// pasteBlock takes a pasted peer address while no field is open.
func pasteBlock(s *Screen, msg tea.Msg) tea.Cmd {
	p, ok := msg.(tea.PasteMsg)
	if !ok || s.current() == nil {
		return nil
	}
	s.openPaste()
	s.pasted.Offer(strings.Join(strings.Fields(p.Content), " "))
	return s.takePeer()
}

// pasteInput edits the peer's address.
func (s *Screen) pasteInput(msg tea.Msg) tea.Cmd {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		switch {
		case keymap.Matches(k, keymap.Entry.Cancel):
			s.pasting = false
			return nil
		case keymap.Matches(k, keymap.Entry.Accept):
			return s.takePeer()
		}
	}
	if s.pasted.Update(msg) {
		s.problem = ""
	}
	return nil
}

func (s *Screen) takePeer() tea.Cmd {
	name := steps.FreeName(&s.snap, "peer")
	text, err := peerLine(name, s.pasted.Value())
	if err != nil {
		s.problem = err.Error()
		return nil
	}
	s.pasting, s.wantPeer = false, name
	return s.runner.Start(text)
}
