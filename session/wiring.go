package session

import (
	"maps"

	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/region"
)

// wiring joins the commands of all groups.
var wiring = core.Wiring{
	Commands: allCommands(),
	Hint:     hintFor,
	Record:   newRecorder,
	Devices:  device.Known,
	Flush:    flushPackets,
	Close:    closePackets,
}

func allCommands() core.Handlers {
	all := core.Handlers{}
	for _, group := range []core.Handlers{device.Commands, region.Commands, queueCommands, postCommands, bringupCommands, managerCommands, trafficCommands, scriptCommands, labCommands, packetCommands} {
		maps.Copy(all, group)
	}
	for i := range command.Commands {
		if spec := &command.Commands[i]; spec.Group == "close" {
			all[spec.Name] = closeObject
		}
	}
	return all
}
