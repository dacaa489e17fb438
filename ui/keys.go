package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/widget"
)

// key passes a key to whatever has the keyboard: a question, the help, the command
// line, the answer to a command that asks, an edited field, a wait that is shown, the
// program, and last the screen.
func (a *App) key(k tea.KeyPressMsg) tea.Cmd {
	if !a.console.IsOpen() { // an open console covers it
		a.flash = screen.FlashMsg{} // read by now; the key hints reappear
	}
	switch {
	case keymap.Matches(k, keymap.Global.Interrupt):
		return interrupt(a)
	case a.tours.panel != nil && keymap.Matches(k, keymap.Tour.Leave):
		a.tours.leave()
		return nil
	case keymap.Matches(k, keymap.Global.Suspend):
		return tea.Suspend
	case a.ask != nil:
		return a.answer(k)
	case a.finder != nil:
		return a.finder.update(k)
	case keymap.Matches(k, keymap.Global.Palette):
		a.help, a.helpBox = nil, nil
		a.openFinder()
		return nil
	case a.help != nil:
		return keyInHelp(a, k)
	case a.console.IsOpen():
		return a.console.key(k)
	case a.reply.open && keymap.Matches(k, keymap.Answer.Next):
		return a.step(1)
	case a.reply.open && keymap.Matches(k, keymap.Answer.Prev):
		return a.step(-1)
	case a.reply.open && a.reply.key(k):
		return nil
	case a.current().Typing() && !a.left(k):
		return a.update(a.at, k)
	case a.wait.shown && keymap.Matches(k, keymap.Waiting.Stop):
		a.stopWait()
		return nil
	}
	if cmd, taken := a.globalKey(k); taken {
		return cmd
	}
	tellCapsLock(a, k)
	return from(a.at, a.current().Update(k))
}

// tellCapsLock says why an upper-case letter does nothing, if it has no meaning and its lower case has one.
func tellCapsLock(a *App, k tea.KeyPressMsg) {
	if lower := a.context().OnlyLower(k.String()); lower != "" {
		a.say(screen.FlashMsg{Text: fmt.Sprintf("no key %s here, only %s. Is Caps Lock on?", k, lower)})
	}
}

// interrupt stops the command that waits, or else leaves the innermost thing that has the keyboard. Where there is
// neither, it quits, as Quit does.
func interrupt(a *App) tea.Cmd {
	_, waits := a.env.Session.Waiting()
	stop, runs := a.current().Context().Stop()
	switch {
	case a.ask != nil:
		a.ask = nil
	case a.finder != nil:
		return a.finder.update(keymap.Press(keymap.Palette.Close.Keys()[0]))
	case a.help != nil:
		a.help, a.helpBox = nil, nil
	case waits:
		a.stopWait()
	case a.console.IsOpen() && a.console.Value() != "":
		a.console.SetValue("")
	case a.console.IsOpen():
		a.console.Close()
	case a.reply.open:
		a.reply.end()
	case a.current().Typing():
		return a.update(a.at, keymap.Press(keymap.Entry.Cancel.Keys()[0]))
	case runs:
		return from(a.at, a.current().Update(keymap.Press(stop.Keys()[0])))
	default:
		return a.quit()
	}
	return nil
}

// left reports whether a key has closed a choice that the screen offered, and now acts.
func (a *App) left(k tea.KeyPressMsg) bool {
	s, ok := a.current().(screen.Leaver)
	return ok && s.Leave(k)
}

// globalKey handles the keys that work on every screen.
func (a *App) globalKey(k tea.KeyPressMsg) (cmd tea.Cmd, taken bool) {
	g := &keymap.Global
	if i, ok := keymap.ScreenIndex(k); ok {
		return a.goTo(screen.ID(i)), true
	}
	switch {
	case keymap.Matches(k, g.Console):
		a.console.Open("")
	case keymap.Matches(k, g.NextQP):
		return turnQP(a, 1), true
	case keymap.Matches(k, g.PrevQP):
		return turnQP(a, -1), true
	case keymap.Matches(k, g.Map):
		layObjects(a)
	case keymap.Matches(k, g.Strip):
		return a.nextStrip(), true
	case keymap.Matches(k, g.Help):
		a.openHelp()
	case keymap.Matches(k, g.Quit):
		return a.quit(), true
	default:
		return nil, false
	}
	return nil, true
}

// turnQP puts another queue pair in hand.
func turnQP(a *App, by int) tea.Cmd {
	if len(a.state.Session.QPs) < 2 {
		a.say(screen.FlashMsg{Text: "no other queue pair"})
		return nil
	}
	a.env.Hand.Turn(&a.state.Session, by)
	a.dirty = true
	return a.refresh()
}

func (a *App) goTo(to screen.ID) tea.Cmd {
	if a.tabs[to].Screen == nil {
		a.say(screen.FlashMsg{Text: a.tabs[to].name + " has nothing to show of a capture: start rdmatui without one"})
		return nil
	}
	return a.show(to)
}

// Answers to a question: enter takes the first, which destroys nothing.
const (
	no  = "no"
	yes = "yes"
)

// quit leaves, after a question if objects would be destroyed.
func (a *App) quit() tea.Cmd {
	n := a.state.Session.Alive()
	if n == 0 {
		return tea.Quit
	}
	text := fmt.Sprintf("%d objects exist. Quitting destroys them.", n)
	if n == 1 {
		text = "One object exists. Quitting destroys it."
	}
	a.question(screen.AskMsg{Title: "quit?", Text: text, Yes: func() tea.Cmd { return tea.Quit }})
	return nil
}

// question shows a question over the screen; yes runs its action.
func (a *App) question(msg screen.AskMsg) {
	a.ask, a.onYes = widget.NewDialog(a.env.Theme, a.now, msg.Title, msg.Text, no, yes), msg.Yes
}

func (a *App) answer(k tea.KeyPressMsg) tea.Cmd {
	switch r := a.ask.Update(k); {
	case r == widget.DialogPending:
		tellCapsLock(a, k)
		return nil
	case r >= 0 && a.ask.Answers[r] == yes:
		a.ask = nil
		return a.onYes()
	}
	a.ask = nil
	return nil
}

// keyInHelp passes a key to what lies over the screen.
func keyInHelp(a *App, k tea.KeyPressMsg) tea.Cmd {
	if o, ok := a.help.(keyed); ok {
		return o.key(a, k)
	}
	if keymap.Matches(k, keymap.Overlay.Close) && !a.help.Typing() {
		a.help, a.helpBox = nil, nil
		return nil
	}
	if keymap.Matches(k, keymap.Keys.Manual) && a.context().Name == keymap.HelpOpen.Name {
		layPage(a, pageOf(screen.Names[a.at]))
		return nil
	}
	a.help.Update(k)
	return nil
}
