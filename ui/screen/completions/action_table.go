package completions

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
	{&keymap.Completions.Pause, (*Screen).togglePause},
	{&keymap.Completions.Failed, (*Screen).toggleFailed},
	{&keymap.Completions.Mode, (*Screen).toggleLive},
	{&keymap.Completions.Arm, (*Screen).arm},
	{&keymap.Completions.Way, (*Screen).nextWay},
	{&keymap.Completions.Solicited, (*Screen).toggleSolicited},
	{&keymap.Completions.Clear, (*Screen).clear},
	{&keymap.Completions.Export, func(s *Screen) tea.Cmd { return s.ask(exportEntry, "completions.jsonl") }},
	{&keymap.Explain, (*Screen).explain},
	{&keymap.List.Filter, func(s *Screen) tea.Cmd { return s.ask(filterEntry, s.filter) }},
	{&keymap.List.Back, (*Screen).back},
	{&keymap.Pane.Next, func(s *Screen) tea.Cmd { return s.step(1) }},
	{&keymap.Pane.Prev, func(s *Screen) tea.Cmd { return s.step(panes - 1) }},
	{&keymap.Pane.Zoom, func(s *Screen) tea.Cmd { s.zoom = !s.zoom; return nil }},
}
