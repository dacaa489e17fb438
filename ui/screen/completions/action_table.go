package completions

import (
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen/page"
)

// actions is what the screen's keys do.
var actions = []page.Action[*Screen]{
	page.On(&keymap.Completions.Pause, (*Screen).togglePause),
	page.On(&keymap.Completions.Failed, (*Screen).toggleFailed),
	page.On(&keymap.Completions.Mode, (*Screen).toggleLive),
	page.On(&keymap.Completions.Arm, (*Screen).arm),
	page.On(&keymap.Completions.Way, (*Screen).nextWay),
	page.On(&keymap.Completions.Solicited, (*Screen).toggleSolicited),
	page.On(&keymap.Completions.Clear, (*Screen).clear),
	page.On(&keymap.Completions.Export, (*Screen).askExport),
	page.On(&keymap.Explain, (*Screen).explain),
	page.On(&keymap.List.Filter, (*Screen).askFilter),
	page.On(&keymap.List.Back, (*Screen).back),
}
