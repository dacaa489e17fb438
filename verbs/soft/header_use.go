package soft

import "sync"

// headerUse counts who wants to know the IP headers of packets that arrive: queue pairs of datagrams, whose receivers find them before the
// data, and the tap. Where nobody does they are not asked for, which saves time.
type headerUse struct {
	mu    sync.Mutex
	users int
}

// add counts n users more, or less.
func (u *headerUse) add(n int, show func(on bool)) {
	u.mu.Lock()
	defer u.mu.Unlock()
	had := u.users > 0
	u.users += n
	if has := u.users > 0; has != had && show != nil {
		show(has)
	}
}

func (a *adapter) useHeaders(n int) { a.headers.add(n, a.showHeaders) }
