package core

import (
	"sync"

	"rdmatui/verbs"
)

// companions are the goroutines that end before their session does.
type companions struct {
	mu     sync.Mutex
	ending bool
	wait   sync.WaitGroup
}

// Start runs f in a goroutine; crashed is told of a panic in it. It returns false where
// the session is being closed, and f is not run.
func (c *companions) Start(crashed verbs.CrashHook, f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ending {
		return false
	}
	c.wait.Go(func() {
		defer crashed.Catch()
		f()
	})
	return true
}

// end waits until all have ended; none is started any more.
func (c *companions) end() {
	c.mu.Lock()
	c.ending = true
	c.mu.Unlock()
	c.wait.Wait()
}
