package session

import (
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/export"
	"rdmatui/session/incident"
	"rdmatui/session/packets"
	"rdmatui/session/script"
)

// wiring connects the core to the commands of all groups.
var wiring = core.Wiring{
	Commands: handlers(),
	Hint:     hintFor,
	InVain:   whyInVain,
	Record:   func(s *core.Session) core.Recorder { return script.NewRecorder(s, inC) },
	Begin:    incident.Attach,
	Devices:  device.Known,
	Gone:     device.Gone,
	Flush: func(s *core.Session) {
		packets.Flush(s)
		incident.Sample(s)
	},
	Close: func(s *core.Session) error {
		incident.Detach(s)
		return packets.Close(s)
	},
}

func handlers() core.Handlers {
	all := core.Handlers{}
	for i := range rows {
		all[rows[i].Spec] = rows[i].Run
	}
	return all
}

// inC holds the C translations of the commands.
var inC = func() export.Translations {
	all := export.Translations{}
	for i := range rows {
		all[rows[i].Spec] = rows[i].C
	}
	return all
}()

// C writes a recording as a C program.
func C(r export.Recording) string { return inC.Program(r) }

// rowOf returns a command's row.
func rowOf(spec *command.Spec) *row {
	for i := range rows {
		if rows[i].Spec == spec {
			return &rows[i]
		}
	}
	return nil
}
