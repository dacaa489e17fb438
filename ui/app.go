// Package ui is the screen: the root model that owns the screens, the palette
// and the live strip. The headless commands are in ui/cli.
package ui

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/command"
	"rdmatui/session/timeline"
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/dialog"
	"rdmatui/ui/widget/frame"
	"rdmatui/ui/widget/help"
	"rdmatui/ui/widget/input"
	"rdmatui/ui/widget/line"
	"rdmatui/ui/widget/pager"
	"rdmatui/ui/widget/palette"
)

// frameTime is how often the screen looks at the session. Nothing that happens
// there is a message: a flooded CQ costs as much as a quiet one.
const frameTime = 33 * time.Millisecond

// flashTime is how long a line of news stays at the bottom.
const flashTime = 8 * time.Second

// tab is a screen with its name in the bar; a nil screen is still to be built.
type tab struct {
	name string
	screen.Screen
}

// App is the root model. It passes messages on and draws what surrounds a
// screen; what a screen shows is the screen's own business.
type App struct {
	env  *screen.Env
	tabs []tab
	at   screen.ID

	state   screen.State
	strip   *strip
	palette *palette.Palette
	help    overlay
	helpBox *frame.Box
	ask     *dialog.Dialog

	flash      screen.FlashMsg
	flashUntil time.Time
	typed      <-chan struct{} // closed when the line that was typed last has ended; nil where none was
	now        func() time.Time

	wait  waiting
	reply answerLine

	w, h  int
	buf   *line.Buf
	view  string // what View returned last
	dirty bool
}

// tick is the beat on which the session is looked at.
type tick struct{}

func nextTick() tea.Cmd { return tea.Tick(frameTime, func(time.Time) tea.Msg { return tick{} }) }

// NewApp makes the root of the given screens, in the order of their keys.
func NewApp(env *screen.Env, screens map[screen.ID]screen.Screen) *App {
	a := &App{env: env, now: time.Now, buf: line.New(env.Theme), strip: newStrip(env.Theme), dirty: true}
	for id := range screen.Count {
		a.tabs = append(a.tabs, tab{screen.Names[id], screens[id]})
	}
	a.palette = palette.New(env.Theme, func(text string, cursor int) []input.Candidate {
		return append(candidates(text, env.Session.Complete(text, cursor)), explainCandidates(text, cursor)...)
	})
	return a
}

// candidates turns the session's suggestions into the palette's.
func candidates(_ string, from []command.Candidate) []input.Candidate {
	out := make([]input.Candidate, len(from))
	for i, c := range from {
		out[i] = input.Candidate{Text: c.Text, Help: c.Doc, From: c.From, To: c.To}
	}
	return out
}

// Init implements tea.Model.
func (a *App) Init() tea.Cmd {
	return tea.Batch(a.refresh(), nextTick(), from(a.at, a.current().Show()), tea.RequestBackgroundColor)
}

func (a *App) current() screen.Screen { return a.tabs[a.at].Screen }

// Update implements tea.Model.
func (a *App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tick:
		return a, tea.Batch(a.refresh(), nextTick())
	case tea.WindowSizeMsg:
		a.w, a.h = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		// Styles are read through the one theme that everything points to.
		*a.env.Theme = *a.env.Theme.WithBackground(msg.IsDark())
	case tea.KeyPressMsg:
		a.dirty = true
		return a, a.key(msg)
	case tea.PasteMsg:
		a.dirty = true
		return a, a.paste(msg)
	case tea.MouseMsg:
		return a, a.mouse(msg)
	case screen.GotoMsg:
		return a, a.show(msg.To)
	case screen.EditMsg:
		a.palette.Open(msg.Line)
	case screen.FlashMsg:
		a.say(msg)
	case screen.ExplainMsg:
		a.layExplained(msg.Entries)
	case mail:
		return a, a.deliver(msg)
	default: // the terminal says something
		a.dirty = true
		return a, a.update(a.at, msg)
	}
	a.dirty = true
	return a, nil
}

// Beat does what the frame clock does: it looks at the session, and returns the
// work that the screen in front asks for. Tests that drive the model without a
// tea.Program call it directly.
func (a *App) Beat() tea.Cmd { return a.refresh() }

// refresh looks at the session: at frame rate, and after each command.
func (a *App) refresh() tea.Cmd {
	a.state.Session = a.env.Session.Snapshot()
	a.state.Counts = a.env.Session.Timeline().Counts()
	changed := a.strip.refresh(a.env.Session.Timeline(), &a.state)
	differs, work := a.current().Refresh(&a.state)
	changed = differs || changed
	changed = a.lookAtWait() || changed
	changed = a.lookAtQuestion() || changed
	if a.flash.Text != "" && a.now().After(a.flashUntil) {
		a.flash, changed = screen.FlashMsg{}, true
	}
	a.dirty = a.dirty || changed
	return from(a.at, work)
}

func (a *App) say(msg screen.FlashMsg) {
	a.flash, a.flashUntil, a.dirty = msg, a.now().Add(flashTime), true
}

// inTurn is how long a typed line waits for the one before it to end: that one takes
// longer where it waits for something, and the session then says so.
const inTurn = 300 * time.Millisecond

// execTyped carries out a line after those that were typed before it. Each runs in a
// goroutine of its own, and of two that begin at once the later may come first, as
// when lines are pasted. Its result is for the screen over which it was typed.
func (a *App) execTyped(text string) tea.Cmd {
	exec, before, ended := a.env.Exec(text), a.typed, make(chan struct{})
	a.typed = ended
	return from(a.at, func() tea.Msg {
		defer close(ended)
		if before != nil {
			late := time.NewTimer(inTurn)
			defer late.Stop()
			select {
			case <-before:
			case <-late.C:
			case <-a.env.Ctx.Done():
			}
		}
		done := exec().(screen.DoneMsg)
		done.Typed = true
		return done
	})
}

// done tells the result of a line that was typed, and a failure whatever screen
// is in front: of another one with its name.
func (a *App) done(of screen.ID, msg screen.DoneMsg) tea.Cmd {
	if msg.Typed {
		a.tellResult(msg.Done)
	}
	if msg.Err != nil {
		text := oneLine(cmp.Or(msg.Done.Err, msg.Err.Error())) // the first is in words for people
		if of != a.at && !msg.Typed {
			text = a.tabs[of].name + ": " + text
		}
		if msg.Done.Hint != "" && !strings.Contains(text, msg.Done.Hint) {
			text += " — " + msg.Done.Hint
		}
		a.say(screen.FlashMsg{Level: timeline.LevelError, Text: text})
	}
	return a.refresh()
}

func (a *App) tellResult(done timeline.CommandDone) {
	if strings.Contains(done.Result, "\n") {
		text := pager.New(a.env.Theme)
		text.SetText(done.Result, a.env.Theme.Value)
		a.lay(done.Line, text)
		return
	}
	a.say(screen.FlashMsg{Text: oneLine(done.Line, done.Result)})
}

func oneLine(parts ...string) string {
	var kept []string
	for _, p := range parts {
		if p != "" {
			kept = append(kept, strings.ReplaceAll(p, "\n", " "))
		}
	}
	return strings.Join(kept, " → ")
}

// show brings a screen to the front.
func (a *App) show(to screen.ID) tea.Cmd {
	if to < 0 || to >= screen.Count || a.tabs[to].Screen == nil {
		return nil
	}
	a.at, a.dirty = to, true
	return tea.Batch(from(to, a.current().Show()), a.refresh())
}

// step goes to the next screen that there is.
func (a *App) step(by int) tea.Cmd {
	n := screen.ID(len(a.tabs))
	for to := (a.at + screen.ID(by) + n) % n; ; to = (to + screen.ID(by) + n) % n {
		if a.tabs[to].Screen != nil {
			return a.show(to)
		}
	}
}

func (a *App) paste(msg tea.PasteMsg) tea.Cmd {
	if a.answering() {
		a.pasteAnswer(msg.Content)
		return nil
	}
	if a.palette.IsOpen() && a.pasteLog(msg.Content) {
		return nil
	}
	if a.palette.IsOpen() && len(msg.Content) > input.MaxBytes { // cut it would be another line
		a.palette.SetError(fmt.Sprintf("the paste has %d bytes, the command line takes %d: put them into a file", len(msg.Content), input.MaxBytes))
		return nil
	}
	if a.palette.IsOpen() {
		a.palette.Update(msg)
		return nil
	}
	return a.update(a.at, msg)
}

func (a *App) mouse(msg tea.MouseMsg) tea.Cmd {
	m, ok := widget.MouseOf(msg)
	if !ok || a.ask != nil || a.help != nil {
		return nil
	}
	a.dirty = true
	if m.Y == tabRow && m.Kind == widget.Click {
		if to, hit := a.tabAt(m.X); hit {
			return a.show(to)
		}
		return nil
	}
	if a.current().Mouse(m.In(0, headRows)) {
		// A click may stand for a key, which only Update can answer with work.
		return a.update(a.at, msg)
	}
	return nil
}

// context is what can be pressed now.
func (a *App) context() keymap.Context {
	switch {
	case a.ask != nil:
		return keymap.DialogOpen
	case a.help != nil:
		return keymap.HelpOpen
	case a.palette.IsOpen():
		return keymap.PaletteOpen
	case a.reply.open:
		return keymap.AnswerOpen
	}
	return a.current().Context()
}

// openHelp lays the keys of the screen at hand over it.
func (a *App) openHelp() {
	a.lay("keys of "+a.tabs[a.at].name, help.New(a.env.Theme, a.current().Context()))
}

// overlay is what lies over a screen: the help, or a text.
type overlay interface {
	widget.Block
	widget.Mouser
	Update(tea.Msg) bool
	Len() int
}

// lay puts a text over the screen until a key closes it.
func (a *App) lay(title string, text overlay) {
	a.help, a.dirty = text, true
	a.helpBox = frame.New(a.env.Theme, title, text)
	a.helpBox.Focused = true
}
