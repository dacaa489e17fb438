package session

// trafficCommands are the commands that meet a peer, and measure, by name.
var trafficCommands = Handlers{
	"pingpong":        (*Session).pingpong,
	"exchange":        (*Session).exchange,
	"exchange_finish": (*Session).exchangeFinish,
	"peer":            (*Session).peerByHand,
}
