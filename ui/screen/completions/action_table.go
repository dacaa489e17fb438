package completions

import (
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen/page"
)

// actions are the screen's keys with what they do.
var actions = []page.Action[*Screen]{
	page.On(&keymap.Completions.Pause, (*Screen).togglePause),
	page.On(&keymap.Completions.Fix, fix).When(canFix),
	page.On(&keymap.Completions.Failed, (*Screen).toggleFailed),
	page.On(&keymap.Completions.Hand, (*Screen).toggleHand),
	page.On(&keymap.Completions.Mode, (*Screen).toggleLive),
	page.On(&keymap.Completions.Arm, (*Screen).arm).When(wantsEvents),
	page.On(&keymap.Completions.Way, (*Screen).nextWay).When(hasQueue),
	page.On(&keymap.Completions.Solicited, (*Screen).toggleSolicited).When(wantsEvents),
	page.On(&keymap.Completions.All, toggleAll).When(hasQueue),
	page.On(&keymap.Completions.Clear, (*Screen).clear).When(hasRows),
	page.On(&keymap.Completions.Undo, (*Screen).undo).When(func(s *Screen) bool { return s.list().cleared() > 0 }),
	page.On(&keymap.Completions.Export, (*Screen).askExport).When(hasRows),
	page.On(&keymap.OpenIncident, (*Screen).openIncident).When(func(s *Screen) bool {
		c := s.selected()
		return c != nil && c.WC.Failed()
	}),
	page.On(&keymap.Explain, (*Screen).explain).When(hasRows),
	page.On(&keymap.List.Filter, (*Screen).askFilter),
	page.On(&keymap.List.Back, (*Screen).back),
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
