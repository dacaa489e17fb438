package session

import (
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/packets"
	"rdmatui/session/script"
)

// wiring joins the commands of all groups.
var wiring = core.Wiring{
	Commands: handlers(),
	Hint:     hintFor,
	Record:   script.NewRecorder,
	Devices:  device.Known,
	Flush:    packets.Flush,
	Close:    packets.Close,
}

func handlers() core.Handlers {
	all := core.Handlers{}
	for i := range rows {
		all[rows[i].Spec] = rows[i].Run
	}
	return all
}

// rowOf is a command's row.
func rowOf(spec *command.Spec) *row {
	for i := range rows {
		if rows[i].Spec == spec {
			return &rows[i]
		}
	}
	return nil
}
