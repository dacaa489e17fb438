package bringup

import "rdmatui/session/core"

// Commands are the commands that bring queue pairs up, by name.
var Commands = core.Handlers{
	"connect_qps": connectQPs,
}
