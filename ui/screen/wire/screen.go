// Package wire is the screen of packets: each that a software device sends or
// receives, or that passes the network interface of an open rxe device, decoded to the
// bit, and the conversations they belong to.
package wire

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/session/trace"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/page"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/frame"
	"rdmatui/ui/widget/line"
	"rdmatui/ui/widget/table"
	"rdmatui/verbs/format"
)

// The panes.
const (
	panePackets page.Pane = iota
	paneDetail
	paneLadder
	panes
)

// frameRows is how many packets are taken per frame, at most.
const frameRows = 4096

// Screen is the Wire screen.
type Screen struct {
	env *screen.Env
	th  *theme.Theme
	now func() time.Time

	live   *trace.Live // packets of the session's devices
	traced *traced     // packets of a capture, which are shown instead; nil: none
	list   *list
	table  *table.Table
	detail *detail
	ladder *ladder
	taps   *taps
	buf    []*timeline.Packet

	wanted  bool     // the tap is on, or being switched on
	asked   bool     // the tap was requested once
	others  []string // open devices that are no software devices, when the tap was last requested
	version uint64
	drawn   bool
	paused  bool
	ahead   bool      // there may be trouble after the cursor
	behind  bool      // and before it
	lower   page.Pane // shown beside the packets if only one pane can be
	tapsBox *frame.Box

	page.Panes
}

var _ screen.Screen = (*Screen)(nil)

// New makes the screen. Packets are kept from Start on.
func New(env *screen.Env) *Screen {
	s := &Screen{env: env, th: env.Theme, now: time.Now, live: trace.NewLive(), lower: paneDetail}
	s.list = newList(s.th, s.live)
	if env.Trace != nil {
		s.traced = &traced{Trace: env.Trace, rows: map[uint64]*row{}}
		s.list.source = s.traced
	}
	s.table = table.New(s.th, s.list, columns...)
	s.table.Tail, s.table.Keeps = true, true
	if s.traced != nil {
		s.table.SetColumns(tracedColumns...)
	}
	s.detail = newDetail(s.th, s.list)
	s.ladder = newLadder(s.th, s.list)
	s.taps = &taps{th: s.th}
	s.Panes = newPanes(s)
	s.tapsBox = frame.New(s.th, "devices", s.taps)
	if s.traced != nil {
		s.tapsBox = frame.New(s.th, "capture", s.taps)
		s.taps.traced = s.traced
	}
	s.retitle()
	return s
}

// Context implements screen.Screen.
func (s *Screen) Context() keymap.Context {
	if s.Entry.Open() {
		return s.Entry.Context()
	}
	return page.Now(s, keymap.WireScreen, actions)
}

// watching is the outcome of switching the tap.
type watching struct {
	on    bool
	names []string
	err   error
}

// Start implements screen.Starter. The tap is on whichever screen is in front:
// packets of requests posted elsewhere show here, and belong to incidents.
func (s *Screen) Start() tea.Cmd { return s.watch(true) }

// Show implements screen.Screen.
func (s *Screen) Show() tea.Cmd { return nil }

func (s *Screen) watch(on bool) tea.Cmd {
	s.asked, s.wanted = true, on
	return func() tea.Msg {
		names, err := s.env.Session.WatchPackets(on)
		return watching{on, names, err}
	}
}

// Refresh implements screen.Screen.
func (s *Screen) Refresh(st *screen.State) (bool, tea.Cmd) {
	changed := !s.drawn || st.Session.Version != s.version
	if changed {
		s.drawn, s.version = true, st.Session.Version
		s.taps.take(s.env.Session.PacketTaps(), &st.Session)
		for i := range st.Session.Devices {
			if d := &st.Session.Devices[i]; s.wanted && s.taps.isSoft(d.Info.Name) {
				for _, g := range d.GIDs {
					s.live.Sees(g.GID.Addr())
				}
			}
		}
		s.list.learnNames(&st.Session)
	}
	if !s.paused && s.take() {
		changed = true
	}
	tried, dropped := s.list.extend()
	s.table.Shift(dropped)
	changed = s.live.Age(s.now()) || tried || changed
	if changed {
		s.follow()
	}
	return changed, s.watchOthers(&st.Session)
}

// watchOthers requests the tap again when another device was opened.
func (s *Screen) watchOthers(snap *session.Snapshot) tea.Cmd {
	if !s.wanted || !s.taps.on { // or it is not known yet which are software devices
		return nil
	}
	var names []string
	for i := range snap.Devices {
		if name := snap.Devices[i].Info.Name; !s.taps.isSoft(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if slices.Equal(names, s.others) {
		return nil
	}
	s.others = names
	return s.watch(true)
}

// take adds new packets.
func (s *Screen) take() bool {
	if s.traced != nil {
		return s.traced.refresh()
	}
	s.buf = s.env.Session.PacketsSince(s.live.Last, frameRows, s.buf[:0])
	if len(s.buf) == 0 {
		return false
	}
	s.live.Add(s.buf)
	clear(s.buf)
	return true
}

// follow shows the packet under the cursor in the other panes.
func (s *Screen) follow() {
	r := s.list.at(s.table.Cursor())
	s.detail.show(r)
	s.ladder.show(r)
	for by, may := range map[int]*bool{1: &s.ahead, -1: &s.behind} {
		at, ended := s.troubled(by, nearRows)
		*may = at >= 0 || !ended
	}
	s.retitle()
}

// refilter applies the filter, keeping the cursor on its packet if that still passes.
func (s *Screen) refilter() {
	was := s.list.at(s.table.Cursor())
	following := s.table.Following()
	s.list.refilter()
	at := s.list.Len() - 1
	if i := -1; was != nil && !following {
		if i = s.list.index(was); i >= 0 {
			at = i
		}
	}
	s.table.SetCursor(at)
	s.follow()
}

func (s *Screen) retitle() {
	var notes page.Notes
	notes.Add(!s.wanted && s.asked, "tap off")
	notes.Add(s.paused, "paused")
	notes.Add(!s.paused && !s.table.Following(), "end follows")
	notes.Add(s.list.device != "", "%s only", s.list.device)
	notes.Add(s.list.talk != nil, "one conversation")
	notes.Add(s.list.text != "" && s.list.mistake == "", "/%s", line.Escape(s.list.text))
	notes.Add(s.list.mistake != "", "%s", line.Escape(s.list.mistake))
	from, to := s.list.source.Span()
	shown, all, rest := uint64(s.list.Len()), to-from, s.list.rest()
	notes.Add(rest > 0, "%s still to filter", format.Count(rest))
	notes.Add(shown < all, "%s of %s", format.Count(shown), format.Counted(all, "packet"))
	notes.Add(shown == all && shown > 0, "%s", format.Counted(shown, "packet"))
	s.Boxes[panePackets].Note = notes.String()
	s.table.Empty = s.emptyText()
}

func (s *Screen) emptyText() string {
	switch {
	case s.list.mistake != "":
		return "Filter, " + line.Escape(s.list.mistake)
	case s.list.rest() > 0:
		return "No packet matches the filter so far."
	case s.list.chosen:
		return "No packet matches the filter. esc clears it."
	case s.traced != nil && s.traced.state.Done:
		return "The capture holds no RoCE packet."
	case s.traced != nil:
		return "No RoCE packet yet."
	case s.asked && s.wanted && s.drawn && len(s.taps.known) == 0:
		return "No packets yet."
	case s.asked && !s.wanted:
		return "The tap is off. t switches it on."
	}
	return "No packets yet. Bring up a QP (2) and post a request (3)."
}
