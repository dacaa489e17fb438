package ui

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"rdmatui/assets"
	"rdmatui/assets/explain"
	"rdmatui/session/command"
	"rdmatui/session/lab"
	"rdmatui/session/scenario"
	"rdmatui/session/timeline"
	"rdmatui/ui/explained"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget"
)

// finder is the open palette of everything that can be done.
type finder struct {
	*widget.Palette
	app  *App
	box  *widget.Box
	todo []func() tea.Cmd // the action of each item

	preview func(item int) // shows what an item would do; nil for no preview
	cancel  func()         // undoes the preview
}

// find is an item with its action.
type find struct {
	widget.PaletteItem
	do func() tea.Cmd
}

func (a *App) openFinder() {
	f := &finder{app: a}
	var items []widget.PaletteItem
	for _, it := range f.all() {
		items, f.todo = append(items, it.PaletteItem), append(f.todo, it.do)
	}
	f.Palette = widget.NewPalette(a.env.Theme, "thing to do, command or screen; ?NAME explains", items)
	f.box = widget.NewBox(a.env.Theme, "find anything", f.Palette)
	f.box.Focused = true
	a.finder = f
}

// all lists what can be found, in the order in which it is shown before anything is typed.
func (f *finder) all() []find {
	return slices.Concat(f.actions(), f.keys(), f.screens(), f.recent(), f.commands(), f.scenarios(), f.settings(),
		f.pages(), f.explanations())
}

// update takes a key or a paste.
func (f *finder) update(msg tea.Msg) tea.Cmd {
	ev := f.Update(msg)
	switch {
	case ev == widget.PaletteUnchanged && f.preview != nil && f.Chosen() >= 0:
		f.preview(f.Chosen())
		return nil
	case ev == widget.PaletteUnchanged:
		return nil
	case ev == widget.PaletteClosed && f.cancel != nil:
		f.cancel()
	}
	f.app.finder = nil
	if ev == widget.PaletteAccept {
		return f.todo[f.Chosen()]()
	}
	return nil
}

// over draws the palette over a rendered screen.
func (f *finder) over(base string, w, h int) string {
	bw, bh, left, top := f.place(w, h)
	return widget.Overlay(base, widget.Render(f.app.env.Theme, f.box, bw, bh), left, top)
}

func (f *finder) place(w, h int) (bw, bh, left, top int) {
	if f.preview != nil { // in a corner, so that the screen stays visible
		bw, bh = min(w-4, 76), min(h-4, len(f.todo)+4+widget.PaletteAboutRows)
		return bw, bh, w - bw - 1, h - bh - 2
	}
	bw, bh = min(w-4, 110), min(h-4, 30)
	return bw, bh, (w - bw) / 2, (h - bh) / 3
}

// mouse passes on mouse events inside the box, and reports whether it was one.
func (f *finder) mouse(m widget.Mouse) bool {
	bw, bh, left, top := f.place(f.app.w, f.app.h)
	in := m.In(left, top)
	return in.X >= 0 && in.X < bw && in.Y >= 0 && in.Y < bh && f.box.Mouse(in)
}

// openThemes previews the themes on the current screen: enter keeps one, esc restores
// the previous one.
func (a *App) openThemes() {
	was := a.env.Theme.Copy()
	f := &finder{app: a, cancel: func() { a.env.Theme.Become(was) }}
	names := append([]string{theme.Auto}, theme.Names...)
	var items []widget.PaletteItem
	for _, name := range names {
		items = append(items, widget.PaletteItem{Kind: "theme", Text: name, Note: theme.About[name]})
		f.todo = append(f.todo, func() tea.Cmd {
			if err := a.choose("theme", name); err != nil {
				a.say(screen.FlashMsg{Level: timeline.LevelWarn, Text: err.Error()})
			}
			return a.env.Save()
		})
	}
	f.preview = func(item int) {
		a.env.Theme.Become(theme.Chosen(a.getenv, names[item], a.env.Store.Choice("glyphs")))
	}
	f.Palette = widget.NewPalette(a.env.Theme, "theme", items)
	f.box = widget.NewBox(a.env.Theme, "theme: enter keeps it, esc goes back", f.Palette)
	f.box.Focused = true
	a.finder = f
}

// keys lists the keys that can be pressed on the current screen.
func (f *finder) keys() (all []find) {
	a := f.app
	for _, g := range a.current().Context().Groups {
		if g.Name == "Lists" || g.Name == "Panes" { // movement keys are not offered
			continue
		}
		for _, b := range g.Keys {
			if names := b.Keys(); b.Enabled() && len(names) > 0 &&
				!key.Matches(keymap.Press(names[0]), keymap.Global.Screen, keymap.Global.Palette) {
				all = append(all, find{widget.PaletteItem{Kind: "key", Text: b.Help().Desc, Note: a.tabs[a.at].name,
					Key: b.Help().Key}, func() tea.Cmd {
					a.console.Close()
					return a.key(keymap.Press(names[0]))
				}})
			}
		}
	}
	return all
}

func (f *finder) screens() (all []find) {
	for i := range f.app.tabs {
		if t := &f.app.tabs[i]; t.Screen != nil {
			all = append(all, find{widget.PaletteItem{Kind: "screen", Text: t.name, Key: string(rune('0' + i))},
				func() tea.Cmd { return f.app.show(screen.ID(i)) }})
		}
	}
	return all
}

// recentLines is how many lines of the history are offered.
const recentLines = 30

func (f *finder) recent() (all []find) {
	seen := map[string]bool{}
	for _, l := range slices.Backward(f.app.console.History()) {
		if len(all) == recentLines {
			break
		}
		if !seen[l] {
			all = append(all, find{widget.PaletteItem{Kind: "recent", Text: l}, func() tea.Cmd { return f.run(l) }})
		}
		seen[l] = true
	}
	return all
}

// run runs a line as if it had been typed; a line with a mistake stays in the
// console.
func (f *finder) run(l string) tea.Cmd {
	f.app.console.OpenOnce(l)
	return f.app.console.accept(l)
}

// commands lists the commands: one without arguments runs, any other opens in the console.
func (f *finder) commands() (all []find) {
	begin := func(name string, args bool) func() tea.Cmd {
		return func() tea.Cmd {
			if !args {
				return f.run(name)
			}
			f.app.console.Open(name + " ")
			return nil
		}
	}
	for i := range command.Commands {
		s := command.Commands[i]
		form := strings.TrimPrefix(s.Synopsis(), s.Name+" ")
		if len(s.Args) == 0 {
			form = ""
		}
		all = append(all, find{widget.PaletteItem{Kind: "command", Text: s.Name,
			Note: strings.TrimSpace(s.Summary + "  " + form)}, begin(s.Name, len(s.Args) > 0)})
	}
	for _, o := range owns() {
		if !strings.HasPrefix(o.doc, "show the screen") {
			all = append(all,
				find{widget.PaletteItem{Kind: "command", Text: o.names[0], Note: o.doc},
					begin(o.names[0], o.arg != "")})
		}
	}
	return all
}

func (f *finder) scenarios() (all []find) {
	add := func(kind, name, note string) {
		all = append(all, find{widget.PaletteItem{Kind: kind, Text: name, Note: note}, func() tea.Cmd {
			f.app.console.Close()
			return screen.Send(screen.GotoMsg{To: screen.Scenarios, Item: name})
		}})
	}
	for i := range scenario.All {
		add("scenario", scenario.All[i].Name, scenario.All[i].Summary)
	}
	for _, name := range lab.Names() {
		if e, err := lab.Find(name); err == nil {
			add("experiment", name, e.Title)
		}
	}
	return all
}

// settings lists the values of each setting, themes included; one whose values are not
// listed opens in the console.
func (f *finder) settings() (all []find) {
	a := f.app
	if a.env.Store == nil {
		return nil
	}
	all = append(all, find{widget.PaletteItem{Kind: "setting", Text: "settings",
		Note: "show all with their values; :set changes one"}, func() tea.Cmd {
		a.console.Open("")
		return a.console.accept("set")
	}})
	all = append(all, find{widget.PaletteItem{Kind: "setting", Text: "themes", Note: "try the colours on this screen"},
		func() tea.Cmd { a.openThemes(); return nil }})
	for _, s := range a.env.Store.Settings {
		if len(s.Values) == 0 {
			now := a.env.Store.Choice(s.Key)
			all = append(all,
				find{widget.PaletteItem{Kind: "setting", Text: s.Key + " " + now, Note: "now: " + s.Doc},
					func() tea.Cmd {
						a.console.Open("set " + s.Key + "=" + now)
						return nil
					}})
		}
		for _, v := range s.Values {
			it := widget.PaletteItem{Kind: "setting", Text: s.Key + " " + v, Note: s.Doc}
			if a.env.Store.Choice(s.Key) == v {
				it.Note = "now: " + it.Note
			}
			all = append(all, find{it, func() tea.Cmd {
				if err := a.choose(s.Key, v); err != nil {
					a.say(screen.FlashMsg{Level: timeline.LevelWarn, Text: err.Error()})
				}
				return a.env.Save()
			}})
		}
	}
	return all
}

// pages lists the pages of the manual.
func (f *finder) pages() (all []find) {
	for _, name := range assets.PageNames() {
		page, _ := assets.Page(name)
		all = append(all, find{widget.PaletteItem{Kind: "manual", Text: name, Note: assets.PageTitle(page)},
			func() tea.Cmd {
				layPage(f.app, name)
				return nil
			}})
	}
	return all
}

// explanations lists all names that have an explanation.
func (f *finder) explanations() (all []find) {
	for _, family := range explain.Families() {
		for i := range family.Entries {
			e := family.Entries[i]
			all = append(all, find{widget.PaletteItem{Kind: "explain", Text: e.Ask(), Note: e.Short, Answer: true},
				func() tea.Cmd {
					f.app.layExplained([]explain.Entry{explained.Asked(e)})
					return nil
				}})
		}
	}
	return all
}
