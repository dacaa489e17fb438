package core

import (
	"sync"

	"rdmatui/verbs"
)

// companions are goroutines that must end before their session.
type companions struct {
	mu     sync.Mutex
	ending bool
	wait   sync.WaitGroup
}

// Start runs f in a goroutine; crashed is called after a panic in it. While the
// session is closing it returns false without running f.
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

// end waits until all have ended, and prevents new ones.
func (c *companions) end() {
	c.mu.Lock()
	c.ending = true
	c.mu.Unlock()
	c.wait.Wait()
}
