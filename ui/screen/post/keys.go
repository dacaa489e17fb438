package post

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/command"
	"rdmatui/session/oob"
	"rdmatui/session/preflight"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/steps"
	"rdmatui/ui/widget"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
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
		var do func(*Screen) tea.Cmd
		if cmd, do = s.input(msg); do != nil {
			cmd = do(s)
		}
	}
	return tea.Batch(cmd, s.reader.Start())
}

// take shows the result of a read.
func (s *Screen) take(what any) {
	switch m := what.(type) {
	case readMsg:
		s.takeRead(m)
	case fileSeen:
		s.req.files[m.path] = m
		s.refill()
	}
}

// done shows the outcome of a typed line, or of the lines run here once they have
// ended.
func (s *Screen) done(msg screen.DoneMsg) tea.Cmd {
	next, over := s.runner.Take(msg)
	switch {
	case over:
		s.ran(msg)
	case msg.Typed:
		s.outcome.Set(msg)
		if strings.HasPrefix(msg.Line, command.PostSend.Name) || strings.HasPrefix(msg.Line, command.Chain.Name) {
			s.near.mark() // a typed line is an operation too
			s.far.mark()
		}
	}
	return next
}

// ran shows the outcome of the lines run here.
func (s *Screen) ran(msg screen.DoneMsg) {
	s.outcome.Set(msg)
	s.req.ageFiles()
	if s.chaining {
		s.chainDone(msg)
	} else if msg.Err == nil && s.sending != nil {
		if n := s.sending.last(); n >= s.req.next && n+1 > n {
			s.req.next = n + 1
		}
		delete(s.req.typed, slot{s.req.qp, s.req.op, "wr_id"})
	}
	if msg.Err == nil && s.sending != nil {
		s.waiting = s.sending
		s.read1 = readKey{} // the completion may have arrived already
	}
	s.sending = nil
	s.refill()
}

// input handles a key or a paste; an open field gets it first. For a key with an
// action it returns the action instead.
func (s *Screen) input(msg tea.Msg) (cmd tea.Cmd, do func(*Screen) tea.Cmd) {
	if s.Entry.Open() {
		cmd, _ := s.Input(msg)
		return cmd, nil
	}
	if p, ok := msg.(tea.PasteMsg); ok && s.jumping() == nil {
		return s.paste(p), nil
	}
	if s.form.Editing() {
		return s.formEvent(s.form.Update(msg)), nil
	}
	if m := s.jumping(); m != nil {
		return s.jumpInput(m, msg), nil
	}
	k, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, nil
	}
	if cmd, taken := s.Input(k); taken {
		return cmd, nil
	}
	if s.diagram {
		return nil, screen.ActionOf(k, diagramActions)
	}
	if do := screen.ActionOf(k, actions); do != nil {
		return nil, do
	}
	return s.paneKey(k), nil
}

var actions = append(screen.FormActions(onForm),
	screen.On(&keymap.Form.Submit, (*Screen).post).When(hasQueue),
	screen.On(&keymap.Post.Opcode, func(s *Screen) tea.Cmd { return turnOpcode(s, 1) }).When(hasQueue),
	screen.On(&keymap.Post.OpcodeBack, func(s *Screen) tea.Cmd { return turnOpcode(s, -1) }).When(hasQueue),
	screen.On(&keymap.Post.Recv, func(s *Screen) tea.Cmd { return s.turnTo("opcode", recv) }).When(hasQueue),
	screen.On(&keymap.Post.RecvPeer, (*Screen).postRecvAtPeer).When(hasPeer),
	screen.On(&keymap.Post.Fix, fix).When(canFix),
	screen.On(&keymap.Post.AddSGE, (*Screen).addPiece).When(wantsPieces),
	screen.On(&keymap.Post.DropSGE, (*Screen).dropPiece).When(hasPieces),
	screen.On(&keymap.Post.Add, (*Screen).addToChain).When(wantsChain),
	screen.On(&keymap.Post.Chain, (*Screen).postChain).When(chainInHand),
	screen.On(&keymap.Post.ClearChain, (*Screen).clearChain).When(hasChain),
	screen.On(&keymap.Post.Undo, undo).When(canUndo),
	screen.On(&keymap.Post.Jump, (*Screen).jump).When(hasRegion),
	screen.On(&keymap.Post.Register, register),
	screen.On(&keymap.Post.Rights, func(s *Screen) tea.Cmd { return s.edit("rereg_mr %s access=%s") }).When(hasRegion),
	screen.On(&keymap.Post.Deregister, deregister).When(hasRegion),
	screen.On(&keymap.Post.Payload, (*Screen).editPayload).When(hasPayload),
	screen.On(&keymap.Post.Other, (*Screen).otherQP).When(hasOther),
	screen.On(&keymap.Post.Memory, (*Screen).toggleMemory),
	screen.On(&keymap.Steps.Show, toggleDiagram).When(hasQueue),
	screen.On(&keymap.Post.Repeat, (*Screen).repeat).When(hasLast),
	screen.On(&keymap.Post.Bench, (*Screen).makeAll),
	screen.On(&keymap.Post.All, toggleAll).When(hasQueue),
	screen.On(&keymap.Explain, (*Screen).explain),
	screen.On(&keymap.List.Back, back),
)

// Conditions under which keys can be used.
func hasQueue(s *Screen) bool   { return s.req.qp != "" }
func hasOther(s *Screen) bool   { return len(s.req.queues()) > 1 }
func hasPayload(s *Screen) bool { return hasQueue(s) && s.req.sends() }
func hasLast(s *Screen) bool    { return len(s.last) > 0 && s.lastQP == s.req.qp }
func hasList(s *Screen) bool    { return hasQueue(s) && s.req.traits().HasList() }
func hasPieces(s *Screen) bool  { return hasList(s) && s.req.count() > 1 }
func hasChain(s *Screen) bool   { return len(s.req.chain) > 0 }
func hasRegion(s *Screen) bool  { return s.region().mr.Name != "" }
func canFix(s *Screen) bool     { return mendable(s) >= 0 }

// onForm returns the form while it has the focus.
func onForm(s *Screen) *widget.Form {
	if hasQueue(s) && s.Focus == paneForm {
		return s.form
	}
	return nil
}

// hasPeer reports whether the other end is a queue pair of this session.
func hasPeer(s *Screen) bool {
	q := s.req.queue()
	return q != nil && queueOf(&s.snap, far(&s.snap, q)) != nil
}

// paneKey passes a key to the focused pane.
func (s *Screen) paneKey(k tea.KeyPressMsg) tea.Cmd {
	switch {
	case s.Focus == paneForm:
		return s.formEvent(s.form.Update(k))
	case s.Focus == panePath:
		return nil
	case s.Focus == paneChecks:
		s.checkRows.Update(k)
		return nil
	case s.Focus == paneResult:
		s.results.Update(k)
		return nil
	case keymap.Matches(k, keymap.List.Left):
		return s.turnRegion(-1)
	case keymap.Matches(k, keymap.List.Right):
		return s.turnRegion(1)
	}
	s.region().dump.Update(k)
	return nil
}

// formEvent takes over the values set in the form.
func (s *Screen) formEvent(ev widget.FormEvent) tea.Cmd {
	if ev.Kind == widget.FormChanged {
		return s.turnTo(ev.Name, ev.Value)
	}
	return nil
}

// turnTo sets a field.
func (s *Screen) turnTo(name, value string) tea.Cmd {
	switch name {
	case "qp":
		if queueOf(&s.snap, value) == nil {
			s.refill()
			return screen.Warn("no queue pair " + value)
		}
		if s.snap.QP(value) != nil {
			s.env.Hand.Take(value)
			s.hand = value
		}
		s.chooseQueue(value)
	case "opcode":
		if why := s.notPosted(value); why != "" {
			s.refill()
			return screen.Warn(why)
		}
		s.req.op, s.chose = value, true
		useTyped(s)
	default:
		s.req.set(name, value)
		useTyped(s)
	}
	s.refill()
	return nil
}

// chooseQueue shows the form of a queue pair or a shared receive queue.
func (s *Screen) chooseQueue(name string) {
	s.req.qp = name
	if s.snap.SRQ(name) != nil {
		s.req.op = recv
	}
	useTyped(s)
}

// notPosted says why the form does not accept an opcode, "" if it does.
func (s *Screen) notPosted(op string) string {
	if helpOf(opcodes, op) == "" {
		return op + " cannot be posted here; the console (:) takes every opcode"
	}
	if q := s.req.queue(); q != nil {
		return whyNot(&s.snap, q, op)
	}
	return ""
}

// Pick implements screen.Picker: it chooses an opcode, for a queue pair that may not exist yet.
func (s *Screen) Pick(item string) tea.Cmd {
	cmd := s.turnTo("opcode", item)
	if s.req.queue() == nil {
		return tea.Batch(cmd, screen.Flash("first create and connect a queue pair: press b"))
	}
	return cmd
}

func turnOpcode(s *Screen, by int) tea.Cmd {
	list := s.req.offered()
	if len(list) == 0 {
		return nil
	}
	at := slices.IndexFunc(list, func(o widget.Option) bool { return o.Value == s.req.op })
	if q := s.req.queue(); len(list) == 1 && at == 0 {
		return screen.Flash(whyNot(&s.snap, q, opcodes[0].Value))
	}
	return s.turnTo("opcode", list[(at+by+len(list))%len(list)].Value)
}

func (s *Screen) otherQP() tea.Cmd {
	list := s.req.queues()
	if len(list) == 0 {
		return nil
	}
	at := slices.IndexFunc(list, func(o widget.Option) bool { return o.Value == s.req.qp })
	return s.turnTo("qp", list[(at+1)%len(list)].Value)
}

func (s *Screen) addPiece() tea.Cmd {
	if !s.req.traits().HasList() {
		return screen.Flash(s.req.op + " has no list of SGEs")
	}
	s.req.addPiece()
	s.refill()
	names := s.req.sgeNames()
	s.form.Select(names[len(names)-1])
	return nil
}

// dropPiece removes the SGE under the cursor, or else the last.
func (s *Screen) dropPiece() tea.Cmd {
	s.req.dropPiece(s.form.Name())
	s.refill()
	return nil
}

// paste passes pasted text to the open field. A text that is too long is refused as a
// whole: a part of it would mean something else.
func (s *Screen) paste(p tea.PasteMsg) tea.Cmd {
	switch {
	case !s.form.Editing():
		return pasteBlock(s, p.Content)
	case len(p.Content)+len(s.form.Text()) > widget.MaxInput:
		return screen.Warn(
			fmt.Sprintf("paste not taken: it has %s bytes, a field takes %s; save it to a file and use file:PATH",
				format.Count(uint64(len(p.Content))), format.Count(widget.MaxInput)))
	}
	if s.form.Name() == payload {
		if whole, changed := asTyped(s.form.Text(), p.Content); changed && len(whole) <= widget.MaxInput {
			s.form.SetText(whole)
			return nil
		} else if changed {
			return screen.Warn(fmt.Sprintf(
				"paste not taken: it has %s bytes once escaped, a field takes %s; save it to a file and use file:PATH",
				format.Count(uint64(len(whole))), format.Count(widget.MaxInput)))
		}
	}
	return s.formEvent(s.form.Update(p))
}

// editPayload opens the payload's field.
func (s *Screen) editPayload() tea.Cmd {
	if !s.req.sends() {
		return screen.Flash(s.req.op + " sends no data and has no payload")
	}
	s.showMemory(false)
	s.form.Select(payload)
	edit := keymap.Form.Edit.Keys()[0]
	s.form.Update(tea.KeyPressMsg{Code: rune(edit[0]), Text: edit})
	return nil
}

// toggleMemory toggles between the regions on the whole screen and all panes.
func (s *Screen) toggleMemory() tea.Cmd {
	s.showMemory(!s.memory)
	return nil
}

func (s *Screen) showMemory(alone bool) {
	s.memory, s.First, s.Count = alone, paneForm, int(panes)
	if alone {
		s.First, s.Count = paneNear, int(panePath-paneNear)
	}
	s.Focus = s.First
}

// post writes the payload and posts the request.
func (s *Screen) post() tea.Cmd {
	if s.runner.Busy() {
		return s.runner.Start() // reports what is running
	}
	if s.cmds == nil {
		return screen.Warn("no queue pair yet: b creates what is missing, 2 goes to Bring-up")
	}
	if path, unknown := s.req.unknownFile(); unknown && s.req.files[path].path == "" {
		return screen.Flash("reading " + path + " first for the message length")
	}
	if why := s.req.nowhere(); why != "" {
		return screen.Warn("Not posted: " + why + "; " + mends[preflight.FixRegion].hint)
	}
	if wrongs := s.req.wrongs(); len(wrongs) > 0 {
		return screen.Warn("Not posted: " + wrongs[0])
	}
	s.last, s.lastQP = s.cmds, s.req.qp
	s.begin()
	if n, ok := s.req.wrID(); ok {
		s.sending = &posted{
			qp: s.req.completesAt(), wrID: n, recv: s.req.isRecv(),
			after: s.env.Session.Timeline().Last(), times: max(s.req.times(), 1),
		}
	}
	return s.runner.Run(s.cmds...)
}

// begin marks the start of an operation: later changes are marked.
func (s *Screen) begin() {
	s.sending, s.waiting = nil, nil
	if s.req.isRecv() {
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
		return screen.Flash("nothing posted yet")
	} else if s.lastQP != s.req.qp {
		return screen.Warn("the last request was of " + s.lastQP + ": turn to it with < or >")
	}
	if !s.runner.Busy() {
		s.begin()
	}
	return s.runner.Run(s.last...)
}

// postRecvAtPeer posts a RECV at the other end, into its own region.
func (s *Screen) postRecvAtPeer() tea.Cmd {
	q := s.req.queue()
	if q == nil {
		return screen.Warn("no queue pair yet")
	}
	peer := queueOf(&s.snap, far(&s.snap, q))
	if peer == nil {
		return screen.Warn(
			"the peer is not in this session and must post the RECV itself; r opens the form for a local RECV")
	}
	r := s.req
	r.qp, r.op, r.chain = peer.Name, recv, nil
	n := r.next
	s.req.next++
	s.recvs[peer.Name] = parsePiece(r.value("sge"))
	cmd := s.runner.Run(r.command())
	if s.runner.Busy() && r.value("wr_id") == fmt.Sprint(n) {
		delete(s.req.typed, slot{peer.Name, recv, "wr_id"})
	}
	s.refill()
	return cmd
}

// makeAll makes the missing objects of a bench.
func (s *Screen) makeAll() tea.Cmd {
	if len(s.snap.Devices) == 0 {
		return tea.Batch(screen.Send(screen.GotoMsg{To: screen.BringUp}),
			screen.Flash("b creates all objects"))
	}
	var lines []string
	for _, n := range steps.Bench(&s.snap, "") {
		if n.Have == "" {
			lines = append(lines, n.Line)
		}
	}
	if len(lines) == 0 {
		return screen.Flash("nothing is missing")
	}
	return s.runner.Start(lines...)
}

// blockTo maps values of a pasted block to fields.
var blockTo = map[string]string{"addr": "remote_addr", "rkey": "rkey", "length": "length", "qp_num": "remote_qpn"}

// takes names the screen for values that a request has no field for, by whether they
// are a host's.
var takes = map[bool]string{false: "Bring-up (2)", true: "Connections (5)"}

// pasteBlock puts the values of a block such as "addr 0x7f00 rkey 0x1f" into their fields, and reports which.
func pasteBlock(s *Screen, text string) tea.Cmd {
	block, err := oob.ParseBlock(text)
	if err != nil {
		return screen.Warn("paste not taken: " + err.Error() + "; " + keymap.Post.Payload.Keys()[0] +
			" opens the payload")
	}
	q := s.req.queue()
	if q == nil {
		return screen.Warn("no queue pair yet")
	}
	has := func(name string) bool {
		for _, f := range block {
			if f.Name == name {
				return true
			}
		}
		return false
	}
	if t := s.req.traits(); has("rkey") && !t.Remote && whyNot(&s.snap, q, verbs.WRRDMAWrite.String()) == "" {
		s.req.op = verbs.WRRDMAWrite.String()
	}
	var took, left []string
	for _, f := range block {
		name := blockTo[f.Name]
		if name != "" && s.req.applies(name, q) {
			s.req.set(name, f.Text)
			took = append(took, name+" "+f.Text)
		} else {
			left = append(left, f.Name)
		}
	}
	s.refill()
	switch {
	case len(took) == 0:
		return screen.Warn("nothing taken: " + takes[left[0] == "host" || left[0] == "port"] + " takes " +
			strings.Join(left, ", "))
	case len(left) > 0:
		return screen.Flash("took " + strings.Join(took, ", ") + "; not " + strings.Join(left, ", "))
	}
	return screen.Flash("took " + strings.Join(took, ", "))
}
