package session

// trafficCommands are the commands that meet a peer, and measure, by name.
var trafficCommands = Handlers{
	"pingpong":        pingpong,
	"exchange":        exchange,
	"exchange_finish": exchangeFinish,
	"peer":            peerByHand,
}
