// Package ui is the screen: the root model that owns the screens, the console
// and the live strip. The headless commands are in ui/cli.
//
// A key on the Post screen reaches the verb in 12 calls: on the event loop
//
//	ui.App.Update · ui.App.key · post.Screen.Update · post.Screen.post ·
//	steps.Runner.Run · screen.Env.Run
//
// and in the goroutine of the command that they return
//
//	from.func · Run.func · session.Session.Run · core.Session.Exec ·
//	core.Session.Run · post.PostSend
//
// The completion reaches its row in 10 calls: in the goroutine that polls the queue,
// after the poll in queue.Harvest
//
//	core.teller.Completions · timeline.Log.AppendBatch · timeline.Log.add
//
// and in the next frame, which reads the time line
//
//	ui.App.Update · ui.App.refresh · completions.Screen.Refresh ·
//	completions.feed.take · completions.feed.takeAll ·
//	completions.feed.addCompletions · completions.history.add
package ui

import (
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/timeline"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/theme"
	"rdmatui/ui/tour"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

// flashTime is how long a message stays on the bottom line.
const flashTime = 8 * time.Second

// tab is a screen with its name in the bar; one without a screen does not show.
type tab struct {
	name string
	screen.Screen
}

// App is the root model. It routes messages and draws what surrounds a screen; each
// screen draws itself.
type App struct {
	env  *screen.Env
	tabs []tab
	at   screen.ID

	state    screen.State
	strip    *strip
	console  *typedLines
	finder   *finder // nil: closed
	help     overlay
	helpBox  *widget.Box
	helpFull bool // help uses the full width of the screen
	ask      *widget.Dialog
	onYes    func() tea.Cmd // runs when ask is answered with yes

	flash      screen.FlashMsg
	flashUntil time.Time
	answered   bool // the flash reports a line that the screen in front ran
	now        func() time.Time
	getenv     func(string) string // what the theme depends on

	tours guidance

	clock clock
	wait  waiting
	looks looking
	reply answerLine
	click click // the last

	dark, knowsBack bool // the background colour reported by the terminal

	w, h  int
	buf   *line.Buf
	view  string // what View returned last
	dirty bool
}

// NewApp makes the root model for the given screens, in the order of their keys.
func NewApp(env *screen.Env, screens map[screen.ID]screen.Screen) *App {
	a := &App{
		env: env, clock: clock{log: env.Session.Timeline(), ctx: env.Ctx}, now: time.Now,
		getenv: func(string) string { return "" }, buf: line.New(env.Theme),
		strip: newStrip(env.Theme), dirty: true,
	}
	for id := range screen.Count {
		a.tabs = append(a.tabs, tab{screen.Names[id], screens[id]})
	}
	a.at, a.tours = first(env, screens), guidance{app: a, book: tour.NewBook(env.Store)}
	a.console, a.reply.app = newTypedLines(a), a
	a.restoreStrip()
	return a
}

// first returns the screen to start with: Home, unless a device is already open, or a
// capture is to be shown.
func first(env *screen.Env, screens map[screen.ID]screen.Screen) screen.ID {
	if env.Trace != nil {
		return screen.Wire
	}
	if opened := env.Session.Snapshot().Devices; screens[screen.Home] == nil || len(opened) > 0 {
		return screen.Devices
	}
	return screen.Home
}

// Init implements tea.Model.
func (a *App) Init() tea.Cmd {
	work := []tea.Cmd{a.refresh(), a.clock.start(), from(a.at, a.current().Show()), tea.RequestBackgroundColor}
	for i := range a.tabs {
		if s, ok := a.tabs[i].Screen.(screen.Starter); ok {
			work = append(work, from(screen.ID(i), s.Start()))
		}
	}
	return tea.Batch(work...)
}

func (a *App) current() screen.Screen { return a.tabs[a.at].Screen }

// take handles the messages that Update does not.
func (a *App) take(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.w, a.h = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		// All widgets read styles through this one theme.
		a.dark, a.knowsBack = msg.IsDark(), true
		if choice := a.env.Store.Choice("theme"); choice == "" || choice == theme.Auto {
			a.env.Theme.Become(a.env.Theme.WithBackground(msg.IsDark()))
		}
	case tea.PasteMsg:
		a.dirty = true
		return a, a.paste(msg)
	case tea.MouseMsg:
		return a, a.mouse(msg)
	case screen.GotoMsg:
		return a, a.goToItem(msg)
	case screen.EditMsg:
		a.console.OpenOnce(msg.Line)
	case screen.FlashMsg:
		a.say(msg)
	case tour.Start:
		return a, a.tours.start(msg.ID)
	case screen.AskMsg:
		a.question(msg)
	case screen.ExplainMsg:
		a.layExplained(msg.Entries)
	case looked:
		a.looks.busy = false
		return a, nil
	case pasteDone:
		a.console.tellPaste(msg)
	case told:
		a.console.tellOwn(msg)
	default: // a report from the terminal
		if a.tours.take(msg) {
			return a, a.refresh()
		}
		a.dirty = true
		return a, a.update(a.at, msg)
	}
	a.dirty = true
	return a, nil
}

// Beat draws a frame as the frame clock does: it reads the session and returns the
// work that the screen in front asks for. Tests that drive the model without a
// tea.Program call it directly.
func (a *App) Beat() tea.Cmd { return a.refresh() }

// refresh reads the session: at frame rate, and after each command.
func (a *App) refresh() tea.Cmd {
	shown := a.state.Session.Version
	a.state.Session = a.env.Session.Snapshot()
	a.state.Counts = a.env.Session.Timeline().Counts()
	changed := a.state.Session.Version != shown // the title shows devices, objects and faults
	changed = a.strip.refresh(a.env.Session.Timeline(), &a.state) || changed
	for i := range a.tabs {
		if k, ok := a.tabs[i].Screen.(screen.Keeper); ok && screen.ID(i) != a.at {
			k.Keep()
		}
	}
	differs, work := a.current().Refresh(&a.state)
	changed = differs || changed
	changed = a.console.Refresh() || changed
	changed = a.lookAtWait() || changed
	changed = a.reply.refresh() || changed
	moved, more := a.tours.refresh()
	changed = moved || changed
	if a.flash.Text != "" && a.now().After(a.flashUntil) {
		a.flash, changed = screen.FlashMsg{}, true
	}
	a.dirty, a.clock.moved = a.dirty || changed, changed
	return tea.Batch(from(a.at, work), more, lookAtSends(a))
}

// say shows a message on the bottom line for a while, or in the open console.
func (a *App) say(msg screen.FlashMsg) {
	if a.console.IsOpen() { // it covers the bottom line
		tell := a.console.Tell
		if msg.Level == timeline.LevelError {
			tell = a.console.Warn
		}
		tell("", msg.Text)
	}
	a.flashUp(msg)
}

func (a *App) flashUp(msg screen.FlashMsg) {
	a.flash, a.flashUntil, a.dirty, a.answered = msg, a.now().Add(flashTime), true, false
}

// warn reports files that could not be read, in the journal and on the bottom line.
func (a *App) warn(problems []error) {
	if len(problems) == 0 {
		return
	}
	text := oneLine(errors.Join(problems...).Error())
	a.env.Session.Timeline().
		Append(timeline.Event{Kind: timeline.KindNote, Note: &timeline.Note{Level: timeline.LevelWarn, Text: text}})
	a.say(screen.FlashMsg{Level: timeline.LevelWarn, Text: text})
}

// show brings a screen to the front.
func (a *App) show(to screen.ID) tea.Cmd {
	if to < 0 || to >= screen.Count || a.tabs[to].Screen == nil {
		return nil
	}
	a.answered = a.answered && to == a.at
	a.at, a.dirty = to, true
	return tea.Batch(from(to, a.current().Show()), a.refresh())
}

// goToItem brings a screen to the front and shows the item that the message names.
func (a *App) goToItem(msg screen.GotoMsg) tea.Cmd {
	cmd := a.show(msg.To)
	if p, ok := a.current().(screen.Picker); ok && a.at == msg.To && msg.Item != "" {
		return tea.Batch(cmd, from(msg.To, p.Pick(msg.Item)))
	}
	return cmd
}

// step goes to the next screen that is built.
func (a *App) step(by int) tea.Cmd {
	n := screen.ID(len(a.tabs))
	for to := (a.at + screen.ID(by) + n) % n; ; to = (to + screen.ID(by) + n) % n {
		if a.tabs[to].Screen != nil {
			return a.show(to)
		}
	}
}

// paste sends a paste to whatever has the keyboard; a question takes none.
func (a *App) paste(msg tea.PasteMsg) tea.Cmd {
	switch {
	case a.ask != nil:
		return nil
	case a.finder != nil:
		return a.finder.update(msg)
	case a.help != nil:
		a.help.Update(msg)
		return nil
	case a.console.IsOpen():
		return a.console.paste(msg.Content)
	case a.reply.open:
		a.reply.paste(msg.Content)
		return nil
	}
	return a.update(a.at, msg)
}

func (a *App) mouse(msg tea.MouseMsg) tea.Cmd {
	m, ok := widget.MouseOf(msg)
	if !ok || a.ask != nil {
		return nil
	}
	a.dirty = true
	if from, ok := hintsFrom(a); ok && m.Kind == widget.Click && m.Y == a.h-1 {
		return a.clickHint(m.X, from)
	}
	if a.finder != nil {
		if a.finder.mouse(m) && isDouble(a, m) {
			return a.finder.update(keymap.Press("enter"))
		}
		return nil
	}
	if a.help != nil {
		if o, ok := a.help.(*objectMap); ok {
			return o.point(a, m)
		}
		a.help.Mouse(m)
		return nil
	}
	if m.Kind == widget.Click {
		if cmd, on := a.tours.click(m.X, m.Y); on {
			return cmd
		}
	}
	if top := a.h - a.console.Height(a.h-headRows); a.console.IsOpen() && m.Y >= top {
		a.console.Mouse(m.In(0, top))
		return nil
	}
	if m.Y == tabRow && m.Kind == widget.Click {
		if to, hit := a.tabAt(m.X); hit {
			return a.show(to)
		}
		return nil
	}
	if a.current().Mouse(m.In(0, headRows)) {
		// A click may stand for a key, and only Update can return the work of a key.
		cmd := a.update(a.at, msg)
		if isDouble(a, m) {
			return tea.Batch(cmd, doubleClick(a))
		}
		return cmd
	}
	return nil
}

// clickHint presses the key whose hint is at a column of the bottom line; the hints begin at another.
func (a *App) clickHint(x, from int) tea.Cmd {
	name, ok := widget.HintAt(a.context(), a.tours.key(), a.w-1-from, x-from)
	if !ok {
		return nil
	}
	return a.key(keymap.Press(name))
}

// context returns the keys that can be pressed now.
func (a *App) context() keymap.Context {
	switch {
	case a.ask != nil:
		return keymap.DialogOpen
	case a.help != nil && a.help.Typing():
		return keymap.FilterOpen
	case a.help != nil:
		switch o := a.help.(type) {
		case *widget.HelpPage:
			return keymap.HelpOpen
		case keyed:
			return o.context()
		}
		return keymap.TextOpen
	case a.finder != nil:
		return keymap.PaletteOpen
	case a.console.IsOpen():
		return keymap.ConsoleOpen
	case a.reply.open:
		return keymap.AnswerOpen
	}
	return a.current().Context()
}

// openHelp shows the keys of the current screen over it.
func (a *App) openHelp() {
	a.lay("keys of "+a.tabs[a.at].name, widget.NewHelpPage(a.env.Theme, a.current().Context()))
	a.helpFull = true
}

// overlay covers a screen: the help, or a text.
type overlay interface {
	widget.Block
	widget.Mouser
	Update(tea.Msg) bool
	Len() int
	Typing() bool // typing a search, which takes every key
}

// keyed is an overlay with keys of its own.
type keyed interface {
	overlay
	key(*App, tea.KeyPressMsg) tea.Cmd
	context() keymap.Context
}

// lay shows a text over the screen until a key closes it.
func (a *App) lay(title string, text overlay) {
	a.help, a.helpFull, a.dirty = text, false, true
	a.helpBox = widget.NewBox(a.env.Theme, title, text)
	a.helpBox.Focused = true
}
