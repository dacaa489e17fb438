package object

import "rdmatui/verbs"

// Owner controls the states of a queue pair for a program: an identifier of the connection manager.
type Owner interface {
	// Heard is called once, when the peer has started to send. It must not block.
	Heard()
	// Disown is called when the queue pair is closed.
	Disown(q verbs.QP)
}
