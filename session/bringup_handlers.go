package session

import "rdmatui/session/core"

// bringupCommands are the commands that bring queue pairs up, by name.
var bringupCommands = core.Handlers{
	"connect_qps": connectQPs,
}
