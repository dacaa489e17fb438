package post

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/timeline"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/bringup/step"
	"rdmatui/ui/widget/form"
)

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	s.collect()
	switch msg := msg.(type) {
	case screen.DoneMsg:
		s.told(msg)
	case tea.KeyPressMsg, tea.PasteMsg:
		cmd = s.input(msg)
	}
	return tea.Batch(cmd, s.errand.Wait(s.env.Ctx))
}

func flash(level timeline.Level, text string) tea.Cmd {
	return screen.Send(screen.FlashMsg{Level: level, Text: text})
}

// collect takes what was read and what came of the lines that were run, whenever
// the screen is looked at: their messages may have gone to another screen.
func (s *Screen) collect() (something bool) {
	if end, ok := s.queue.Take(); ok {
		something = true
		s.done(end)
	}
	for _, r := range s.errand.Take() {
		something = true
		if m, ok := r.(readMsg); ok {
			s.takeRead(m)
		}
	}
	return something
}

// done shows what came of the lines that were run here.
func (s *Screen) done(msg screen.DoneMsg) {
	s.outcome.Set(msg)
	s.own = msg.Line
	if msg.Err == nil && s.sending != nil {
		s.waiting = s.sending
		if n := s.sending.wrID; n >= s.req.next {
			s.req.next = n + 1
		}
		delete(s.req.typed, slot{s.req.qp, s.req.op, "wr_id"})
		s.read1 = readKey{} // the completion may be there already
		s.refill()
	}
	s.sending = nil
}

// told shows what came of any line; its own have been shown by done.
func (s *Screen) told(msg screen.DoneMsg) {
	if msg.Line == s.own {
		s.own = ""
		return
	}
	s.outcome.Set(msg)
	if strings.HasPrefix(msg.Line, "post_send") {
		s.near.mark() // what was typed elsewhere is an operation too
		s.far.mark()
	}
}

// input is a key or a paste; an open field gets it first.
func (s *Screen) input(msg tea.Msg) tea.Cmd {
	if s.form.Editing() {
		return s.formEvent(s.form.Update(msg))
	}
	k, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil
	}
	for _, a := range actions {
		if keymap.Matches(k, a.key) {
			return a.do(s)
		}
	}
	return s.paneKey(k)
}

// action ties a key to what it does.
type action struct {
	key key.Binding
	do  func(*Screen) tea.Cmd
}

var actions = []action{
	{keymap.Form.Submit, (*Screen).post},
	{keymap.Post.Opcode, func(s *Screen) tea.Cmd { return s.turnOpcode() }},
	{keymap.Post.Recv, func(s *Screen) tea.Cmd { return s.turnTo("opcode", recv) }},
	{keymap.Post.RecvPeer, (*Screen).postRecvAtPeer},
	{keymap.Post.AddSGE, func(s *Screen) tea.Cmd { return s.addPiece(1) }},
	{keymap.Post.DropSGE, func(s *Screen) tea.Cmd { return s.addPiece(-1) }},
	{keymap.Post.Payload, (*Screen).editPayload},
	{keymap.Post.Other, (*Screen).otherQP},
	{keymap.Post.Memory, func(s *Screen) tea.Cmd { s.toggleMemory(); return nil }},
	{keymap.Post.Repeat, (*Screen).repeat},
	{keymap.Post.Bench, (*Screen).makeAll},
	{keymap.Explain, (*Screen).explain},
	{keymap.Pane.Next, func(s *Screen) tea.Cmd { s.turnFocus(1); return nil }},
	{keymap.Pane.Prev, func(s *Screen) tea.Cmd { s.turnFocus(-1); return nil }},
	{keymap.Pane.Zoom, func(s *Screen) tea.Cmd { s.zoom = !s.zoom; return nil }},
	{keymap.List.Back, func(s *Screen) tea.Cmd { s.focus, s.zoom, s.memory = paneForm, false, false; return nil }},
}

// paneKey gives a key to the pane that has them.
func (s *Screen) paneKey(k tea.KeyPressMsg) tea.Cmd {
	switch s.focus {
	case paneNear:
		s.near.dump.Update(k)
	case paneFar:
		s.far.dump.Update(k)
	default:
		return s.formEvent(s.form.Update(k))
	}
	return nil
}

// formEvent takes over what the user set in the form.
func (s *Screen) formEvent(ev form.Event) tea.Cmd {
	if ev.Kind == form.Changed {
		return s.turnTo(ev.Name, ev.Value)
	}
	return nil
}

// turnTo sets a field.
func (s *Screen) turnTo(name, value string) tea.Cmd {
	switch name {
	case "qp":
		if findQP(&s.snap, value) == nil {
			s.refill()
			return flash(timeline.LevelWarn, "there is no queue pair "+value)
		}
		s.req.qp = value
	case "opcode":
		if helpOf(opcodes, value) == "" {
			s.refill()
			return flash(timeline.LevelWarn, value+" cannot be posted here; the command line (:) takes every opcode")
		}
		s.req.op = value
	default:
		s.req.set(name, value)
	}
	s.refill()
	return nil
}

func (s *Screen) turnOpcode() tea.Cmd {
	for i, o := range opcodes {
		if o.Value == s.req.op {
			return s.turnTo("opcode", opcodes[(i+1)%len(opcodes)].Value)
		}
	}
	return nil
}

func (s *Screen) otherQP() tea.Cmd {
	for i, q := range s.snap.QPs {
		if q.Name == s.req.qp {
			return s.turnTo("qp", s.snap.QPs[(i+1)%len(s.snap.QPs)].Name)
		}
	}
	return nil
}

func (s *Screen) addPiece(by int) tea.Cmd {
	s.req.addPiece(by)
	s.refill()
	names := s.req.sgeNames()
	s.form.Select(names[len(names)-1])
	return nil
}

// editPayload opens the payload's field.
func (s *Screen) editPayload() tea.Cmd {
	if !s.req.sends() {
		return flash(timeline.LevelInfo, s.req.op+" sends no data: it has no payload")
	}
	s.focus, s.memory = paneForm, false
	s.form.Select("payload")
	edit := keymap.Form.Edit.Keys()[0]
	s.form.Update(tea.KeyPressMsg{Code: rune(edit[0]), Text: edit})
	return nil
}

// toggleMemory gives the regions the whole screen, or takes it back.
func (s *Screen) toggleMemory() {
	s.memory = !s.memory
	s.focus = paneForm
	if s.memory {
		s.focus = paneNear
	}
}

func (s *Screen) turnFocus(dir int) {
	s.focus = (s.focus + pane(dir) + panes) % panes
	if s.memory && s.focus == paneForm {
		s.focus = (s.focus + pane(dir) + panes) % panes
	}
}

// post writes the payload and posts the request.
func (s *Screen) post() tea.Cmd {
	if s.queue.Busy() {
		return s.queue.Start() // says what is running
	}
	lines := s.req.lines()
	if lines == nil {
		return flash(timeline.LevelWarn, "there is no queue pair: b makes all that is missing, 2 goes to Bring-up")
	}
	s.last = lines
	s.begin()
	if n, ok := s.wrID(); ok {
		s.sending = &posted{qp: s.req.completesAt(), wrID: n, recv: s.isRecv(), after: s.env.Session.Timeline().Last()}
	}
	return s.queue.Start(lines...)
}

// begin says that an operation begins: what changes from now on is marked.
func (s *Screen) begin() {
	s.sending, s.waiting = nil, nil
	if s.isRecv() {
		s.recvs[s.req.qp] = parsePiece(s.req.value("sge"))
		return
	}
	for _, m := range []*memory{s.near, s.far} {
		m.mark()
		m.reveal()
	}
}

func (s *Screen) repeat() tea.Cmd {
	if len(s.last) == 0 {
		return flash(timeline.LevelInfo, "nothing was posted yet")
	}
	if !s.queue.Busy() {
		s.begin()
	}
	return s.queue.Start(s.last...)
}

// postRecvAtPeer posts a RECV at the other end, into the region that is its own.
func (s *Screen) postRecvAtPeer() tea.Cmd {
	q := findQP(&s.snap, s.req.qp)
	if q == nil {
		return flash(timeline.LevelWarn, "there is no queue pair")
	}
	peer := findQP(&s.snap, far(&s.snap, q))
	if peer == nil {
		return flash(timeline.LevelWarn, "the other end is not in this session: it must post a RECV itself; r is the form for one here")
	}
	r := s.req
	r.qp, r.op = peer.Name, recv
	n := r.next
	s.req.next++
	s.recvs[peer.Name] = parsePiece(r.value("sge"))
	cmd := s.queue.Start(r.line())
	if s.queue.Busy() && r.value("wr_id") == fmt.Sprint(n) {
		delete(s.req.typed, slot{peer.Name, recv, "wr_id"})
	}
	s.refill()
	return cmd
}

// makeAll makes what a bench needs and is not there.
func (s *Screen) makeAll() tea.Cmd {
	name := ""
	if len(s.snap.Devices) == 0 {
		return tea.Batch(screen.Send(screen.GotoMsg{To: screen.BringUp}),
			flash(timeline.LevelInfo, "b here makes a whole bench"))
	}
	var lines []string
	for _, n := range step.Bench(&s.snap, name) {
		if n.Have == "" {
			lines = append(lines, n.Line)
		}
	}
	if len(lines) == 0 {
		return flash(timeline.LevelInfo, "nothing is missing")
	}
	return s.queue.Start(lines...)
}
