package connections

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"

	"rdmatui/session"
	"rdmatui/session/cm"
	"rdmatui/ui/keymap"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/eventline"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// labelWidth is the width of the label column.
const labelWidth = 14

// row is a line of a pane, laid out for a width.
type row func(b *line.Buf)

// rowList is the lines of a pane.
type rowList struct {
	th   *theme.Theme
	rows []row
}

func (l *rowList) add(r row) { l.rows = append(l.rows, r) }

// text adds a text in as many lines of w cells as it needs.
func (l *rowList) text(s string, w int, st theme.Style) {
	for _, part := range widget.Wrap(nil, line.Escape(s), max(w-2, 10)) {
		l.add(func(b *line.Buf) { b.Space(1); b.Text(part, st) })
	}
}

func (l *rowList) blank(wanted bool) {
	if wanted {
		l.add(func(*line.Buf) {})
	}
}

// value adds a named value beside its name, in as many lines as it needs; empty ones are left out.
func (l *rowList) value(name string, wide int, text string, w int, st theme.Style) {
	if text == "" {
		return
	}
	for _, part := range widget.Wrap(nil, line.Escape(text), max(w-wide-3, 10)) {
		label := name
		name = ""
		l.add(func(b *line.Buf) {
			b.Space(1)
			b.Cell(label, wide, line.Left, l.th.Label)
			b.Space(1)
			b.Cell(part, b.Room(), line.Left, st)
		})
	}
}

// about describes the selected identifier: its states, the meaning of the current
// one, how long each step took, and its addresses.
type about struct {
	rowList
	pager *widget.Pager
}

func newAbout(th *theme.Theme) *about {
	return &about{rowList: rowList{th: th}, pager: widget.NewPager(th)}
}

// facts is further information about an identifier.
type facts struct {
	serves, ethernet bool
	reachedAt        string // the host's addresses
	now              time.Time
	terse            bool // no blank lines, and the steps in one
}

// lay makes the lines for w cells.
func (a *about) lay(id *session.IDView, f facts, w int) {
	a.rows = nil
	way, failed := wayOf(id, f.serves), id.State == session.IDError
	if i := slices.Index(way, reached(id)); failed && i >= 0 {
		way = way[:i+1] // no further states follow
	}
	c := &chart{th: a.th, way: way, at: reached(id), failed: failed, tight: f.terse}
	starts := c.lines(w - 1)
	for n, from := range starts {
		to := len(c.way)
		if n+1 < len(starts) {
			to = starts[n+1]
		}
		a.add(func(b *line.Buf) { c.draw(b, from, to) })
	}
	if f.terse && !failed {
		a.stepLine(id.Steps, f.now)
	}
	a.blank(!f.terse)
	a.explain(id, w)
	if len(id.Steps) > 0 && !f.terse {
		a.blank(true)
		a.stepRows(id.Steps, f.now)
	}
	a.blank(!f.terse)
	a.place(id, &f)
	a.show(a.rows)
}

// show takes finished lines.
func (a *about) show(rows []row) {
	a.rows = rows
	a.pager.SetLines(len(a.rows), func(b *line.Buf, i int) { a.rows[i](b) })
}

func (a *about) explain(id *session.IDView, w int) {
	text, st := meaning[id.State], a.th.Value
	if e := id.Last; id.State == session.IDError && e != nil {
		text, st = strings.Join(nonEmpty(e.Type.String(), e.StatusText, eventline.PrivateData(e.PrivateData())), ": "),
			a.th.Err
		a.text(text, w, st)
		a.text(e.Hint, w, a.th.Value)
		return
	}
	if wasRejected(id) {
		text = "The peer rejected the request. Destroy the identifier."
	}
	a.text(text, w, st)
	if e := id.Last; e != nil && e.Type == verbs.CMAddrChange { // it leaves the state unchanged
		a.text(e.Type.String()+": "+e.Hint, w, a.th.Warn)
	}
}

func nonEmpty(texts ...string) (out []string) {
	for _, t := range texts {
		if t != "" {
			out = append(out, t)
		}
	}
	return out
}

// bar is the width of the longest step's bar.
const bar = 12

// stepLine is stepRows for small panes.
func (a *about) stepLine(list []session.StepTime, now time.Time) {
	if len(list) == 0 {
		return
	}
	a.add(func(b *line.Buf) {
		for i := range list {
			b.Space(1)
			b.Text(list[i].Name, a.th.Label)
			b.Space(1)
			a.took(b, &list[i], now)
			b.Space(1)
		}
	})
}

// stepRows shows how long each step took, as cmtime does.
func (a *about) stepRows(list []session.StepTime, now time.Time) {
	var total, longest time.Duration
	for i := range list {
		d := spent(&list[i], now)
		total, longest = total+d, max(longest, d)
	}
	for i := range list {
		a.add(func(b *line.Buf) {
			st := &list[i]
			b.Space(1)
			b.Cell(st.Name, labelWidth, line.Left, a.th.Label)
			b.Space(1)
			r := b.Begin(10)
			a.took(b, st, now)
			b.End(r)
			b.Space(1)
			if longest > 0 {
				b.Repeat(a.th.Glyphs.Thumb, int(spent(st, now)*bar/longest), a.th.Fill)
			}
			b.Space(1)
			switch {
			case st.Pending:
				b.Text("under way", a.th.Warn)
			case st.Failed:
				b.Text("failed", a.th.Err)
			}
		})
	}
	if len(list) > 1 {
		a.add(func(b *line.Buf) {
			b.Space(1)
			b.Cell("together", labelWidth, line.Left, a.th.Dim)
			b.Space(1)
			eventline.Took(b, total, a.th.Dim)
		})
	}
}

func spent(st *session.StepTime, now time.Time) time.Duration {
	if st.Pending {
		return max(now.Sub(st.Began), 0)
	}
	return st.Took
}

// took shows a duration; for a step under way in tenths of a second, so that it rarely
// changes.
func (a *about) took(b *line.Buf, st *session.StepTime, now time.Time) {
	switch d := spent(st, now); {
	case st.Pending:
		b.Text(fmt.Sprintf("%.1f s"+a.th.Glyphs.Ellipsis, d.Seconds()), a.th.Warn)
	case st.Failed:
		eventline.Took(b, d, a.th.Err)
	default:
		eventline.Took(b, d, a.th.Value)
	}
}

// place shows the identifier's addresses and device.
func (a *about) place(id *session.IDView, f *facts) {
	value := func(label, text string) {
		if text != "" {
			a.add(func(b *line.Buf) {
				b.Space(1)
				b.Cell(label, labelWidth, line.Left, a.th.Label)
				b.Space(1)
				b.Cell(text, b.Room(), line.Left, a.th.Value)
			})
		}
	}
	value("local address", addrText(id.Local))
	if id.State == session.IDListening && id.Local.Addr().IsUnspecified() {
		value("reached at", f.reachedAt)
	}
	value("peer", addrText(id.Peer))
	if id.Peer.IsValid() && f.ethernet {
		value("peer's gid", verbs.GID(id.Peer.Addr().As16()).String())
	}
	if id.Device != "" {
		value("device", fmt.Sprintf("%s port %d, opened by the manager", id.Device, id.PortNum))
	}
	value("queue pair", id.QP)
	ps := id.PortSpace.String()
	for _, s := range spaces {
		if s.name == ps {
			ps += ", " + s.doc
		}
	}
	value("port space", ps)
	value("came in on", id.Listen)
	how := id.Mode
	if id.Channel != "" {
		how = id.Channel + ", " + how
	}
	value("events", how+" ("+id.Provider+")")
	for _, g := range id.Groups {
		value("group", g.String())
	}
	if len(id.PrivateData) > 0 {
		value("private data", eventline.PrivateData(id.PrivateData))
	}
}

// start describes the next identifier, and how to make one.
type start struct {
	rowList
	mode      int
	space     int
	managers  []cm.Manager
	read      bool     // managers has been filled
	addresses []string // at which peers reach this host
	manager   int
}

func (s *start) take(m hostMsg) {
	s.managers, s.addresses, s.read = m.managers, m.addresses, true
	s.manager = min(s.manager, max(len(s.managers)-1, 0))
}

// none reports that no device here has a connection manager.
func (s *start) none() bool { return s.read && len(s.managers) == 0 }

// choice is the settings of a new identifier.
type choice struct {
	mode, space string
	provider    string // "" for any
	device      string // names the provider's manager in a line; "" if it is the default
}

func (s *start) choice() choice {
	c := choice{mode: modes[s.mode].name, space: spaces[s.space].name}
	if s.manager < len(s.managers) {
		c.provider = s.managers[s.manager].Provider
	}
	if s.manager > 0 {
		c.device = s.managers[s.manager].Device
	}
	return c
}

// lay makes the lines for w cells; terse omits blank ones.
func (s *start) lay(w int, terse bool) {
	s.rows = nil
	if s.none() {
		s.text("No connection manager: found neither librdmacm with a device nor a software device that has one.", w,
			s.th.Warn)
		s.text("You can still connect queue pairs by hand on Bring-up (2).", w, s.th.Dim)
		return
	}
	s.text("The connection manager finds the device and path to an address, sends a connection request to the peer, and moves both queue pairs to RTS. "+
		"Its events appear here.", w, s.th.Value)
	s.blank(!terse)
	s.key(keymap.Connections.Connect.Help().Key, "as a client: connect to an address")
	s.key(keymap.Connections.Listen.Help().Key, "as a server: listen on a port")
	s.blank(!terse)
	s.settings()
	if len(s.managers) > 0 {
		m := s.managers[s.manager]
		text := "manager: that of " + m.Provider + ", with " + m.Device
		if len(s.managers) > 1 {
			s.key(keymap.Connections.Manager.Help().Key,
				fmt.Sprintf("%s (%d of %d)", text, s.manager+1, len(s.managers)))
		} else {
			s.key(" ", text)
		}
	}
	s.blank(!terse)
	if len(s.addresses) > 0 {
		s.text("This host's address is "+s.reachedAt()+".", w, s.th.Value)
	}
	s.text("To run both ends here: l first, then c with an address of this host.", w, s.th.Dim)
}

// settings shows what the next identifier will have, with the keys that change it.
func (s *start) settings() {
	s.key(keymap.Connections.Mode.Help().Key, "events: "+modes[s.mode].name+" "+s.th.Glyphs.Dash+" "+modes[s.mode].doc)
	s.key(keymap.Connections.Space.Help().Key,
		"port space: "+spaces[s.space].name+" "+s.th.Glyphs.Dash+" "+spaces[s.space].doc)
}

func (s *start) key(key, text string) {
	s.add(func(b *line.Buf) {
		b.Space(1)
		b.Text(key, s.th.Key)
		b.Space(2)
		b.Cell(text, b.Room(), line.Left, s.th.Value)
	})
}

// draftRows describe an identifier that is to be made.
func (s *Screen) draftRows(w int) []row {
	st := s.start
	st.rows = nil
	what := "A client, to connect to " + s.draft.address() + "."
	if s.draft.serves {
		what = "A server, to listen on " + s.draft.address() + "."
	}
	st.text(what+" Nothing has been created yet.", w, st.th.Value)
	st.settings()
	st.key(keymap.Connections.Destroy.Help().Key, "drops it")
	return st.rows
}

// rowsOfNext returns the lines about the next step, for w cells.
func (s *Screen) rowsOfNext(w int) (rows []row) {
	add := func(r row) { rows = append(rows, r) }
	id := s.current()
	if s.draft == nil && id != nil && id.State == session.IDRequest {
		rows = s.askingRows(id)
	}
	if m, _ := fixed(s); m.Advice() != "" {
		for _, l := range widget.Wrap(nil, line.Escape(m.Advice()), max(w-2, 10)) {
			add(func(b *line.Buf) { b.Space(1); b.Cell(l, b.Room(), line.Left, s.th.Key) })
		}
	}
	list := s.todo()
	if len(list) == 0 {
		for _, l := range widget.Wrap(nil, s.advice(), max(w-2, 10)) {
			add(func(b *line.Buf) { b.Space(1); b.Cell(l, b.Room(), line.Left, s.th.Dim) })
		}
		return rows
	}
	label := "enter"
	if s.runner.Busy() {
		label = "runs"
	}
	for i, l := range widget.Wrap(nil, line.Escape(list[0].line), max(w-10, 10)) {
		if i > 0 {
			label = ""
		}
		head := label
		add(func(b *line.Buf) {
			b.Space(1)
			b.Cell(head, 6, line.Left, s.th.Key)
			b.Space(1)
			b.Cell(l, b.Room(), line.Left, s.th.Value)
		})
	}
	for _, l := range widget.Wrap(nil, list[0].why, max(w-10, 10)) {
		add(func(b *line.Buf) { b.Space(8); b.Cell(l, b.Room(), line.Left, s.th.Dim) })
	}
	for _, t := range list[1:] {
		add(func(b *line.Buf) {
			b.Space(1)
			b.Cell("then", 6, line.Left, s.th.Dim)
			b.Space(1)
			b.Cell(t.line, b.Room(), line.Left, s.th.Dim)
		})
	}
	return rows
}

// askingRows say who requests a connection, and how to answer.
func (s *Screen) askingRows(id *session.IDView) []row {
	th := s.th
	waited := s.now().Sub(s.since[id.Name]).Truncate(time.Second)
	who := func(b *line.Buf) {
		b.Space(1)
		b.Text(th.Glyphs.Full, th.Warn)
		b.Space(1)
		drawAddr(b, id.Peer, th)
		b.Text(fmt.Sprintf(" asked %d s ago", int(waited.Seconds())), th.Warn)
		if text := eventline.PrivateData(id.PrivateData); text != "" {
			b.Text(" with ", th.Dim)
			b.Text(text, th.Value)
		}
	}
	answers := func(b *line.Buf) {
		for _, k := range []key.Help{keymap.Connections.Accept.Help(), {Key: keymap.Connections.AcceptAs.Help().Key,
			Desc: "with other parameters"}, keymap.Connections.Reject.Help()} {
			b.Space(1)
			b.Text(k.Key, th.Key)
			b.Space(1)
			b.Text(k.Desc, th.KeyText)
			b.Space(1)
		}
		b.Text(" or let it time out", th.Dim)
	}
	return []row{who, answers}
}
