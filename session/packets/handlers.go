package packets

import "rdmatui/session/core"

// Commands are the commands about packets, by name.
var Commands = core.Handlers{
	"capture":      capturePackets,
	"save_packets": savePackets,
}
