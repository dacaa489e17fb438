package connections

import (
	"rdmatui/ui/keymap"
	"rdmatui/ui/screen/page"
)

// actions are the screen's keys with what they do.
var actions = []page.Action[*Screen]{
	page.On(&keymap.Form.Submit, (*Screen).runNext),
	page.On(&keymap.Form.Edit, (*Screen).editNext),
	page.On(&keymap.Connections.All, (*Screen).runAll),
	page.On(&keymap.Connections.Connect, (*Screen).askConnect),
	page.On(&keymap.Connections.Listen, (*Screen).askListen),
	page.On(&keymap.Connections.Accept, (*Screen).accept),
	page.On(&keymap.Connections.AcceptAs, (*Screen).acceptAs),
	page.On(&keymap.Connections.Reject, (*Screen).askReject),
	page.On(&keymap.Connections.RejectAll, (*Screen).rejectAll),
	page.On(&keymap.Connections.Private, (*Screen).askPrivate),
	page.On(&keymap.Connections.Disconnect, (*Screen).disconnect),
	page.On(&keymap.Connections.Destroy, (*Screen).destroy),
	page.On(&keymap.Connections.Other, (*Screen).otherID),
	page.On(&keymap.Connections.Only, (*Screen).toggleOnly),
	page.On(&keymap.Connections.Mode, (*Screen).turnMode),
	page.On(&keymap.Connections.Space, (*Screen).turnSpace),
	page.On(&keymap.Connections.Manager, (*Screen).turnManager),
	page.On(&keymap.Explain, (*Screen).explain),
	page.On(&keymap.List.Filter, (*Screen).askFilter),
	page.On(&keymap.List.Back, (*Screen).back),
}
