package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"rdmatui/session"
	"rdmatui/session/timeline"
	"rdmatui/ui/screen"
	"rdmatui/ui/screen/objects"
	"rdmatui/ui/store"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

// The rows around a screen.
const (
	tabRow   = 1
	headRows = 2  // title, tabs
	footRows = 1  // keys, or news that are short
	newsRows = 4  // of long news
	tourTall = 30 // from here on the strip stays beside a tour
	// helpWidth holds the help of the command language, which is 79 wide.
	helpWidth = 82
	// minW and minH are what the program can be used in at all.
	minW, minH = 40, 10
)

// View implements tea.Model. It draws only if something changed since the last
// time.
func (a *App) View() tea.View {
	if a.dirty && a.w > 0 {
		a.view = a.draw()
		a.dirty = false
	}
	v := tea.NewView(a.view)
	v.AltScreen = true
	if a.env.Store.Choice("mouse") != "false" {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if g := a.env.Theme.Ground; g != "" { // of a theme that was chosen; else the terminal's own
		v.BackgroundColor = lipgloss.Color(g)
	}
	v.WindowTitle = "rdmatui"
	return v
}

func (a *App) draw() string {
	b := a.buf
	b.Reset()
	if a.w < minW || a.h < minH {
		b.Begin(a.w)
		size := fmt.Sprintf("%d×%d", minW, minH)
		for _, text := range []string{"too small: " + size + " at least", "needs " + size, size} {
			if line.Width(text) <= a.w {
				b.Text(text, a.env.Theme.Warn)
				break
			}
		}
		b.Finish()
		return b.String()
	}
	a.drawRows(b)
	base := b.String()
	switch {
	case a.ask != nil:
		return a.ask.Over(base, a.w, a.h)
	case a.finder != nil:
		return a.finder.over(base, a.w, a.h)
	case a.help != nil:
		return a.helpOver(base)
	}
	return base
}

// drawRows draws title, tabs, the screen, the strip and the foot, top down.
func (a *App) drawRows(b *line.Buf) {
	foot, strip := footRows, a.stripHeight()
	switch a.footShows() {
	case footConsole:
		foot, strip = a.console.Height(a.h-headRows), 0
	case footNews:
		foot = len(a.news())
		if newsWide(a) == 0 {
			foot++
		}
	}
	guide := a.tours.height()
	if guide > 0 && a.h < tourTall {
		strip = 0
	}
	body := a.h - headRows - foot - strip - guide
	if body < 4 {
		body, strip, guide = a.h-headRows-foot, 0, 0
	}
	a.tours.top, a.tours.rows = headRows+body, guide
	if guide > 0 {
		a.tours.panel.SetSize(a.w, guide)
	}
	a.current().SetSize(a.w, body)
	a.strip.SetSize(a.w, strip)
	a.console.SetSize(a.w, foot)
	for y := range a.h {
		if y > 0 {
			b.Newline()
		}
		r := b.Begin(a.w)
		switch {
		case y == 0:
			a.drawTitle(b)
		case y == tabRow:
			a.drawTabs(b)
		case y < headRows+body:
			a.current().DrawLine(b, y-headRows)
		case y < headRows+body+guide:
			a.tours.panel.DrawLine(b, y-headRows-body)
		case y < headRows+body+guide+strip:
			a.strip.DrawLine(b, y-headRows-body-guide)
		default:
			a.drawFoot(b, y-headRows-body-guide-strip)
		}
		b.End(r)
	}
	b.Finish()
}

// stripHeight is 0 on a screen that shows the same, or a capture.
func (a *App) stripHeight() int {
	if stripRepeats[a.at] || a.env.Trace != nil && a.at == screen.Wire {
		return 0
	}
	if told := a.strip.told(a.w); told != nil {
		return len(told)
	}
	return stripHeights[a.strip.mode]
}

// nextStrip answers the key S, and keeps how the strip was left.
func (a *App) nextStrip() tea.Cmd {
	if stripRepeats[a.at] {
		a.say(screen.FlashMsg{Text: "The strip is hidden here: " + a.tabs[a.at].name + " shows the same"})
		return nil
	}
	a.strip.mode, a.dirty = (a.strip.mode+1)%stripModes, true
	a.say(screen.FlashMsg{Text: stripSaid[a.strip.mode]})
	a.env.Store.Remember(store.Strip, stripNames[a.strip.mode])
	return a.env.Save()
}

// restoreStrip shows as much of the strip as was chosen, or as it was left.
func (a *App) restoreStrip() {
	name := a.env.Store.Choice("strip")
	if name == "last" {
		name = a.env.Store.Recall(store.Strip)
	}
	if i := slices.Index(stripNames[:], name); i >= 0 {
		a.strip.mode, a.dirty = stripMode(i), true
	}
}

// drawTitle shows the device at hand on the left; on the right the objects that are
// alive, and last the faults: whoever forgets them looks for the failure elsewhere. What
// there is no room for leaves whole, the faults and the device's name last.
func (a *App) drawTitle(b *line.Buf) {
	th, s := a.env.Theme, &a.state.Session
	parts := []line.Piece{textPiece("rdmatui", th.Title, 0, titleName)}
	if n := len(s.Devices); n > 0 {
		parts = append(parts, devicePieces(th, &s.Devices[n-1])...)
	} else {
		parts = append(parts, textPiece("no device is open", th.Dim, 2, 0))
	}
	if piece, ok := handPiece(th, s, a.env.Hand.In(s)); ok {
		parts = append(parts, piece)
	}
	counts := textPiece(fmt.Sprintf("%d QP %d MR %d CQ", len(s.QPs), len(s.MRs), len(s.CQs)), th.Dim, 2, titleCounts)
	counts.Far = true
	parts = append(parts, counts)
	if text := faultText(s.Devices); text != "" {
		faults := textPiece(th.Glyphs.Alert+" "+text, th.Warn, 3, 0)
		faults.Far = true
		parts = append(parts, faults)
	}
	b.Space(1)
	r := b.Begin(b.Room() - 1)
	b.Pieces(parts...)
	b.End(r)
}

// The order in which parts leave the title, the highest first.
const (
	titleName = 1 + iota
	titlePort
	titleGID
	titleCounts
	titleGIDType
)

func textPiece(text string, st theme.Style, gap, drop int) line.Piece {
	return line.Piece{Gap: gap, Drop: drop, Draw: func(b *line.Buf) { b.Text(text, st) }}
}

// faultText lists the faults of the open devices, of one that is open twice once; the
// device at hand, the last, needs no name.
func faultText(devices []screen.DeviceView) string {
	var all []string
	for i := range devices {
		d := &devices[i]
		told := slices.ContainsFunc(devices[i+1:], func(o screen.DeviceView) bool { return o.Info == d.Info })
		if !d.Faults.Active() || told {
			continue
		}
		text := "fault: " + d.Faults.Text(format.Span)
		if i < len(devices)-1 {
			text = d.Name + " " + text
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}

// gidTypes are the names of the encapsulations.
var gidTypes = map[verbs.GIDType]string{
	verbs.GIDTypeIB: "InfiniBand", verbs.GIDTypeRoCEv1: "RoCE v1", verbs.GIDTypeRoCEv2: "RoCE v2",
}

// devicePieces describe a device by its own name: the connection manager opens it once more, under another.
func devicePieces(th *theme.Theme, d *screen.DeviceView) []line.Piece {
	parts := []line.Piece{textPiece(cmp.Or(d.Info.Name, d.Name), th.Value, 2, 0)}
	add := func(drop int, name, state string, st theme.Style) {
		parts = append(parts, line.Piece{Drop: drop, Draw: func(b *line.Buf) {
			b.Text(" "+th.Glyphs.Sep+" ", th.Dim)
			b.Text(name, th.Value)
			b.Text(state, st)
		}})
	}
	port, ok := d.PortAttr(d.Port.PortNum)
	if !ok {
		return parts
	}
	st := th.OK
	if port.State != verbs.PortActive {
		st = th.Warn
	}
	add(titlePort, fmt.Sprintf("port %d ", d.Port.PortNum), port.State.String(), st)
	if gid := &d.GID; !gid.GID.IsZero() {
		add(titleGIDType, gidTypes[gid.Type], "", st)
		add(titleGID, fmt.Sprintf("gid %d ", gid.Index), gid.GID.Addr().String(), th.Value)
	}
	return parts
}

// handPiece shows the queue pair in hand, its state, and what it is connected to.
func handPiece(th *theme.Theme, s *session.Snapshot, name string) (p line.Piece, ok bool) {
	q := s.QP(name)
	if q == nil {
		return p, false
	}
	st := *objects.StateStyle(th, q.State)
	peer := objects.PeerOf(s, q)
	return line.Piece{Gap: 2, Draw: func(b *line.Buf) {
		b.Text(name+" ", th.Mine)
		b.Text(q.State.String(), st)
		if peer != "" {
			b.Text(" "+th.Glyphs.Peers+" ", th.Dim)
			b.Text(peer, th.Theirs)
		}
	}}, true
}

// tabStyle is how much of the tabs' names the bar shows.
type tabStyle int

const (
	fullTabs  tabStyle = iota
	closeTabs          // without blanks around them
	shortTabs
	tightTabs  // both
	numberTabs // only the shown screen has a name
	digitTabs  // the same without blanks
)

func (a *App) tabText(i int, style tabStyle) string {
	switch {
	case style == fullTabs:
		return fmt.Sprintf(" %d %s ", i, a.tabs[i].name)
	case style == closeTabs:
		return fmt.Sprintf("%d %s", i, a.tabs[i].name)
	case style == tightTabs || style == digitTabs && screen.ID(i) == a.at:
		return fmt.Sprintf("%d %s", i, screen.ShortNames[i])
	case style == shortTabs || screen.ID(i) == a.at:
		return fmt.Sprintf(" %d %s ", i, screen.ShortNames[i])
	}
	if style == digitTabs {
		return strconv.Itoa(i)
	}
	return fmt.Sprintf(" %d ", i)
}

// tabsThatFit returns the longest names that the width has room for.
func (a *App) tabsThatFit() tabStyle {
	for style := fullTabs; style < digitTabs; style++ {
		total := -1
		for i := range a.tabs {
			if a.tabs[i].Screen != nil {
				total += 1 + line.Width(a.tabText(i, style))
			}
		}
		if total <= a.w {
			return style
		}
	}
	return digitTabs
}

func (a *App) drawTabs(b *line.Buf) {
	th, style := a.env.Theme, a.tabsThatFit()
	first := true
	for i := range a.tabs {
		if a.tabs[i].Screen == nil {
			continue
		}
		if !first {
			b.Text(th.Glyphs.V, th.Frame)
		}
		first = false
		st := th.Tab
		if screen.ID(i) == a.at {
			st = th.TabActive
		}
		b.Text(a.tabText(i, style), st)
	}
}

// tabAt finds the tab at a column.
func (a *App) tabAt(x int) (screen.ID, bool) {
	left, style := 0, a.tabsThatFit()
	for i := range a.tabs {
		if a.tabs[i].Screen == nil {
			continue
		}
		right := left + line.Width(a.tabText(i, style))
		if x >= left && x < right {
			return screen.ID(i), true
		}
		left = right + 1
	}
	return 0, false
}

// drawFoot shows the command line, or the answer to a command that asks, or the last
// news, or what waits, or the keys.
func (a *App) drawFoot(b *line.Buf, y int) {
	switch a.footShows() {
	case footConsole:
		a.console.DrawLine(b, y)
	case footAnswer:
		a.reply.draw(b)
	case footNews:
		b.Space(1)
		r := b.Begin(b.Room() - 1)
		if news := a.news(); y < len(news) {
			b.Text(news[y], a.flashStyle())
			if wide := newsWide(a); wide > 0 && y == len(news)-1 {
				b.Space(newsGap)
				widget.DrawHints(b, a.context(), a.tours.key())
			}
		} else {
			widget.DrawHints(b, a.context(), a.tours.key())
		}
		b.End(r)
	case footWait:
		a.drawWait(b)
	default:
		b.Space(1)
		r := b.Begin(b.Room() - 1)
		widget.DrawHints(b, a.context(), a.tours.key())
		b.End(r)
	}
}

// news is the last news, on as many rows as it takes, up to newsRows.
func (a *App) news() []string { return widget.WrapRows(line.Escape(a.flash.Text), a.w-2, newsRows) }

// newsGap is the cells between news and the keys behind them.
const newsGap = 3

// newsWide is the cells of the last row of news if the keys fit behind it, 0 if they take a row of their own.
func newsWide(a *App) int {
	news := a.news()
	wide := line.Width(news[len(news)-1])
	if a.w-2-wide-newsGap < widget.LeastHints(a.context()) {
		return 0
	}
	return wide
}

// hintsFrom returns the column at which the hints of keys begin in the last row; ok is false if there are none.
func hintsFrom(a *App) (x int, ok bool) {
	switch a.footShows() {
	case footKeys:
		return 1, true
	case footNews:
		if wide := newsWide(a); wide > 0 {
			return 1 + wide + newsGap, true
		}
		return 1, true
	}
	return 0, false
}

// footKind is what the last line shows.
type footKind uint8

const (
	footKeys footKind = iota
	footConsole
	footAnswer
	footNews
	footWait
)

func (a *App) footShows() footKind {
	switch {
	case a.console.IsOpen():
		return footConsole
	case a.reply.open:
		return footAnswer
	case a.flash.Text != "" && !a.isAnswered():
		return footNews
	case a.wait.shown:
		return footWait
	}
	return footKeys
}

// isAnswered reports whether the screen in front says what the flash does.
func (a *App) isAnswered() bool {
	s, ok := a.current().(screen.Answerer)
	return ok && a.answered && s.Answers()
}

func (a *App) flashStyle() theme.Style {
	th := a.env.Theme
	return [...]theme.Style{timeline.LevelInfo: th.Info, timeline.LevelWarn: th.Warn,
		timeline.LevelError: th.Err}[a.flash.Level]
}

// helpWide is how wide a text over the screen is, its frame included.
func (a *App) helpWide() int {
	if a.helpFull {
		return a.w - 4
	}
	return min(helpWidth, a.w-4)
}

func (a *App) helpOver(base string) string {
	w, h := helpSize(a)
	return widget.Overlay(base, widget.Render(a.env.Theme, a.helpBox, w, h), (a.w-w)/2, (a.h-h)/2)
}

// helpSize is the size of what lies over the screen, its frame included.
func helpSize(a *App) (w, h int) {
	w = a.helpWide()
	a.help.SetSize(w-2, a.h-4) // wraps, so that the length is known
	return w, min(a.help.Len()+2, a.h-2)
}
