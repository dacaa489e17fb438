package core

import "context"

// connection is a body that has a connection to a peer.
type connection interface {
	// Connected reports whether it is still connected. It first reads events that
	// have no other reader.
	Connected(context.Context, *Session) (bool, error)
}

// Connection is an object whose connection limits a wait.
type Connection struct {
	*Node
	s  *Session
	of connection
}

// WhileArg returns the connection that while= names, nil if the line names none.
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

// Lasts reports whether the connection still exists, so that waiting makes sense.
func (w *Connection) Lasts(ctx context.Context) (bool, error) { return w.of.Connected(ctx, w.s) }
