package transport

import (
	"sync"
	"time"

	"rdmatui/verbs"
	"rdmatui/verbs/soft/internal/object"
)

// qpTable finds queue pairs by number.
type qpTable struct {
	mu      sync.RWMutex
	byNum   map[uint32]*QP
	resting map[uint32]time.Time // numbers that must not be reused before a time
	order   []uint32             // keys of resting, oldest first
}

func (t *qpTable) init() {
	t.byNum, t.resting = map[uint32]*QP{}, map[uint32]time.Time{}
}

func (t *qpTable) find(num uint32) *QP {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.byNum[num]
}

// insert gives q a random free number. 0 and 1 are the management queue pairs, the highest number is multicast.
func (t *qpTable) insert(q *QP, random *object.Random) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		n := random.Uint32() & uint32(verbs.MaxQPN)
		if n > object.GSIQPN && n != uint32(verbs.MaxQPN) && t.byNum[n] == nil && !t.rests(n) {
			q.num = verbs.QPN(n)
			t.byNum[n] = q
			return
		}
	}
}

// rest keeps a number from being reused before the given time.
func (t *qpTable) rest(num uint32, until time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for now := time.Now(); len(t.order) > 0 && now.After(t.resting[t.order[0]]); t.order = t.order[1:] {
		delete(t.resting, t.order[0])
	}
	t.resting[num] = until
	t.order = append(t.order, num)
}

// rests reports whether a number must not be reused yet; t.mu is held.
func (t *qpTable) rests(num uint32) bool {
	end, found := t.resting[num]
	return found && time.Now().Before(end)
}

// len returns how many numbers are in use.
func (t *qpTable) len() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.byNum)
}

func (t *qpTable) remove(q *QP) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.byNum, uint32(q.num))
}

// FindQP returns a queue pair by number, nil if there is none.
func (a *Adapter) FindQP(num uint32) *QP { return a.qps.find(num) }

// RestNumber keeps a queue pair number from being reused before the given time.
func (a *Adapter) RestNumber(num uint32, until time.Time) { a.qps.rest(num, until) }

// Tables returns the number of queue pair numbers in use and of multicast groups.
func (a *Adapter) Tables() (numbers, groups int) { return a.qps.len(), a.groups.len() }
