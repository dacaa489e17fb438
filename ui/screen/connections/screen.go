// Package connections is the screen of the connection manager: its identifiers with
// their states, its events, the requests that wait for an answer, and the next
// command line.
package connections

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/steps"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// The panes.
const (
	paneIDs screen.Pane = iota
	paneAbout
	paneEvents
	paneDetail
	panes
)

// Screen is the Connections screen.
type Screen struct {
	env  *screen.Env
	th   *theme.Theme
	now  func() time.Time
	snap session.Snapshot
	seen bool // snap has been filled

	name   string               // the selected identifier, "" for none
	hand   string               // the queue pair in hand when the selection last followed it
	draft  *wish                // an identifier to be made; nil if none
	wishes map[string]*wish     // by identifier
	since  map[string]time.Time // by identifier: when its request was first seen
	beat   int64                // tenths of a second, while something waits

	reader  screen.Reader
	runner  *steps.Runner
	outcome *steps.Outcome
	answers bool // the outcome shows in the current frame
	said    bool // no key was pressed since the outcome came
	ran     bool // lines have ended since the last frame
	start   *start
	ids     *widget.Table
	about   *about
	events  *events
	log     *widget.Table
	detail  *detail

	next     *widget.Func // the next lines
	nextRows []row

	screen.Fields
	screen.Picks
	screen.Panes
}

var _ screen.Screen = (*Screen)(nil)

// New makes the screen and starts keeping the manager's events.
func New(env *screen.Env) *Screen {
	s := &Screen{
		env: env, th: env.Theme, now: time.Now, wishes: map[string]*wish{}, since: map[string]time.Time{},
		runner: steps.NewRunner(env), outcome: steps.NewOutcome(env.Theme),
		start: &start{rowList: rowList{th: env.Theme}}, about: newAbout(env.Theme), detail: newDetail(env.Theme),
		events: newEvents(env.Theme, env.Session.Timeline()),
	}
	s.ids = widget.NewTable(s.th, idRows{s}, tableColumns()...)
	s.ids.Keeps, s.ids.Empty = true, "No identifier yet."
	s.log = widget.NewTable(s.th, s.events, eventTableColumns()...)
	s.log.Tail, s.log.Keeps = true, true
	s.outcome.Empty = "Results appear here."
	s.next = &widget.Func{Line: s.drawNext}
	s.Panes = newPanes(s)
	s.Fields = func(name string) string { return tourField(s, name) }
	s.Picks = func(id string) tea.Cmd { s.pick(id); return nil }
	s.retitle()
	return s
}

// Context implements screen.Screen.
func (s *Screen) Context() keymap.Context {
	if s.Entry.Open() {
		return s.Entry.Context()
	}
	return keymap.ConnectionsIn(s.have())
}

// have reports which keys can be used.
func (s *Screen) have() keymap.ConnectionsNow {
	id, others := s.current(), len(s.snap.IDs)
	if s.draft != nil {
		id = nil
	} else {
		others--
	}
	return keymap.ConnectionsNow{
		Manager: !s.start.none(), Managers: len(s.start.managers) > 1,
		New: id == nil, ID: id != nil || s.draft != nil, Others: others > 0,
		Next: len(s.todo()) > 0, Asked: s.asking() > 0, Connected: id != nil && id.State == session.IDConnected,
		Fixable: canFix(s),
	}
}

// asking counts the requests that wait for an answer.
func (s *Screen) asking() (n int) {
	for i := range s.snap.IDs {
		if s.snap.IDs[i].State == session.IDRequest {
			n++
		}
	}
	return n
}

// Show implements screen.Screen: devices may have been added or removed meanwhile.
func (s *Screen) Show() tea.Cmd {
	if id := s.current(); id != nil && id.QP != "" {
		s.hand = "" // what was put in hand meanwhile is followed, also if that came and went between two frames
	}
	s.reader.Ask(func() any { return hostMsg{s.env.Session.Managers(), addresses(s.env.Inventory)} })
	return s.reader.Start()
}

// Refresh implements screen.Screen.
func (s *Screen) Refresh(st *screen.State) (bool, tea.Cmd) {
	changed := s.ran // the event may have come while the lines still ran
	s.ran = false
	if hand := s.env.Hand.In(&st.Session); !s.seen || st.Session.Version != s.snap.Version || hand != s.hand {
		old := s.snap
		s.snap = st.Session
		if !s.seen || hand != s.hand || !sameFace(&old, &s.snap) {
			s.seen, changed = true, true
			s.follow(&old)
		}
	}
	if came, gone := s.events.take(); came {
		changed = true
		s.log.Shift(gone)
	}
	if id := s.current(); id != nil && (id.Pending() || id.State == session.IDRequest) {
		if beat := s.now().UnixNano() / int64(100*time.Millisecond); beat != s.beat {
			s.beat, changed = beat, true
		}
	}
	if changed {
		s.followEvent()
		s.retitle()
		return true, goOn(s)
	}
	return false, nil
}

// current returns the identifier shown; nil if there is none.
func (s *Screen) current() *session.IDView { return s.snap.ID(s.name) }

// wishFor returns what the user wants of an identifier, never nil.
func (s *Screen) wishFor(name string) *wish {
	if s.draft != nil && s.draft.name == name {
		return s.draft
	}
	w := s.wishes[name]
	if w == nil {
		w = &wish{name: name}
		s.wishes[name] = w
	}
	return w
}

// follow switches to a snapshot that looks different.
func (s *Screen) follow(old *session.Snapshot) {
	for i := range s.snap.IDs {
		id := &s.snap.IDs[i]
		if id.State != session.IDRequest {
			delete(s.since, id.Name)
		} else if _, known := s.since[id.Name]; !known {
			s.since[id.Name] = s.now()
		}
		if old.ID(id.Name) == nil {
			s.came(id)
		}
	}
	for i := range old.IDs {
		if name := old.IDs[i].Name; s.snap.ID(name) == nil {
			delete(s.wishes, name) // a new one of that name starts afresh
			delete(s.since, name)
		}
	}
	followHand(s)
	s.selectID(s.name)
}

// followHand selects the identifier of the queue pair in hand if another was put there, but none while one is being
// made.
func followHand(s *Screen) {
	hand := s.env.Hand.In(&s.snap)
	turned := hand != s.hand
	if s.hand = hand; !turned || s.draft != nil {
		return
	}
	for i := range s.snap.IDs {
		if s.snap.IDs[i].QP == hand {
			s.name = s.snap.IDs[i].Name
		}
	}
}

// pick selects an identifier for the user, and puts its queue pair in hand.
func (s *Screen) pick(name string) {
	s.selectID(name)
	if id := s.current(); id != nil && id.QP != "" {
		s.env.Hand.Take(id.QP)
		s.hand = id.QP
	}
}

// came shows a new identifier if it is the drafted one, the first one, or a request
// that interrupts nothing.
func (s *Screen) came(id *session.IDView) {
	at := s.current()
	switch {
	case s.draft != nil && s.draft.name == id.Name:
		s.wishes[id.Name], s.draft = s.draft, nil
		s.name = id.Name
	case s.draft != nil:
	case at == nil, id.State == session.IDRequest && idle(at):
		s.name = id.Name
	}
}

// idle reports whether an identifier only waits for others, or is a request that has
// been answered.
func idle(id *session.IDView) bool {
	return id.State == session.IDListening || id.State == session.IDConnecting || id.Listen != "" &&
		id.State != session.IDRequest
}

// selectID shows an identifier, or the last one if it is gone.
func (s *Screen) selectID(name string) {
	if s.snap.ID(name) == nil {
		name = ""
		if n := len(s.snap.IDs); n > 0 {
			name = s.snap.IDs[n-1].Name
		}
	}
	s.name = name
	for i := range s.snap.IDs {
		if s.snap.IDs[i].Name == name {
			s.ids.SetCursor(i)
		}
	}
	if s.events.only != "" && s.events.only != name {
		s.showOnly(name)
	}
}

// todo returns the next lines for what is shown.
func (s *Screen) todo() []todo {
	if w := s.draft; w != nil {
		list := creation(&s.snap, w, s.start.choice())
		return append(list, fromIdle(&s.snap, &session.IDView{Name: w.name}, w)...)
	}
	id := s.current()
	if id == nil {
		return nil
	}
	if next := onward[id.State]; next != nil {
		return next(&s.snap, id, s.wishFor(id.Name))
	}
	return nil
}

// advice says what to do if there is no next line.
func (s *Screen) advice() string {
	id := s.current()
	switch {
	case id == nil && s.start.none():
		return "no provider here has a connection manager"
	case id == nil:
		return "c connects to an address, l listens on a port"
	case id.Pending():
		return pendingAdvice(id)
	}
	switch id.State {
	case session.IDIdle:
		return "c resolves the peer's address, l binds a local address and listens"
	case session.IDListening:
		if to := joinLine(s, id); to != "" {
			return "Waiting for connection requests. " + keymap.Meet.Join.Help().Key + " elsewhere takes: " + to
		}
		return "Waiting for connection requests"
	case session.IDConnecting:
		return "waiting for an event"
	case session.IDConnected:
		return "3 post requests, d disconnect"
	}
	return "nothing to do"
}

// pendingAdvice says what the current step waits for.
func pendingAdvice(id *session.IDView) string {
	for i := range id.Steps {
		if st := &id.Steps[i]; st.Pending && comesOf[st.Name] != "" {
			return comesOf[st.Name]
		}
	}
	return "waiting for an event"
}

// followEvent shows the event under the cursor in detail.
func (s *Screen) followEvent() { s.detail.show(s.events.at(s.log.Cursor())) }

// refilter applies the filter, keeping the cursor on its event if that still passes.
func (s *Screen) refilter() {
	was := s.events.at(s.log.Cursor())
	following := s.log.Following()
	var seq uint64
	if was != nil {
		seq = was.Seq
	}
	s.events.refilter()
	at := s.events.Len() - 1
	if i := s.events.index(seq); i >= 0 && !following {
		at = i
	}
	s.log.SetCursor(at)
	s.followEvent()
	s.retitle()
}

func (s *Screen) showOnly(name string) {
	s.events.only = name
	s.refilter()
}

func (s *Screen) setFilter(text string) {
	if text = strings.ToLower(text); text != s.events.text {
		s.events.text = text
		s.refilter()
	}
}

// retitle shows in the frames how many of the rows are shown.
func (s *Screen) retitle() {
	var notes screen.Notes
	notes.Add(!s.log.Following(), "end follows")
	notes.Add(s.events.only != "", "%s only", s.events.only)
	notes.Add(s.events.text != "", "/%s", line.Escape(s.events.text))
	n, all := s.events.Len(), len(s.events.all)
	notes.Add(n < all, "%d of %d", n, all)
	s.Boxes[paneEvents].Note = notes.String()
	s.log.Empty = "No event yet."
	if len(s.events.all) > 0 {
		s.log.Empty = "No event matches the filter. esC clears it."
	}
	asking := s.asking()
	notes = nil
	notes.Add(asking > 0, "%d waiting: a accept, R reject", asking)
	s.Boxes[paneIDs].Note = notes.String()
}

// onEthernet reports whether an identifier's port is RoCE, where addresses and GIDs
// correspond.
func onEthernet(s *session.Snapshot, id *session.IDView) bool {
	p, ok := s.PortAttr(id.Device, id.PortNum)
	return ok && p.LinkLayer == verbs.LinkEthernet
}
