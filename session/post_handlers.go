package session

import "rdmatui/session/core"

// postCommands are the commands that post requests, by name.
var postCommands = core.Handlers{
	"post_srq_recv": postSRQRecv,
	"post_send":     postSend,
	"post_recv":     postRecv,
	"chain":         chain,
	"bind_mw":       bindMW,
}
