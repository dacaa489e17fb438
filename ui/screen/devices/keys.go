package devices

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/command/syntax"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/widget"
)

// Update implements screen.Screen.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case news:
		msg.apply(s)
		return tea.Batch(s.told(), s.need())
	case screen.DoneMsg:
		if msg.Line == s.openingBy {
			s.opening, s.openingBy = "", ""
			s.note()
		}
		return nil
	case tea.PasteMsg:
		if s.typing && s.query.Update(msg) {
			s.search()
		}
		return nil
	case tea.KeyPressMsg:
		if s.typing {
			s.typeKey(msg)
			return s.need()
		}
		return tea.Batch(s.key(msg), s.need())
	}
	return s.need()
}

// key handles a key while no field is being edited.
func (s *Screen) key(k tea.KeyPressMsg) tea.Cmd {
	for id := range sections {
		if s.name != "" && keymap.Matches(k, *sectionTable[id].key) {
			s.choose(id)
			return nil
		}
	}
	if cmd, taken := screen.Do(s, k, actions); taken {
		return cmd
	}
	cmd, taken := s.Input(k)
	if !taken {
		s.move(k)
	}
	return cmd
}

// explain explains the row under the cursor.
func (s *Screen) explain() tea.Cmd {
	if s.inList || s.sec == diagnosis {
		return screen.Explain()
	}
	return screen.Explain(s.sheets[s.sec].explained()...)
}

// actions are the screen's keys with what they do.
var actions = []screen.Action[*Screen]{
	screen.On(&keymap.Devices.Use, (*Screen).use),
	screen.On(&keymap.Explain, (*Screen).explain),
	screen.On(&keymap.Devices.Refresh, quietly((*Screen).refresh)),
	screen.On(&keymap.Devices.Search, quietly((*Screen).startSearch)),
	screen.On(&keymap.Devices.Next, func(s *Screen) tea.Cmd { return s.nextMatch(1) }).When(searched),
	screen.On(&keymap.Devices.Prev, func(s *Screen) tea.Cmd { return s.nextMatch(-1) }).When(searched),
	screen.On(&keymap.List.Right, quietly(func(s *Screen) { s.step(1) })),
	screen.On(&keymap.List.Left, quietly(func(s *Screen) { s.step(-1) })),
	screen.On(&keymap.List.Back, quietly((*Screen).back)),
	screen.On(&keymap.Pane.Next, quietly(func(s *Screen) { s.stepPane(1) })),
	screen.On(&keymap.Pane.Prev, quietly(func(s *Screen) { s.stepPane(-1) })),
}

func searched(s *Screen) bool { return s.query.Value() != "" }

// texts lists what can be copied: the row under the cursor, or the name of the device.
func (s *Screen) texts(screen.Pane) []screen.CopyText {
	if !s.inList && s.sec != diagnosis {
		return screen.CopyTexts(screen.CopyText{Name: "row", Text: s.sheets[s.sec].text()})
	}
	return screen.CopyTexts(screen.CopyText{Name: "device", Text: s.name})
}

// quietly makes an action of a function that changes the screen and asks for no work.
func quietly(do func(*Screen)) func(*Screen) tea.Cmd {
	return func(s *Screen) tea.Cmd { do(s); return nil }
}

// move passes a key to the focused part: the list, a sheet, or the findings.
func (s *Screen) move(k tea.KeyPressMsg) {
	switch {
	case s.inList:
		if s.list.Update(k) {
			s.selection()
		}
	case s.sec == diagnosis:
		s.findings.Update(k)
	default:
		s.sheets[s.sec].Update(k)
	}
}

// use opens the selected device, or goes on if it is open.
func (s *Screen) use() tea.Cmd {
	switch {
	case s.name == "" || s.opening != "":
		return nil
	case s.list.open[s.name]:
		return screen.Send(screen.GotoMsg{To: screen.BringUp})
	}
	s.opening, s.openingBy = s.name, openLine(s.name, s.list.wantedPort())
	s.note()
	return s.env.Exec(s.openingBy)
}

// openLine returns the command that opens a device; a name with special characters is
// quoted. Port 0 is left out.
func openLine(name string, port uint8) string {
	if strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' ||
			strings.ContainsRune("_-.:", r))
	}) {
		name = syntax.Quote(name)
	}
	if port == 0 {
		return "open_device " + name
	}
	return fmt.Sprintf("open_device %s port_num=%d", name, port)
}

// step moves through the list and the sections, in the order of the tabs.
func (s *Screen) step(by int) {
	if s.name == "" {
		return
	}
	i := slices.Index(all, s.sec)
	switch {
	case s.inList && by < 0:
		return
	case s.inList:
		s.choose(s.sec)
		return
	case i+by < 0:
		s.inList = true
		return
	}
	s.choose(all[min(i+by, len(all)-1)])
}

// back ends the search, then returns to the list.
func (s *Screen) back() {
	switch {
	case s.query.Value() != "":
		s.query.SetValue("")
		s.search()
	case s.Zoom:
		s.Zoom = false
	case s.name != "":
		if s.sec == diagnosis && len(s.grid.panes) == 1 {
			s.choose(attributes)
		}
		s.inList = true
	}
}

// stepPane moves the focus to the next or previous pane.
func (s *Screen) stepPane(by int) {
	panes := s.grid.panes
	if len(panes) < 2 { // only one is shown: the list, or the sections
		if s.inList = !s.inList && s.name != ""; !s.inList {
			s.choose(s.sec)
		}
		return
	}
	i := slices.IndexFunc(panes, (*pane).focused)
	s.focus(panes[(i+by+len(panes))%len(panes)])
}

func (s *Screen) focus(p *pane) {
	if p.isList() {
		s.inList = true
		return
	}
	s.choose(p.current())
}

// startSearch searches the section that has the focus, or had it last.
func (s *Screen) startSearch() {
	if s.name == "" {
		return
	}
	if s.sec == diagnosis {
		s.sec = attributes
	}
	s.choose(s.sec)
	s.typing = true
	s.query.Offer(s.query.Value())
}

// typeKey handles a key while the search is typed; the rows follow each letter.
func (s *Screen) typeKey(k tea.KeyPressMsg) {
	e := &keymap.Entry
	switch {
	case keymap.Matches(k, e.Accept):
		s.typing = false
	case keymap.Matches(k, e.Cancel):
		s.typing = false
		s.query.SetValue("")
	case keymap.Matches(k, e.Up, e.Down):
		s.sheets[s.sec].Update(k)
	case keymap.Matches(k, e.Complete):
		s.nextFound(1)
	case keymap.Matches(k, e.CompletePrev):
		s.nextFound(-1)
	default:
		s.query.Update(k)
	}
	s.search()
}

// nextFound goes to the next section with a match.
func (s *Screen) nextFound(by int) {
	n := len(all)
	for i := 1; i < n; i++ {
		id := all[(slices.Index(all, s.sec)+i*by+i*n)%n]
		if sh := s.sheets[id]; sh != nil && sh.hits > 0 {
			s.choose(id)
			return
		}
	}
}

// nextMatch goes to the next match, and after the last of a section to the next
// section with one.
func (s *Screen) nextMatch(by int) tea.Cmd {
	if s.query.Value() == "" {
		return screen.Warn("Nothing is searched for: / searches")
	}
	if sh := s.sheets[s.sec]; !s.inList && sh != nil && sh.step(by) {
		return nil
	}
	s.nextFound(by)
	if sh := s.sheets[s.sec]; sh != nil && sh.hits > 0 {
		s.choose(s.sec)
		if sh.top(); by < 0 {
			sh.atTop = false
			sh.SetCursor(sh.Len() - 1)
		}
		return nil
	}
	return screen.Warn("No row matches the search")
}

func (s *Screen) search() {
	words := strings.Fields(strings.ToLower(s.query.Value()))
	for _, sh := range s.sheets {
		if sh != nil {
			sh.search(words)
		}
	}
}

// Mouse passes the mouse to what the pane shows.
func (p *pane) Mouse(m widget.Mouse) bool {
	taken := p.body().Mouse(m.In(0, p.head()))
	if taken && p.isList() {
		p.s.selection()
	}
	return taken
}
