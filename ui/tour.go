package ui

import (
	tea "charm.land/bubbletea/v2"

	"rdmatui/assets/explain"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/tour"
)

// guidance is the tour that is on, and the places of all.
type guidance struct {
	app   *App
	panel *tour.Panel // nil: none is on
	top   int         // its first row, and how many it has in the last frame
	rows  int
	book  *tour.Book
}

// start begins a tour or goes on with it, on the screen of what is next.
func (g *guidance) start(id string) tea.Cmd {
	a, t := g.app, tour.Named(id)
	if t == nil {
		return nil
	}
	g.leave()
	guide := tour.New(t, a.env.Session, g.book.Place(id).Step)
	g.panel = tour.NewPanel(a.env.Theme, guide)
	cmd := a.refresh()
	if to := guide.Begins(); to != a.at {
		return tea.Batch(cmd, a.show(to))
	}
	return cmd
}

// leave ends the tour that is on; its place is kept.
func (g *guidance) leave() {
	if g.panel != nil {
		g.panel.Guide.Close()
		g.panel, g.app.dirty = nil, true
	}
}

// refresh tells the tour what is on the screen, and asks what has been done.
func (g *guidance) refresh() (changed bool, work tea.Cmd) {
	if g.panel == nil {
		return false, nil
	}
	a, guide := g.app, g.panel.Guide
	changed, work = guide.Refresh(tour.World{
		Session: a.state.Session, At: a.at, Hand: a.env.Hand.In(&a.state.Session), Busy: g.busy(), Stops: a.wait.shown,
		Field: g.field,
	})
	if g.book.Put(guide.ID, guide.Place()) {
		work = tea.Batch(work, a.env.Save())
	}
	return changed, work
}

// busy is what has the keyboard instead of the screen, or what the screen runs.
func (g *guidance) busy() tour.Busy {
	switch a := g.app; {
	case a.help != nil || a.ask != nil || a.finder != nil:
		return tour.Over
	case a.console.IsOpen() || a.current().Typing():
		return tour.Typing
	case g.field("running") != "":
		return tour.Running
	}
	return tour.Free
}

// field is a field of the form on the screen in front, "" where there is none.
func (g *guidance) field(name string) string {
	if f, ok := g.app.current().(screen.Fielder); ok {
		return f.Field(name)
	}
	return ""
}

// height is how many rows the tour takes, 0 where it would leave none.
func (g *guidance) height() int {
	if g.panel == nil || g.app.h < 16 {
		return 0
	}
	return g.panel.Height(g.app.w)
}

// key is what the hints call the key that the tour wants next, "" for none.
func (g *guidance) key() string {
	if g.panel == nil {
		return ""
	}
	return g.panel.Guide.Key()
}

// click presses the key that the panel tells at a cell of the screen; on is false
// where there is no panel.
func (g *guidance) click(x, y int) (cmd tea.Cmd, on bool) {
	if on = g.panel != nil && y >= g.top && y < g.top+g.rows; !on {
		return nil, false
	}
	if name, ok := g.panel.At(x, y-g.top); ok {
		cmd = g.app.key(keymap.Press(name))
	}
	return cmd, true
}

// tell tells the tour of what is explained.
func (g *guidance) tell(entries []explain.Entry) {
	if g.panel == nil {
		return
	}
	for i := range entries {
		g.panel.Guide.Explained(entries[i].Name)
	}
}

// take takes what the tour's work brought; ok is false for other messages.
func (g *guidance) take(msg tea.Msg) (ok bool) {
	if ok = g.panel != nil && tour.Told(msg); ok {
		g.panel.Guide.Take(msg)
	}
	return ok
}
