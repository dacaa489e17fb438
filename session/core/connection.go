package core

import "context"

// connection is a body that has a connection to a peer.
type connection interface {
	// Connected reports whether it still has it. Events that nobody else reads are read first.
	Connected(*Session, context.Context) (bool, error)
}

// Connection is an object whose connection a wait is for.
type Connection struct {
	*Node
	s  *Session
	of connection
}

// WhileArg is the connection that while= names, nil where the line names none.
func (c *Call) WhileArg() (*Connection, error) {
	if !c.Cmd.Has("while") {
		return nil, nil
	}
	n, err := c.ObjectArg("while", nil)
	if err != nil {
		return nil, err
	}
	of, ok := n.Body.(connection)
	if !ok {
		return nil, &NameError{Name: n.Name, Kinds: c.Cmd.Spec.Arg("while").Objects, Is: n.Kind}
	}
	return &Connection{n, c.S, of}, nil
}

// Lasts reports whether the wait is still worth it.
func (w *Connection) Lasts(ctx context.Context) (bool, error) { return w.of.Connected(w.s, ctx) }
