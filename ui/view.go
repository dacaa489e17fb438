package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/timeline"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/dialog"
	"rdmatui/ui/widget/help"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// The rows around a screen.
const (
	tabRow   = 1
	headRows = 2 // title, tabs
	footRows = 1 // keys, or news
	// stripRows is the live strip on a tall terminal, stripFew on a short one.
	stripRows = 7
	stripFew  = 4
	tall      = 36
	// roomy is the width from which the title tells the GID's type.
	roomy = 100
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
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = "rdmatui"
	return v
}

func (a *App) draw() string {
	b := a.buf
	b.Reset()
	if a.w < minW || a.h < minH {
		b.Begin(a.w)
		b.Text(fmt.Sprintf("too small: %d×%d at least", minW, minH), a.env.Theme.Warn)
		b.Finish()
		return b.String()
	}
	a.drawRows(b)
	base := b.String()
	switch {
	case a.ask != nil:
		return a.ask.Over(base, a.w, a.h)
	case a.help != nil:
		return a.helpOver(base)
	}
	return base
}

// drawRows draws title, tabs, the screen, the strip and the foot, top down.
func (a *App) drawRows(b *line.Buf) {
	foot := max(a.palette.Height(), footRows)
	strip := a.stripHeight()
	body := a.h - headRows - foot - strip
	if body < 4 {
		body, strip = a.h-headRows-foot, 0
	}
	a.current().SetSize(a.w, body)
	a.strip.SetSize(a.w, strip)
	a.palette.SetSize(a.w, foot)
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
		case y < headRows+body+strip:
			a.strip.DrawLine(b, y-headRows-body)
		default:
			a.drawFoot(b, y-headRows-body-strip)
		}
		b.End(r)
	}
	b.Finish()
}

func (a *App) stripHeight() int {
	if a.h < tall {
		return stripFew
	}
	return stripRows
}

// drawTitle tells the device at hand on the left, what is alive on the right.
func (a *App) drawTitle(b *line.Buf) {
	th, s := a.env.Theme, &a.state.Session
	b.Space(1)
	b.Text("rdmatui", th.Title)
	right := fmt.Sprintf("%d QP  %d MR  %d CQ ", len(s.QPs), len(s.MRs), len(s.CQs))
	left := b.BeginCell(max(b.Room()-len(right)-2, 0), line.Left)
	b.Space(3)
	if n := len(s.Devices); n > 0 {
		drawFaults(b, th, s.Devices[:n-1])
		drawDevice(b, th, &s.Devices[n-1], a.w >= roomy)
	} else {
		b.Text("no device is open", th.Dim)
	}
	b.End(left)
	b.Cell(right, b.Room(), line.Right, th.Dim)
}

// drawFaults tells which other devices harm their packets, before all else: whoever
// forgets it looks for the fault elsewhere.
func drawFaults(b *line.Buf, th *theme.Theme, others []screen.DeviceView) {
	for i := range others {
		if d := &others[i]; d.Faults.Active() {
			b.Text(d.Name+" faults: "+d.Faults.String(), th.Warn)
			b.Space(1)
			b.Text(th.Glyphs.Sep, th.Dim)
			b.Space(1)
		}
	}
}

func drawDevice(b *line.Buf, th *theme.Theme, d *screen.DeviceView, full bool) {
	sep := func() { b.Space(1); b.Text(th.Glyphs.Sep, th.Dim); b.Space(1) }
	b.Text(d.Name, th.Value)
	if d.Faults.Active() {
		b.Text(" faults: "+d.Faults.String(), th.Warn)
	}
	port, ok := d.PortAttr(d.Port.PortNum)
	if !ok {
		return
	}
	sep()
	st := th.OK
	if port.State != verbs.PortActive {
		st = th.Warn
	}
	b.Text(fmt.Sprintf("port %d ", d.Port.PortNum), th.Value)
	b.Text(port.State.String(), st)
	gid := &d.GID
	if gid.GID.IsZero() {
		return
	}
	sep()
	if full {
		b.Text(gid.Type.String(), th.Value)
		sep()
	}
	b.Text(fmt.Sprintf("gid %d ", gid.Index), th.Value)
	b.Text(gid.GID.String(), th.Value)
}

// tabStyle is how much of the tabs' names the bar shows.
type tabStyle int

const (
	fullTabs tabStyle = iota
	shortTabs
	numberTabs // only the shown screen has a name
)

func (a *App) tabText(i int, style tabStyle) string {
	switch {
	case style == fullTabs:
		return fmt.Sprintf(" %d %s ", i+1, a.tabs[i].name)
	case style == shortTabs || screen.ID(i) == a.at:
		return fmt.Sprintf(" %d %s ", i+1, screen.ShortNames[i])
	}
	return fmt.Sprintf(" %d ", i+1)
}

// tabsThatFit returns the longest names that the width has room for.
func (a *App) tabsThatFit() tabStyle {
	for style := fullTabs; style < numberTabs; style++ {
		total := len(a.tabs) - 1
		for i := range a.tabs {
			total += line.Width(a.tabText(i, style))
		}
		if total <= a.w {
			return style
		}
	}
	return numberTabs
}

func (a *App) drawTabs(b *line.Buf) {
	th, style := a.env.Theme, a.tabsThatFit()
	for i := range a.tabs {
		if i > 0 {
			b.Text(th.Glyphs.V, th.Frame)
		}
		st := th.Tab
		switch {
		case screen.ID(i) == a.at:
			st = th.TabActive
		case a.tabs[i].Screen == nil:
			st = th.Undefined
		}
		b.Text(a.tabText(i, style), st)
	}
}

// tabAt finds the tab at a column.
func (a *App) tabAt(x int) (screen.ID, bool) {
	left, style := 0, a.tabsThatFit()
	for i := range a.tabs {
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
	switch {
	case a.palette.IsOpen():
		a.palette.DrawLine(b, y)
	case a.reply.open:
		a.drawAnswer(b)
	case a.flash.Text != "":
		b.Space(1)
		r := b.BeginCell(b.Room()-1, line.Left)
		b.Text(a.flash.Text, a.flashStyle())
		b.End(r)
	case a.wait.shown:
		a.drawWait(b)
	default:
		b.Space(1)
		help.Line(b, a.context())
	}
}

func (a *App) flashStyle() theme.Style {
	th := a.env.Theme
	return [...]theme.Style{timeline.LevelInfo: th.Info, timeline.LevelWarn: th.Warn, timeline.LevelError: th.Err}[a.flash.Level]
}

// helpWide is how wide a text over the screen is, its frame included.
func (a *App) helpWide() int { return min(helpWidth, a.w-4) }

func (a *App) helpOver(base string) string {
	w := a.helpWide()
	a.help.SetSize(w-2, a.h-4) // wraps, so that the length is known
	h := min(a.help.Len()+2, a.h-2)
	return dialog.Place(base, widget.Render(a.env.Theme, a.helpBox, w, h), (a.w-w)/2, (a.h-h)/2)
}
