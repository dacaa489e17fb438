package object

import (
	"sync"

	"rdmatui/verbs"
)

// Context is one opening of a device in the view of its objects: the lock that guards their dependencies, and the
// asynchronous events.
type Context struct {
	Mu     sync.Mutex // guards the users of the context and of all its objects, and the fields below
	Events EventQueue[verbs.AsyncEvent]
	Users
	end     func() // called once, with mu held, when the context is closed
	managed bool   // the context belongs to the connection manager and is shared by its identifiers
	ids     int    // number of identifiers
}

// maxEvents is the maximum number of untaken asynchronous events; further ones are lost.
const maxEvents = 1024

// Init opens the context. The user closes it or, with managed, the last of the connection manager's identifiers on it.
func (c *Context) Init(managed bool, end func()) {
	c.Events.Init(maxEvents)
	c.end, c.managed = end, managed
	if managed {
		c.ids = 1
	}
}

// CheckOpen returns an error if the context is closed.
func (c *Context) CheckOpen() error {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.Alive()
}

// Alive is CheckOpen for callers that hold the lock.
func (c *Context) Alive() error {
	if c.Closed {
		return verbs.ErrClosed
	}
	return nil
}

// Close closes the context. It fails while the context has objects; a second call does nothing.
func (c *Context) Close() error {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if c.Closed {
		return nil
	}
	if err := c.Busy("device"); err != nil {
		return err
	}
	c.finish()
	return nil
}

func (c *Context) finish() {
	c.Closed = true
	c.Events.Close()
	c.end()
}

// Retain adds an identifier to a context of the connection manager; false means that the context has ended.
func (c *Context) Retain() bool {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if c.Closed {
		return false
	}
	c.ids++
	return true
}

// Release removes an identifier.
func (c *Context) Release() {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.ids--
	c.endIfIdle()
}

// Remove removes an object from the context; mu is held.
func (c *Context) Remove(user any) {
	c.Users.Remove(user)
	c.endIfIdle()
}

// endIfIdle ends a context of the connection manager after the last identifier and the last object, in either order.
func (c *Context) endIfIdle() {
	if c.managed && !c.Closed && c.ids == 0 && len(c.by) == 0 {
		c.finish()
	}
}
