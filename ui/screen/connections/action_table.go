package connections

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"rdmatui/ui/keymap"
)

// actions is what the screen's keys do.
var actions = []struct {
	key *key.Binding
	do  func(*Screen) tea.Cmd
}{
	{&keymap.Form.Submit, (*Screen).runNext},
	{&keymap.Form.Edit, (*Screen).editNext},
	{&keymap.Connections.All, (*Screen).runAll},
	{&keymap.Connections.Connect, func(s *Screen) tea.Cmd { return s.askAddress(&connectEntry, false) }},
	{&keymap.Connections.Listen, func(s *Screen) tea.Cmd { return s.askAddress(&listenEntry, true) }},
	{&keymap.Connections.Accept, (*Screen).accept},
	{&keymap.Connections.AcceptAs, (*Screen).acceptAs},
	{&keymap.Connections.Reject, (*Screen).askReject},
	{&keymap.Connections.RejectAll, (*Screen).rejectAll},
	{&keymap.Connections.Private, (*Screen).askPrivate},
	{&keymap.Connections.Disconnect, (*Screen).disconnect},
	{&keymap.Connections.Destroy, (*Screen).destroy},
	{&keymap.Connections.Other, (*Screen).otherID},
	{&keymap.Connections.Only, (*Screen).toggleOnly},
	{&keymap.Connections.Mode, (*Screen).turnMode},
	{&keymap.Connections.Space, (*Screen).turnSpace},
	{&keymap.Connections.Manager, (*Screen).turnManager},
	{&keymap.Explain, (*Screen).explain},
	{&keymap.List.Filter, func(s *Screen) tea.Cmd { return s.ask(&filterEntry, s.events.text) }},
	{&keymap.List.Back, (*Screen).back},
	{&keymap.Pane.Next, func(s *Screen) tea.Cmd { return s.turnFocus(1) }},
	{&keymap.Pane.Prev, func(s *Screen) tea.Cmd { return s.turnFocus(panes - 1) }},
	{&keymap.Pane.Zoom, func(s *Screen) tea.Cmd { s.zoom = !s.zoom; return nil }},
}
