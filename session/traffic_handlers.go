package session

import "rdmatui/session/core"

// trafficCommands are the commands that meet a peer, and measure, by name.
var trafficCommands = core.Handlers{
	"pingpong":        pingpong,
	"exchange":        exchange,
	"exchange_finish": exchangeFinish,
	"peer":            peerByHand,
}
