// Package wire is the screen of packets: each that a software device sends or
// receives, or that passes the network interface of an open rxe device, decoded to the
// bit, and the conversations they belong to.
package wire

import (
	"fmt"
	"math"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session"
	"rdmatui/session/conversation"
	"rdmatui/session/timeline"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/format"
)

// The panes.
const (
	panePackets screen.Pane = iota
	paneDetail
	paneLadder
	paneFaults // while they are open
	panes
)

// frameRows is how many packets are taken per frame, at most.
const frameRows = 4096

// Screen is the Wire screen.
type Screen struct {
	env *screen.Env
	th  *theme.Theme
	now func() time.Time

	live   *conversation.Live // packets of the session's devices
	traced *traced            // packets of a capture, which are shown instead; nil: none
	list   *list
	table  *widget.Table
	detail *detail
	ladder *ladder
	taps   *taps
	faults *faults
	buf    []*timeline.Packet

	wanted   bool     // the tap is on, or being switched on
	asked    bool     // the tap was requested once
	others   []string // open devices that are no software devices, when the tap was last requested
	version  uint64
	drawn    bool
	paused   bool
	ahead    bool        // there may be trouble after the cursor
	behind   bool        // and before it
	faulting bool        // the panel of faults is open
	touched  bool        // the user has pressed a key, or the mouse
	began    bool        // the cursor was put where the reading of a capture begins
	lower    screen.Pane // shown beside the packets if only one pane can be
	tapsBox  *widget.Box

	screen.Panes
}

var (
	_ screen.Screen = (*Screen)(nil)
	_ screen.Keeper = (*Screen)(nil)
)

// New makes the screen. Packets are kept from Start on.
func New(env *screen.Env) *Screen {
	s := &Screen{env: env, th: env.Theme, now: time.Now, live: conversation.NewLive(), lower: paneDetail}
	var from source = s.live
	if env.Trace != nil {
		s.traced = &traced{Trace: env.Trace, rows: map[uint64]*row{}}
		from = s.traced
	}
	s.list = newList(s.th, from)
	s.table = widget.NewTable(s.th, s.list, columns...)
	s.table.Tail, s.table.Keeps = true, true
	if s.traced != nil {
		s.table.SetColumns(tracedColumns...)
	}
	s.detail = newDetail(s.th, s.list)
	s.ladder = newLadder(s.th, s.list)
	s.taps, s.faults = &taps{th: s.th}, newFaults(s.th)
	s.Panes = newPanes(s)
	s.tapsBox = widget.NewBox(s.th, "devices", s.taps)
	if s.traced != nil {
		s.tapsBox = widget.NewBox(s.th, "capture", s.taps)
		s.taps.traced = s.traced
	}
	s.retitle()
	return s
}

// Context implements screen.Screen.
func (s *Screen) Context() keymap.Context {
	switch {
	case s.Entry.Open():
		return s.Entry.Context()
	case s.faults.form.Editing():
		return s.faults.form.Context()
	case s.Focus == paneFaults:
		return keymap.WireFaults
	}
	return screen.ContextNow(s, keymap.WireScreen, actions)
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

// Typing implements screen.Screen.
func (s *Screen) Typing() bool { return s.Entry.Open() || s.faults.form.Editing() }

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
	changed := !s.drawn || st.Session.Version != s.version || s.env.Hand.In(&st.Session) != s.list.hand
	if changed {
		s.drawn, s.version = true, st.Session.Version
		s.taps.take(s.env.Session.PacketTaps(), &st.Session)
		if s.faulting && !s.faults.form.Editing() {
			s.faults.take(s.faults.device, s.taps.faults[s.faults.device])
		}
		for i := range st.Session.Devices {
			if d := &st.Session.Devices[i]; s.wanted && s.taps.isSoft(d.Info.Name) {
				for _, g := range d.GIDs {
					s.live.Sees(g.GID.Addr())
				}
			}
		}
		s.list.learnNames(&st.Session)
		followHand(s, &st.Session)
	}
	if !s.paused && s.take() {
		changed = true
	}
	tried, dropped := s.list.extend()
	s.table.Shift(dropped)
	changed = s.live.Age(s.now()) || tried || changed
	begun := s.begin()
	if changed = changed || begun != nil; changed {
		s.follow()
	}
	return changed, tea.Batch(begun, s.watchOthers(&st.Session))
}

// begin puts the cursor on the first trouble of a capture once it is read, or else on the first packet, and says so.
// It does nothing after the user has done something.
func (s *Screen) begin() tea.Cmd {
	if s.traced == nil || !s.traced.state.Done || s.began || s.list.Len() == 0 {
		return nil
	}
	if s.began = true; s.touched {
		return nil
	}
	s.table.SetCursor(0)
	at := 0
	if n, _ := s.list.number(0); !s.list.isTrouble(n) {
		at, _ = s.troubled(1, math.MaxInt)
	}
	s.table.SetCursor(max(at, 0))
	if at < 0 {
		return screen.Flash("No trouble in this capture: this is its first packet")
	}
	n, all := format.Count(uint64(at)+1), format.Counted(uint64(s.list.Len()), "packet")
	const text = "The first trouble: packet %s of %s. n goes to the next, g to the first packet"
	return screen.Flash(fmt.Sprintf(text, n, all))
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

// Keep implements screen.Keeper: packets that wait too long are no longer kept by the session.
func (s *Screen) Keep() {
	if s.traced == nil && !s.paused && s.take() {
		s.drawn = false
	}
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
	s.ladder.show(s.shown())
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
	var notes screen.Notes
	notes.Add(!s.wanted && s.asked, "tap off")
	notes.Add(s.paused, "paused")
	notes.Add(!s.paused && !s.table.Following(), "end follows")
	notes.Add(s.list.device != "", "%s only", s.list.device)
	notes.Add(s.list.talk != nil, "one conversation")
	notes.Add(s.list.text != "" && s.list.mistake == "", "/%s", line.Escape(s.list.text))
	notes.Add(s.list.mistake != "", "%s", line.Escape(s.list.mistake))
	from, to := s.list.source.Span()
	shown, all, rest, more := uint64(s.list.Len()), to-from, s.list.rest(), uint64(0)
	what := "packet"
	if s.traced == nil {
		all, more = s.live.Count()
	}
	if s.live.Dropped() {
		what = "newest packet"
	}
	notes.Add(s.live.Cleared() > 0 && all > 0, "%s cleared", format.Count(s.live.Cleared()))
	notes.Add(rest > 0, "%s still to filter", format.Count(rest))
	notes.Add(shown < all, "%s of %s", format.Count(shown), format.Counted(all, what))
	notes.Add(shown == all && shown > 0 && more == 0, "%s", format.Counted(shown, what))
	notes.Add(shown == all && more > 0, "%s in %s", format.Counted(all+more, what), format.Counted(shown, "row"))
	s.Boxes[panePackets].Note = notes.String()
	s.table.Empty = s.emptyText()
}

func (s *Screen) emptyText() string {
	switch {
	case s.list.mistake != "":
		return "Filter, " + line.Escape(s.list.mistake)
	case s.list.rest() > 0:
		return "No packet matches the filter so far."
	case s.list.filtered():
		return "No packet matches the filter. esC clears it."
	case s.traced != nil && s.traced.state.Done:
		return "The capture holds no RoCE packet."
	case s.traced != nil:
		return "No RoCE packet yet."
	case s.live.Cleared() > 0:
		return "Cleared: " + format.Counted(s.live.Cleared(), "packet") + ". u brings them back."
	case s.asked && s.wanted && s.drawn && len(s.taps.known) == 0:
		return "No packets yet."
	case s.asked && !s.wanted:
		return "The tap is off. t switches it on."
	}
	return "No packets yet. Bring up a QP (2) and post a request (3)."
}

// From these sizes the conversation and the packet are beside the packets, or side by
// side below them; in less, one is shown at a time.
const (
	wide   = 160 // both beside the packets
	middle = 116 // both below them
	high   = 14

	dumpRows = 4 // of a packet's bytes, if there is room
)

func newPanes(s *Screen) screen.Panes {
	return screen.Panes{Count: int(paneFaults), Entry: screen.NewEntry(s.th), Lay: s.lay, Used: s.pointed,
		Texts: s.texts, Boxes: []*widget.Box{
			panePackets: widget.NewBox(s.th, "packets", s.table),
			paneDetail:  widget.NewBox(s.th, "packet", s.detail),
			paneLadder:  widget.NewBox(s.th, "conversation", s.ladder),
			paneFaults:  widget.NewBox(s.th, "faults", s.faults),
		}}
}

// texts lists what can be copied from a pane.
func (s *Screen) texts(at screen.Pane) []screen.CopyText {
	r := s.list.at(s.table.Cursor())
	if r == nil {
		return nil
	}
	bytes := screen.CopyText{Name: "bytes", Text: fmt.Sprintf("%x", r.Data)}
	if at == paneDetail {
		return screen.CopyTexts(screen.CopyText{Name: "field", Text: s.detail.Text()}, bytes,
			screen.CopyText{Name: "pane", Text: s.Box().Text()})
	}
	return screen.CopyTexts(screen.CopyText{Name: "row", Text: s.table.Text()}, bytes)
}

// lay builds the panes for the size and reuses their blocks.
func (s *Screen) lay() widget.Block {
	packets, packet, talk := s.Boxes[panePackets], s.Boxes[paneDetail], s.Boxes[paneLadder]
	if s.Focus != panePackets && s.Focus != paneFaults {
		s.lower = s.Focus
	}
	s.table.Focused, s.detail.Focused = s.Has(panePackets), s.Has(paneDetail)
	packets.SetParts(widget.Flex(1, 2, s.table))
	packet.SetParts(widget.Flex(1, 6, s.detail), widget.Fixed(dumpRows, s.detail.dump).OrDrop(1))
	taps := widget.Fixed(s.taps.rowsWanted(s.W*4/7-2)+2, s.tapsBox)
	if s.faulting {
		taps = widget.Fixed(s.faults.rows()+2, faultsBox(s))
	}
	switch {
	case s.Zoom || s.H < high:
		return s.Box()
	case s.W >= wide:
		left := widget.NewCol(widget.Flex(1, 6, packets), taps)
		right := widget.NewCol(widget.Flex(1, 6, talk), widget.Flex(1, 14, packet))
		return widget.NewRow(widget.Flex(4, 88, left), widget.Flex(3, 66, right))
	case s.W >= middle && s.H >= 24:
		lower := widget.NewRow(widget.Flex(1, 58, talk), widget.Flex(1, 58, packet))
		return widget.NewCol(widget.Flex(2, 6, packets), s.below(max(10, s.H*2/5), widget.Flex(3, 10, lower)), taps)
	}
	return s.stacked()
}

// below is what stands below the packets: in so many rows while these have the keys, so
// that the list has most of the screen.
func (s *Screen) below(rows int, c widget.Child) widget.Child {
	if s.Focus == panePackets {
		return widget.Fixed(rows, c.Block)
	}
	return c
}

// stacked puts one pane below the packets, and the devices in with these.
func (s *Screen) stacked() widget.Block {
	devices := 1
	if s.H >= 20 {
		devices = min(s.taps.rowsWanted(s.W-2), 3)
	}
	packets := s.Boxes[panePackets]
	packets.SetParts(widget.Flex(1, 3, s.table), widget.Fixed(devices, s.taps).OrDrop(1))
	if s.faulting {
		return widget.NewCol(widget.Flex(1, 6, packets), widget.Fixed(s.faults.rows()+2, faultsBox(s)))
	}
	return widget.NewCol(widget.Flex(1, 8, packets), s.below(max(7, s.H/3), widget.Flex(1, 7, s.Boxes[s.lower])))
}
