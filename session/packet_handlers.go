package session

// packetCommands are the commands about packets, by name.
var packetCommands = Handlers{
	"capture":      capturePackets,
	"save_packets": savePackets,
}
