package device

import (
	"sync"

	"rdmatui/session/core"
	"rdmatui/verbs"
)

// qpIndex finds the queue pair of a device that a completion, or an event, names.
type qpIndex struct {
	mu    sync.RWMutex
	byNum map[verbs.QPN]core.Body
}

// Add records the object that has a queue pair number.
func (x *qpIndex) Add(num verbs.QPN, q core.Body) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.byNum == nil {
		x.byNum = map[verbs.QPN]core.Body{}
	}
	x.byNum[num] = q
}

// Remove forgets a queue pair number.
func (x *qpIndex) Remove(num verbs.QPN) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.byNum, num)
}

// Find returns the object that has a queue pair number; nil if none has.
func (x *qpIndex) Find(num verbs.QPN) core.Body {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.byNum[num]
}
