package completions

import (
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen"
)

// actions are the screen's keys with what they do.
var actions = []screen.Action[*Screen]{
	screen.On(&keymap.Completions.Pause, (*Screen).togglePause),
	screen.On(&keymap.Completions.Fix, fix).When(canFix),
	screen.On(&keymap.Completions.Failed, (*Screen).toggleFailed),
	screen.On(&keymap.Completions.Hand, (*Screen).toggleHand),
	screen.On(&keymap.Completions.Mode, (*Screen).toggleLive),
	screen.On(&keymap.Completions.Arm, (*Screen).arm).When(wantsEvents),
	screen.On(&keymap.Completions.Way, (*Screen).nextWay).When(hasQueue),
	screen.On(&keymap.Completions.Solicited, (*Screen).toggleSolicited).When(wantsEvents),
	screen.On(&keymap.Completions.All, toggleAll).When(hasQueue),
	screen.On(&keymap.Completions.Clear, (*Screen).clear).When(hasRows),
	screen.On(&keymap.Completions.Undo, (*Screen).undo).When(func(s *Screen) bool { return s.list().cleared() > 0 }),
	screen.On(&keymap.Completions.Export, (*Screen).askExport).When(hasRows),
	screen.On(&keymap.OpenIncident, (*Screen).openIncident).When(func(s *Screen) bool {
		c := s.selected()
		return c != nil && c.WC.Failed()
	}),
	screen.On(&keymap.Explain, (*Screen).explain).When(hasRows),
	screen.On(&keymap.List.Filter, (*Screen).askFilter),
	screen.On(&keymap.List.Back, (*Screen).back),
}

func hasQueue(s *Screen) bool { return s.queues.selected() != nil }

func hasRows(s *Screen) bool { return s.selected() != nil }

// wantsEvents says whether the keys of a queue's events are shown: with its statistics. They work at any time.
func wantsEvents(s *Screen) bool { return s.queues.all && hasChannel(s) }

// hasChannel reports whether the selected queue has an event channel.
func hasChannel(s *Screen) bool {
	c := s.queues.selected()
	return c != nil && c.channel != "" && c.mode.WithEvents()
}
