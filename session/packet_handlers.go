package session

// packetCommands are the commands about packets, by name.
var packetCommands = Handlers{
	"capture":      (*Session).capturePackets,
	"save_packets": (*Session).savePackets,
}
