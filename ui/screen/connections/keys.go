package connections

import (
	"cmp"
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/ui/explained"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/store"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	cmd, taken := s.Input(msg)
	if _, isKey := msg.(tea.KeyPressMsg); isKey {
		s.said = false
	}
	switch msg := msg.(type) {
	case screen.DoneMsg:
		next, over := s.runner.Take(msg)
		if over || msg.Typed {
			s.outcome.Set(msg)
			s.said, s.ran = true, true
			if w := s.shownWish(); msg.Err != nil && w != nil {
				w.all = false
			}
		}
		return next
	case screen.ReadMsg:
		s.reader.Done()
		s.start.take(msg.What.(hostMsg))
		s.retitle()
		return s.reader.Start()
	case tea.KeyPressMsg:
		if !taken {
			return s.key(msg)
		}
	case tea.PasteMsg:
		if !taken {
			return pasteBlock(s, msg.Content)
		}
	}
	return cmd
}

// actsOnID are the keys that run lines on the identifier shown.
var actsOnID = []key.Binding{keymap.Form.Submit, keymap.Connections.All, keymap.Connections.Accept,
	keymap.Connections.AcceptAs, keymap.Connections.Reject, keymap.Connections.Disconnect, keymap.Connections.Destroy,
	keymap.Connections.Fix}

// takesFirst reports whether a key would act on a queue pair that the title does not name, as that of an identifier
// that came while another was in hand. The key then takes it in hand, and says so.
func takesFirst(s *Screen, k tea.KeyPressMsg) (cmd tea.Cmd, taken bool) {
	id, hand := s.current(), s.snap.QP(s.hand)
	if s.draft != nil || id == nil || id.QP == "" || hand == nil || id.QP == s.hand || !keymap.Matches(k, actsOnID...) {
		return nil, false
	}
	if peer, _ := s.snap.LikelyPeer(hand); peer == id.QP {
		return nil, false
	}
	s.pick(id.Name)
	return screen.Flash(fmt.Sprintf("%s of %s is now in hand: press %s again", id.QP, id.Name, k)), true
}

func (s *Screen) key(k tea.KeyPressMsg) tea.Cmd {
	if cmd, taken := takesFirst(s, k); taken {
		return cmd
	}
	if cmd, taken := screen.Do(s, k, actions); taken {
		return cmd
	}
	switch s.Focus {
	case paneIDs:
		if s.ids.Update(k) {
			s.pickID()
		}
	case paneAbout:
		s.about.pager.Update(k)
	case paneEvents:
		if s.log.Update(k) {
			s.followEvent()
			s.retitle()
		}
	case paneDetail:
		s.detail.pager.Update(k)
		s.detail.dump.Update(k)
	}
	return nil
}

// explain explains the event shown.
func (s *Screen) explain() tea.Cmd {
	if !s.detail.some {
		return screen.Explain()
	}
	return screen.Explain(explained.CM(s.detail.event.CM)...)
}

// pickID shows the identifier under the cursor.
func (s *Screen) pickID() {
	if i := s.ids.Cursor(); i >= 0 {
		s.draft = nil
		s.pick(s.snap.IDs[i].Name)
	}
}

func (s *Screen) runNext() tea.Cmd {
	list := s.todo()
	if len(list) == 0 {
		return screen.Flash(s.advice())
	}
	return s.runner.Start(list[0].line)
}

func (s *Screen) runAll() tea.Cmd {
	list := s.todo()
	if len(list) == 0 {
		return screen.Flash(s.advice())
	}
	s.shownWish().all = true
	return s.runner.Start(upToEvent(list)...)
}

// goOn runs the next lines of an identifier that "run all" has begun, after the event that they waited for: until it
// listens or is connected, or a line or a step fails.
func goOn(s *Screen) tea.Cmd {
	id := s.current()
	if id == nil || s.draft != nil || s.runner.Running() != "" || !s.wishFor(id.Name).all {
		return nil
	}
	w, lines := s.wishFor(id.Name), []string(nil)
	switch id.State {
	case session.IDIdle, session.IDBound, session.IDAddrResolved, session.IDRouteResolved:
		if !id.Pending() {
			lines = upToEvent(s.todo())
		}
	case session.IDConnecting:
	case session.IDConnected:
		w.all = false
		lines = upToEvent(toldRegion(&s.snap, id, s.snap.QP(id.QP), w))
	default:
		w.all = false
	}
	if len(lines) == 0 {
		return nil
	}
	return s.runner.Start(lines...)
}

func (s *Screen) editNext() tea.Cmd {
	list := s.todo()
	if len(list) == 0 {
		return screen.Flash(s.advice())
	}
	return screen.Edit(list[0].line)
}

// request returns the request to answer: the one shown, or the first that waits.
func (s *Screen) request() *session.IDView {
	if id := s.current(); id != nil && id.State == session.IDRequest {
		return id
	}
	for i := range s.snap.IDs {
		if id := &s.snap.IDs[i]; id.State == session.IDRequest {
			s.draft = nil
			s.pick(id.Name)
			return id
		}
	}
	return nil
}

const nobodyAsks = "no connection request is waiting"

func (s *Screen) accept() tea.Cmd {
	id := s.request()
	if id == nil {
		return screen.Warn(nobodyAsks)
	}
	return s.runner.Start(upToEvent(fromRequest(&s.snap, id, s.wishFor(id.Name)))...)
}

// acceptAs makes missing objects, and opens the line that accepts.
func (s *Screen) acceptAs() tea.Cmd {
	id := s.request()
	if id == nil {
		return screen.Warn(nobodyAsks)
	}
	list := preparation(&s.snap, id)
	edit := screen.Edit("rdma_accept " + id.Name + acceptFields(id) + acceptData(&s.snap, id, s.wishFor(id.Name), list))
	return s.runner.StartThen(edit, upToEvent(list)...)
}

// acceptFields returns the parameters of an answer: the peer may be asked for as much
// as it offered.
func acceptFields(id *session.IDView) string {
	if id.Last == nil || id.Last.Conn == nil {
		return ""
	}
	c := id.Last.Conn
	return fmt.Sprintf(" responder_resources=%d initiator_depth=%d rnr_retry_count=%d", c.ResponderResources,
		c.InitiatorDepth, c.RNRRetryCount)
}

func (s *Screen) askReject() tea.Cmd {
	if s.request() == nil {
		return screen.Warn(nobodyAsks)
	}
	return s.Entry.Ask(&screen.Question{Label: "reject, with private data", Placeholder: privateForms, Done: s.reject},
		"")
}

func (s *Screen) reject(text string) tea.Cmd {
	id := s.request()
	if id == nil {
		return screen.Warn(nobodyAsks)
	}
	w := wish{private: privateArg(text)}
	return s.runner.Start("rdma_reject " + id.Name + w.data())
}

// rejectAll asks first: honest peers may be waiting too.
func (s *Screen) rejectAll() tea.Cmd {
	n := 0
	for i := range s.snap.IDs {
		if s.snap.IDs[i].State == session.IDRequest {
			n++
		}
	}
	if n == 0 {
		return screen.Warn(nobodyAsks)
	}
	return screen.Ask("reject all?", "Reject "+format.Counted(n, "connection request")+"?", func() tea.Cmd {
		return s.runner.Start("reject_all")
	})
}

func (s *Screen) askPrivate() tea.Cmd {
	w := s.shownWish()
	if w == nil {
		return screen.Warn(s.advice())
	}
	return s.Entry.Ask(&screen.Question{Label: "private data", Placeholder: privateForms,
		Done: func(text string) tea.Cmd {
			if w := s.shownWish(); w != nil {
				w.private = privateArg(text)
			}
			return nil
		}}, w.private)
}

func (s *Screen) disconnect() tea.Cmd {
	id := s.current()
	if id == nil || id.State != session.IDConnected && id.State != session.IDDisconnected {
		return screen.Warn("no connection to disconnect")
	}
	return s.runner.Start("rdma_disconnect " + id.Name)
}

// destroy asks first: a destroyed connection cannot be restored.
func (s *Screen) destroy() tea.Cmd {
	id := s.current()
	switch {
	case s.draft != nil:
		s.draft = nil
		return nil
	case id == nil:
		return screen.Warn("no identifier yet")
	}
	var lines []string
	if id.State == session.IDConnected && id.PortSpace == verbs.PortSpaceTCP {
		lines = append(lines, "rdma_disconnect "+id.Name)
	}
	for _, t := range cleanUp(id) {
		lines = append(lines, t.line)
	}
	return screen.Ask("destroy?", "Destroy the identifier "+id.Name+"?", func() tea.Cmd {
		return s.runner.Start(lines...)
	})
}

func (s *Screen) otherID() tea.Cmd {
	n := len(s.snap.IDs)
	if n == 0 {
		return screen.Flash(s.advice())
	}
	if s.draft == nil {
		s.ids.SetCursor((s.ids.Cursor() + 1) % n)
	}
	s.pickID()
	return nil
}

func (s *Screen) toggleOnly() tea.Cmd {
	if s.events.only != "" {
		s.showOnly("")
	} else if s.name != "" {
		s.showOnly(s.name)
	}
	return nil
}

func (s *Screen) turnMode() tea.Cmd {
	s.start.mode = (s.start.mode + 1) % len(modes)
	m := modes[s.start.mode]
	return screen.Flash("event mode of new identifiers: " + m.name + ": " + m.doc)
}

func turnSpace(s *Screen) tea.Cmd {
	s.start.space = (s.start.space + 1) % len(spaces)
	p := spaces[s.start.space]
	return screen.Flash("port space of new identifiers: " + p.name + ": " + p.doc)
}

func (s *Screen) turnManager() tea.Cmd {
	n := len(s.start.managers)
	if n == 0 {
		return screen.Warn(s.advice())
	}
	s.start.manager = (s.start.manager + 1) % n
	m := s.start.managers[s.start.manager]
	return screen.Flash("connection manager of new identifiers: " + m.Provider + ", with " + m.Device)
}

// back removes the filters of the view, one at a time.
func (s *Screen) back() tea.Cmd {
	switch {
	case s.Back():
	case s.events.text != "":
		s.setFilter("")
	case s.events.only != "":
		s.showOnly("")
	default:
		s.draft = nil
	}
	return nil
}

// actions are the screen's keys with what they do.
var actions = []screen.Action[*Screen]{
	screen.On(&keymap.Form.Submit, (*Screen).runNext),
	screen.On(&keymap.Form.Edit, (*Screen).editNext),
	screen.On(&keymap.Connections.All, (*Screen).runAll),
	screen.On(&keymap.Connections.Connect, (*Screen).askConnect),
	screen.On(&keymap.Connections.Listen, (*Screen).askListen),
	screen.On(&keymap.Connections.Accept, (*Screen).accept),
	screen.On(&keymap.Connections.AcceptAs, (*Screen).acceptAs),
	screen.On(&keymap.Connections.Reject, (*Screen).askReject),
	screen.On(&keymap.Connections.RejectAll, (*Screen).rejectAll),
	screen.On(&keymap.Connections.Private, (*Screen).askPrivate),
	screen.On(&keymap.Connections.Disconnect, (*Screen).disconnect),
	screen.On(&keymap.Connections.Destroy, (*Screen).destroy),
	screen.On(&keymap.Connections.Other, (*Screen).otherID),
	screen.On(&keymap.Connections.Only, (*Screen).toggleOnly),
	screen.On(&keymap.Connections.Mode, (*Screen).turnMode),
	screen.On(&keymap.Connections.Space, turnSpace),
	screen.On(&keymap.Connections.Manager, (*Screen).turnManager),
	screen.On(&keymap.Meet.Wait, serve),
	screen.On(&keymap.Meet.Join, askJoin),
	screen.On(&keymap.Connections.Fix, fix),
	screen.On(&keymap.Explain, (*Screen).explain),
	screen.On(&keymap.List.Filter, (*Screen).askFilter),
	screen.On(&keymap.List.Back, (*Screen).back),
}

// privateForms explains the syntax of private data.
const privateForms = `text, 0x… or be32:7; nothing: none`

func (s *Screen) askFilter() tea.Cmd { return s.Entry.Ask(screen.Filter(s.setFilter), s.events.text) }

func (s *Screen) askConnect() tea.Cmd {
	return s.askAddress("connect to", "address or host name, with a port if not "+defaultPort, false)
}

func (s *Screen) askListen() tea.Cmd {
	return s.askAddress("listen on", "a port, or a local address and a port; empty: "+defaultPort+" of every device",
		true)
}

// shownWish returns the wish of the identifier or draft shown; nil if nothing is.
func (s *Screen) shownWish() *wish {
	if s.draft != nil {
		return s.draft
	}
	if id := s.current(); id != nil {
		return s.wishFor(id.Name)
	}
	return nil
}

// askAddress asks for the address to connect to or listen at.
func (s *Screen) askAddress(label, forms string, serves bool) tea.Cmd {
	if s.start.none() {
		return screen.Warn(s.advice())
	}
	value, last := "", "" // the last address is offered as a placeholder: typing replaces it
	switch w := s.shownWish(); {
	case w != nil && w.serves == serves && s.takesAddress(serves):
		value = w.address()
	case !serves && s.env.Store.Recall(store.Address) != "":
		last = s.env.Store.Recall(store.Address)
		forms = line.Escape(last) + " (enter), or another address"
	}
	return s.Entry.Ask(&screen.Question{Label: label, Placeholder: forms, Done: func(text string) tea.Cmd {
		return s.takeAddress(cmp.Or(strings.TrimSpace(text), last), serves)
	}}, value)
}

// takesAddress reports whether an address is for the identifier shown rather than for
// a new one.
func (s *Screen) takesAddress(serves bool) bool {
	if s.draft != nil {
		return true
	}
	id := s.current()
	if id == nil || id.Pending() {
		return false
	}
	if w := s.wishFor(id.Name); w.known && w.serves != serves {
		return false
	}
	switch id.State {
	case session.IDIdle:
		return true
	case session.IDBound:
		return !serves
	case session.IDError:
		return !serves && id.Last != nil && id.Last.Type == verbs.CMAddrError
	}
	return false
}

func (s *Screen) takeAddress(text string, serves bool) tea.Cmd {
	if text == "" && !serves {
		return screen.Warn("no address given: press c to enter one")
	}
	var w *wish
	if s.takesAddress(serves) {
		w = s.shownWish()
	} else {
		w = &wish{}
		s.draft = w
	}
	w.serves = serves
	w.setAddress(text)
	if text == "" {
		w.addr = ""
	}
	if s.draft == w {
		w.name = nameFor(&s.snap, serves)
	}
	s.Focus = paneIDs
	if serves {
		return nil
	}
	s.env.Store.Remember(store.Address, text)
	return s.env.Save()
}
