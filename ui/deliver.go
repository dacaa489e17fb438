package ui

import (
	"reflect"

	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/screen"
	"rdmatui/ui/tour"
)

// mail is a message addressed to a screen.
type mail struct {
	to  screen.ID
	msg tea.Msg
}

// from returns a screen's work with its result addressed to that screen, even if
// another is in front by then.
func from(id screen.ID, work tea.Cmd) tea.Cmd {
	if work == nil {
		return nil
	}
	return func() tea.Msg { return addressed(id, work()) }
}

var (
	commands = reflect.TypeFor[[]tea.Cmd]()
	teaPath  = reflect.TypeFor[tea.QuitMsg]().PkgPath()
)

// addressed puts a screen's address on a message. Messages for root or for Bubble Tea
// stay as they are; the commands of a batch or a sequence are addressed one by one.
func addressed(id screen.ID, msg tea.Msg) tea.Msg {
	switch msg := msg.(type) {
	case screen.AskMsg:
		yes := msg.Yes
		msg.Yes = func() tea.Cmd { return from(id, yes()) }
		return msg
	case nil, screen.GotoMsg, screen.EditMsg, screen.FlashMsg, screen.ExplainMsg, tour.Start:
		return msg
	}
	if cmds := commandsIn(msg); cmds != nil {
		for i := range cmds {
			cmds[i] = from(id, cmds[i])
		}
		return msg
	}
	if reflect.TypeOf(msg).PkgPath() == teaPath {
		return msg
	}
	return mail{id, msg}
}

// commandsIn returns the commands of a batch or a sequence, to be changed in place; nil for another message.
// Bubble Tea does not export the type of a sequence.
func commandsIn(msg tea.Msg) []tea.Cmd {
	v := reflect.ValueOf(msg)
	if v.Kind() != reflect.Slice || !v.CanConvert(commands) {
		return nil
	}
	return v.Convert(commands).Interface().([]tea.Cmd)
}

// deliver passes a message to its screen, in front or not. If the report of a line has put another queue pair in hand,
// the screen in front shows that one before it takes the next key.
func (a *App) deliver(m mail) tea.Cmd {
	var look tea.Cmd
	done, ok := m.msg.(screen.DoneMsg)
	if ok {
		look = a.done(m.to, done)
	}
	a.dirty = a.dirty || m.to == a.at
	hand := a.env.Hand.In(&a.state.Session)
	work := tea.Batch(look, a.update(m.to, m.msg))
	if ok && a.env.Hand.In(&a.state.Session) != hand {
		work = tea.Batch(work, a.refresh())
	}
	return work
}

// update passes a message to a screen.
func (a *App) update(id screen.ID, msg tea.Msg) tea.Cmd {
	return from(id, a.tabs[id].Update(msg))
}
