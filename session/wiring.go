package session

import (
	"maps"

	"rdmatui/session/bringup"
	"rdmatui/session/cm"
	"rdmatui/session/command"
	"rdmatui/session/core"
	"rdmatui/session/device"
	"rdmatui/session/labrun"
	"rdmatui/session/packets"
	"rdmatui/session/post"
	"rdmatui/session/queue"
	"rdmatui/session/region"
	"rdmatui/session/script"
	"rdmatui/session/traffic"
)

// wiring joins the commands of all groups.
var wiring = core.Wiring{
	Commands: allCommands(),
	Hint:     hintFor,
	Record:   script.NewRecorder,
	Devices:  device.Known,
	Flush:    packets.Flush,
	Close:    packets.Close,
}

func allCommands() core.Handlers {
	all := core.Handlers{}
	for _, group := range []core.Handlers{device.Commands, region.Commands, queue.Commands, post.Commands, bringup.Commands, cm.Commands, traffic.Commands, script.Commands, labrun.Commands, packets.Commands} {
		maps.Copy(all, group)
	}
	for _, spec := range command.Commands {
		if spec.Group == "close" {
			all[spec.Name] = queue.CloseObject
		}
	}
	return all
}
