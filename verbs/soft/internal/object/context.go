package object

import (
	"sync"

	"rdmatui/verbs"
)

// Context is one opening of a device, as the objects on it see it: the lock that guards who uses whom, and the asynchronous events.
type Context struct {
	Mu     sync.Mutex // guards uses of the context and of all its objects, and what follows
	Events EventQueue[verbs.AsyncEvent]
	Users
	end     func() // called once, with mu held, when the context is closed
	managed bool   // the context is the connection manager's, shared by its identifiers
	ids     int    // how many those are
}

// maxEvents bounds the asynchronous events that nobody takes; what comes later is lost.
const maxEvents = 1024

// Init opens the context. Its owner closes it, or, with managed, the last of the connection manager's identifiers on it.
func (c *Context) Init(managed bool, end func()) {
	c.Events.Init(maxEvents)
	c.end, c.managed = end, managed
	if managed {
		c.ids = 1
	}
}

// CheckOpen fails once the context is closed.
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

// Close closes the context. It does nothing the second time, and fails while objects are on it.
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

// Retain counts one more identifier on a context of the connection manager's; false means that the context has ended.
func (c *Context) Retain() bool {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if c.Closed {
		return false
	}
	c.ids++
	return true
}

// Release counts one identifier less.
func (c *Context) Release() {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.ids--
	c.endIfIdle()
}

// Remove forgets an object of the context; mu is held.
func (c *Context) Remove(user any) {
	c.Users.Remove(user)
	c.endIfIdle()
}

// endIfIdle ends a context of the connection manager's with the last identifier and the last object on it, in whichever order they go.
func (c *Context) endIfIdle() {
	if c.managed && !c.Closed && c.ids == 0 && len(c.by) == 0 {
		c.finish()
	}
}
