package session

import "rdmatui/session/core"

// packetCommands are the commands about packets, by name.
var packetCommands = core.Handlers{
	"capture":      capturePackets,
	"save_packets": savePackets,
}
