package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
	"rdmatui/ui/widget/dialog"
	"rdmatui/ui/widget/help"
	"rdmatui/ui/widget/palette"
)

// key gives a key to who has the keyboard: a question, the help, the command
// line, the answer to a command that asks, a field that is being edited, a wait
// that is shown, the program, and last the screen.
func (a *App) key(k tea.KeyPressMsg) tea.Cmd {
	a.flash = screen.FlashMsg{} // read by now; the keys of the screen come back
	switch {
	case keymap.Matches(k, keymap.Global.Interrupt):
		return tea.Quit
	case a.ask != nil:
		return a.answer(k)
	case a.help != nil:
		a.keyInHelp(k)
		return nil
	case a.palette.IsOpen():
		return a.keyInPalette(k)
	case a.reply.open && a.keyInAnswer(k):
		return nil
	case a.current().Typing():
		return a.update(a.at, k)
	case a.wait.shown && keymap.Matches(k, keymap.Waiting.Stop):
		a.stopWait()
		return nil
	}
	if cmd, taken := a.globalKey(k); taken {
		return cmd
	}
	return a.update(a.at, k)
}

// globalKey is what works on every screen.
func (a *App) globalKey(k tea.KeyPressMsg) (cmd tea.Cmd, taken bool) {
	g := &keymap.Global
	if i, ok := keymap.ScreenIndex(k); ok {
		return a.goTo(screen.ID(i)), true
	}
	switch {
	case keymap.Matches(k, g.Next):
		return a.step(1), true
	case keymap.Matches(k, g.Prev):
		return a.step(-1), true
	case keymap.Matches(k, g.Console):
		a.palette.Open("")
	case keymap.Matches(k, g.Help):
		a.openHelp()
	case keymap.Matches(k, g.Quit):
		return a.quit(), true
	default:
		return nil, false
	}
	return nil, true
}

func (a *App) goTo(to screen.ID) tea.Cmd {
	if a.tabs[to].Screen == nil {
		a.say(screen.FlashMsg{Text: fmt.Sprintf("the %s screen is not built yet", a.tabs[to].name)})
		return nil
	}
	return a.show(to)
}

// The answers to whether to leave: enter takes the first, which destroys nothing.
const (
	stay  = "no"
	leave = "yes"
)

// quit leaves, after a question if that destroys something.
func (a *App) quit() tea.Cmd {
	n := a.state.Session.Alive()
	if n == 0 {
		return tea.Quit
	}
	text := fmt.Sprintf("%d objects are alive. They will be destroyed in order.", n)
	if n == 1 {
		text = "One object is alive. It will be destroyed."
	}
	a.ask = dialog.New(a.env.Theme, a.now, "leave?", text, stay, leave)
	return nil
}

func (a *App) answer(k tea.KeyPressMsg) tea.Cmd {
	switch r := a.ask.Update(k); {
	case r == dialog.Pending:
		return nil
	case r >= 0 && a.ask.Answers[r] == leave:
		return tea.Quit
	}
	a.ask = nil
	return nil
}

func (a *App) keyInHelp(k tea.KeyPressMsg) {
	p, isPage := a.help.(*help.Page)
	if keymap.Matches(k, keymap.Overlay.Close) && !(isPage && p.Typing()) {
		a.help, a.helpBox = nil, nil
		return
	}
	a.help.Update(k)
}

func (a *App) keyInPalette(k tea.KeyPressMsg) tea.Cmd {
	if a.palette.Update(k) != palette.Accept {
		return nil
	}
	text := a.palette.Value()
	a.palette.Close()
	if text == "" || a.execExplain(text) {
		return nil
	}
	return a.execTyped(text)
}
