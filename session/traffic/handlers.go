package traffic

import "rdmatui/session/core"

// Commands are the commands that meet a peer, and measure, by name.
var Commands = core.Handlers{
	"pingpong":        pingpong,
	"exchange":        exchange,
	"exchange_finish": exchangeFinish,
	"peer":            peerByHand,
}
