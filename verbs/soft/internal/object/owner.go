package object

import "rdmatui/verbs"

// Owner is what moves a queue pair through its states for a program: an identifier of the connection manager.
type Owner interface {
	// Heard is told, once, that the peer has begun to talk. It must not wait.
	Heard()
	// Disown is told that the queue pair is closed.
	Disown(q verbs.QP)
}
