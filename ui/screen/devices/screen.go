// Package devices is the Devices screen: the list of devices and everything known
// about the selected one, with the meaning of each value. If the host has no device,
// the screen says why and what to do.
package devices

import (
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	inv "rdmatui/devices"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/verbs"
)

// known is what has been read of one device.
type known struct {
	kernel   bool // the kernel has it too, and knows its users
	detail   *inv.Detail
	err      string // why there is no detail
	stale    bool   // must be read, or read again
	counters readings
	held     *inv.Resources
	heldErr  string
}

// Screen is the Devices screen.
type Screen struct {
	env *screen.Env
	th  *theme.Theme
	now func() time.Time

	list     *list
	sheets   [sections]*sheet // nil for the diagnosis
	findings *findings
	query    *widget.Input
	typing   bool

	screen.Panes
	grid   grid
	inList bool          // the list has the focus
	sec    sectionID     // the section that has, or last had, the focus
	stamp  [sections]int // when each was last chosen
	name   string        // of the selected device, "" for none
	known  map[string]*known
	own    []row  // this session's objects on it
	open   string // names of the open devices
	seen   uint64 // version of the session's snapshot
	looked bool   // a snapshot has been seen

	wish               string // the device to show once it is listed, "" for none
	opening, openingBy string // the device being opened, and the line that opens it
	loaded             bool   // the list has been read
	polled             time.Time

	watchOnce    sync.Once
	changes      <-chan struct{}
	wantList     bool
	wantFindings bool
	examined     bool          // the diagnosis was requested by itself
	before       screen.Values // at a refresh by key; nil if none is under way
	// What is being read now.
	listing, reading, counting, asking, diagnosing, watching bool
}

// New makes the screen. It reads nothing before Show.
func New(env *screen.Env) *Screen {
	s := &Screen{env: env, th: env.Theme, now: time.Now, inList: true, known: map[string]*known{}, wantList: true}
	s.Panes = screen.Panes{Entry: screen.NewEntry(s.th), Lay: s.lay, Texts: s.texts}
	s.list = newList(s.th)
	s.findings = newFindings(s.th)
	s.findings.set(nil, "reading the host…")
	s.query = widget.NewInput(s.th)
	s.query.Placeholder = "part of a name, value or meaning"
	for id := range sections {
		if id != diagnosis {
			s.sheets[id] = newSheet(s.th, &sectionTable[id])
		}
	}
	s.stamp[attributes] = 1
	s.fillAll()
	return s
}

// Show implements screen.Screen.
func (s *Screen) Show() tea.Cmd {
	s.wantList, s.opening, s.polled = true, "", time.Time{}
	return s.need()
}

// Refresh implements screen.Screen.
func (s *Screen) Refresh(st *screen.State) (bool, tea.Cmd) { return s.takeSession(st), s.poll() }

// takeSession takes the session's objects, and reports whether they have changed.
func (s *Screen) takeSession(st *screen.State) bool {
	if s.looked && st.Session.Version == s.seen {
		return false
	}
	s.looked, s.seen = true, st.Session.Version
	names := make([]string, 0, len(st.Session.Devices))
	clear(s.list.open)
	for i := range st.Session.Devices {
		n := st.Session.Devices[i].Name
		names = append(names, n)
		s.list.open[n] = true
	}
	own := sessionRows(&st.Session, s.name)
	was := s.open
	s.open = strings.Join(names, "\x00")
	if same := slices.EqualFunc(own, s.own, func(a, b row) bool { return a.about == b.about }); same && was == s.open {
		return false
	}
	s.own = own
	s.fill(holders)
	s.note()
	return true
}

// Doctor is the item for the reason why the host has no device.
const Doctor = "!"

// Pick implements screen.Picker: it shows a device, or the diagnosis.
func (s *Screen) Pick(item string) tea.Cmd {
	if item == Doctor {
		s.choose(diagnosis)
		return s.need()
	}
	s.wish = item
	if s.loaded {
		s.pickWish()
	}
	return s.need()
}

// pickWish shows the requested device, if it is listed.
func (s *Screen) pickWish() {
	if s.wish != "" && s.list.pick(s.wish) {
		s.inList = true
		s.selection()
	}
	s.wish = ""
}

// at returns what is known about the selected device, nil if there is none.
func (s *Screen) at() *known { return s.known[s.name] }

// selection follows the cursor of the list.
func (s *Screen) selection() {
	d, ok := s.list.selected()
	if !ok {
		s.name, s.inList = "", false
		s.choose(diagnosis)
	}
	if d.Name != s.name {
		s.name, s.own, s.looked = d.Name, nil, false // the next frame brings the session's rows
		s.before = nil                               // of another device
		s.sheetsToTop()
	}
	if ok && s.known[d.Name] == nil {
		s.known[d.Name] = &known{stale: true, kernel: d.Provider != verbs.SoftProvider}
	}
	s.fillAll()
	s.note()
}

func (s *Screen) sheetsToTop() {
	for _, sh := range s.sheets {
		if sh != nil {
			sh.top()
		}
	}
}

// note says under the list what to do next.
func (s *Screen) note() {
	var notes []note
	switch {
	case s.name == "":
	case s.opening == s.name:
		notes = append(notes, note{text: "opening " + s.name + "…"})
	case s.list.open[s.name]:
		notes = append(notes, note{key: "enter", text: s.name + " is open: go to Bring-up"})
	default:
		notes = append(notes, note{key: "enter", text: "opens " + s.name + s.list.onPort()})
	}
	if s.name != "" && s.env.Diagnose != nil {
		notes = append(notes, s.verdict())
	}
	s.list.notes = notes
}

// verdict is the doctor's finding in one line. Many hosts have no device of their own; nothing is wrong with those.
func (s *Screen) verdict() note {
	n := note{key: "d", text: "doctor: reading the host…"}
	if found := s.findings.list; len(found) > 0 {
		n.text = "doctor: " + inv.Verdict(found)
		n.wrong = s.list.hostDevices() && inv.Worst(found) == inv.Fail
	}
	return n
}

// choose brings a section to the front of its pane and focuses it.
func (s *Screen) choose(id sectionID) {
	s.sec, s.inList = id, false
	s.stamp[id] = slices.Max(s.stamp[:]) + 1
	if id == diagnosis && len(s.findings.list) == 0 {
		s.wantFindings = true
	}
}

// Context implements screen.Screen.
func (s *Screen) Context() keymap.Context {
	switch {
	case s.typing:
		return keymap.DevicesSearch
	case s.name == "":
		return keymap.DevicesNone
	}
	return screen.ContextNow(s, keymap.DevicesIn(s.inList, s.list.open[s.name]), actions)
}

// Typing implements screen.Screen.
func (s *Screen) Typing() bool { return s.typing }
