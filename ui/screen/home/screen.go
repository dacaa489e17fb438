// Package home is the first screen: the devices of this host, what blocks the host's
// own, the screens and the tours.
package home

import (
	"slices"
	"sync"

	tea "charm.land/bubbletea/v2"

	"rdmatui/devices"
	"rdmatui/session"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	devscreen "rdmatui/ui/screen/devices"
	"rdmatui/ui/screen/objects"
	"rdmatui/ui/screen/steps"
	"rdmatui/ui/theme"
	"rdmatui/ui/tour"
	"rdmatui/ui/widget"
)

// Screen is the Home screen.
type Screen struct {
	env *screen.Env
	th  *theme.Theme

	here    here
	devices *list
	tours   *list
	screens *list
	objects *objects.View
	book    *tour.Book
	lists   [panes]*list
	opened  map[string]bool // the session's devices
	version uint64          // of the session, as opened shows it
	seen    bool            // a session has been seen

	trouble   notice
	runner    *steps.Runner // of the lines that mend, or connect to another instance
	snap      session.Snapshot
	reader    screen.Reader
	before    screen.Values // at a refresh by key; nil if none is under way
	watchOnce sync.Once
	watching  bool
	changes   <-chan struct{}

	screen.Fields
	screen.Panes
}

// The panes.
const (
	paneDevices screen.Pane = iota
	paneTours
	paneObjects
	paneScreens
	panes
)

var _ screen.Screen = (*Screen)(nil)

// New makes the screen. It reads nothing before Show.
// book records how far each tour has come.
func New(env *screen.Env, book *tour.Book) *Screen {
	th := env.Theme
	s := &Screen{env: env, th: th, book: book, runner: steps.NewRunner(env), opened: map[string]bool{},
		trouble: notice{th: th}, tours: &list{th: th}, screens: &list{th: th}, objects: objects.New(env),
		devices: &list{th: th, Empty: "reading the devices…"}}
	s.lists = [panes]*list{paneDevices: s.devices, paneTours: s.tours, paneScreens: s.screens}
	s.Panes = screen.Panes{Focus: paneTours, First: paneDevices, Count: int(panes), Entry: screen.NewEntry(th),
		Lay: s.lay, Texts: s.texts,
		Boxes: make([]*widget.Box, panes)}
	for i, title := range []string{paneDevices: "what is here", paneTours: "guided tours",
		paneScreens: "screens"} {
		if at := screen.Pane(i); s.lists[at] != nil {
			s.Boxes[at] = widget.NewBox(th, title, s.lists[at])
		}
	}
	s.Boxes[paneObjects] = widget.NewBox(th, "objects", s.objects)
	s.Hides = func(at screen.Pane) bool { return !s.shows(at) }
	s.tours.set(tourItems(s, 0))
	s.Fields = func(name string) string { return map[string]string{"running": s.runner.Running()}[name] }
	return s
}

// Context implements screen.Screen.
func (s *Screen) Context() keymap.Context {
	if s.Entry.Open() {
		return s.Entry.Context()
	}
	c := keymap.HomeScreen
	if s.Focus == paneObjects {
		c = keymap.HomeIn("open the object")
	} else if it := s.lists[s.Focus].at(); it != nil {
		c = keymap.HomeIn(it.does)
	}
	return screen.ContextNow(s, c, actions)
}

// Show implements screen.Screen: it reads the host again.
func (s *Screen) Show() tea.Cmd { return tea.Batch(s.look(), s.watch()) }

// look reads the host.
func (s *Screen) look() tea.Cmd {
	s.reader.Ask(func() any { return readDevices(s.env) })
	return s.reader.Start()
}

// refresh reads the host because a key asked for it; told reports the outcome.
func (s *Screen) refresh() tea.Cmd {
	if !s.reader.Busy() {
		s.before = s.here.values()
	}
	return s.look()
}

// told reports what a refresh has changed, once all of it is read.
func (s *Screen) told() tea.Cmd {
	if s.before == nil || s.reader.Busy() {
		return nil
	}
	was := s.before
	s.before = nil
	return screen.Refreshed(was, s.here.values())
}

// changedMsg says that the devices may have changed; over, that no more changes will
// be reported.
type changedMsg struct{ over bool }

// watch waits for one change of the devices.
func (s *Screen) watch() tea.Cmd {
	if s.watching {
		return nil
	}
	s.watching = true
	return func() tea.Msg {
		s.watchOnce.Do(func() { s.changes = s.env.Inventory.Watch(s.env.Ctx) })
		select {
		case _, ok := <-s.changes:
			return changedMsg{!ok}
		case <-s.env.Ctx.Done():
			return changedMsg{true}
		}
	}
}

// Refresh implements screen.Screen.
func (s *Screen) Refresh(st *screen.State) (bool, tea.Cmd) {
	if s.seen && s.version == st.Session.Version {
		return false, nil
	}
	s.seen, s.version, s.snap = true, st.Session.Version, st.Session
	clear(s.opened)
	for i := range st.Session.Devices {
		s.opened[st.Session.Devices[i].Name] = true
	}
	return true, nil
}

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.ReadMsg:
		s.reader.Done()
		s.take(msg.What)
		return tea.Batch(s.told(), s.reader.Start())
	case screen.DoneMsg:
		next, _ := s.runner.Take(msg)
		return next
	case changedMsg:
		s.watching = msg.over
		if msg.over {
			return nil
		}
		return tea.Batch(s.look(), s.watch())
	case tea.KeyPressMsg:
		return s.key(msg)
	}
	cmd, _ := s.Input(msg)
	return cmd
}

// take shows the result of a read. The devices come first: the diagnosis takes longer.
func (s *Screen) take(what any) {
	switch what := what.(type) {
	case []device:
		s.here.devices, s.devices.Empty = what, "No RDMA device."
		if s.env.Diagnose != nil && !s.reader.Busy() {
			s.reader.Ask(func() any { return s.env.Diagnose(s.env.Ctx) })
		}
	case []devices.Finding:
		s.here.findings = what
	}
}

var actions = []screen.Action[*Screen]{
	screen.On(&keymap.Home.Open, (*Screen).open),
	screen.On(&keymap.Home.Fix, fix).When(canFix),
	screen.On(&keymap.Home.Again, (*Screen).refresh),
	screen.On(&keymap.Home.Wait, func(s *Screen) tea.Cmd { return s.meet("") }),
	screen.On(&keymap.Home.Join, func(s *Screen) tea.Cmd { return s.Entry.Ask(steps.Meeting(s.meet), "") }),
	screen.On(&keymap.List.Back, func(s *Screen) tea.Cmd { s.Back(); return nil }),
}

func (s *Screen) key(k tea.KeyPressMsg) tea.Cmd {
	if cmd, taken := s.Input(k); taken {
		return cmd
	}
	if cmd, taken := screen.Do(s, k, actions); taken {
		return cmd
	}
	if s.Focus == paneObjects {
		s.objects.Update(k)
	} else {
		s.lists[s.Focus].Update(k)
	}
	return nil
}

// texts lists what can be copied from the item under the cursor.
func (s *Screen) texts(at screen.Pane) []screen.CopyText {
	if n, ok := s.objects.At(); ok && at == paneObjects {
		return screen.CopyTexts(screen.CopyText{Name: "name", Text: n.Name},
			screen.CopyText{Name: "row", Text: n.About})
	}
	if at == paneObjects {
		return nil
	}
	it := s.lists[at].at()
	if it == nil {
		return nil
	}
	row := screen.CopyText{Name: "row", Text: it.text()}
	if at != paneDevices {
		return screen.CopyTexts(row)
	}
	return screen.CopyTexts(screen.CopyText{Name: "address", Text: it.addr},
		screen.CopyText{Name: "name", Text: it.name}, row)
}

// open runs the action of enter on the item under the cursor.
func (s *Screen) open() tea.Cmd {
	if s.Focus == paneObjects {
		return s.objects.Open()
	}
	if it := s.lists[s.Focus].at(); it != nil {
		return it.open()
	}
	return nil
}

// meet connects to another instance: that at an address, or for "" the first that comes.
func (s *Screen) meet(address string) tea.Cmd {
	return steps.RunMeet(s.runner, s.env, &s.snap, s.usable(), address)
}

// usable names the device under the cursor, or the first with an active port.
func (s *Screen) usable() string {
	if it := s.devices.at(); it != nil && s.Focus == paneDevices && it.name != devscreen.Doctor {
		return it.name
	}
	at := slices.IndexFunc(s.here.devices, func(d device) bool { return screen.HasActive(&d.Summary) })
	if at < 0 {
		return ""
	}
	return s.here.devices[at].Name
}

// high is the height from which the objects or the list of screens fit below the rest, wide the width from which both
// do.
const (
	high = 28
	wide = 150
)

// shows reports whether a pane has room, and something to show.
func (s *Screen) shows(at screen.Pane) bool {
	switch at {
	case paneObjects:
		return s.H >= high && s.objects.Any()
	case paneScreens:
		return s.H >= high && (s.W >= wide || !s.objects.Any())
	}
	return true
}

// lay lays the panes out, below what is wrong.
func (s *Screen) lay() widget.Block {
	block := s.layPanes()
	if n := s.trouble.set(troubleOf(s), s.W, s.H/3); n > 0 {
		return widget.NewCol(widget.Fixed(n, &s.trouble), widget.Rest(1, block))
	}
	return block
}

func (s *Screen) layPanes() widget.Block {
	for !s.shows(s.Focus) {
		s.Focus--
	}
	for i, l := range s.lists {
		if l != nil {
			l.Focused = screen.Pane(i) == s.Focus
		}
	}
	s.objects.Focused = s.Focus == paneObjects
	s.Boxes[paneObjects].Title = s.objects.Title()
	s.devices.set(s.here.items(s, s.W-2))
	s.tours.set(tourItems(s, s.H/2-2))
	s.screens.set(screenItems(s))
	if s.Zoom {
		return s.Boxes[s.Focus]
	}
	tours := widget.Fixed(min(s.tours.height()+2, s.H/2), s.Boxes[paneTours])
	if s.H < high {
		return widget.NewCol(widget.Rest(4, s.Boxes[paneDevices]), tours)
	}
	here := widget.Fixed(min(max(s.devices.height(), 4)+2, s.H/3), s.Boxes[paneDevices])
	var below []widget.Child
	for _, at := range []screen.Pane{paneScreens, paneObjects} {
		if s.shows(at) {
			below = append(below, widget.Rest(1, s.Boxes[at]))
		}
	}
	return widget.NewCol(here, tours, widget.Rest(4, widget.NewRow(below...)))
}
