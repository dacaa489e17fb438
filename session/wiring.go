package session

import (
	"maps"

	"rdmatui/session/command"
)

// wiring joins the commands of all groups.
var wiring = Wiring{
	Commands: allCommands(),
	Hint:     hintFor,
	Record:   newRecorder,
	Devices:  knownDevices,
	Flush:    flushPackets,
	Close:    closePackets,
}

func allCommands() Handlers {
	all := Handlers{}
	for _, group := range []Handlers{objectCommands, managerCommands, trafficCommands, scriptCommands, packetCommands} {
		maps.Copy(all, group)
	}
	for i := range command.Commands {
		if spec := &command.Commands[i]; spec.Group == "close" {
			all[spec.Name] = closeObject
		}
	}
	return all
}
