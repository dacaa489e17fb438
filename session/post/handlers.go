package post

import "rdmatui/session/core"

// Commands are the commands that post requests, by name.
var Commands = core.Handlers{
	"post_srq_recv": postSRQRecv,
	"post_send":     postSend,
	"post_recv":     postRecv,
	"chain":         chain,
	"bind_mw":       bindMW,
}
