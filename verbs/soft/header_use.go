package soft

import "sync"

// headerUse counts the users of received IP headers: UD queue pairs, which deliver them before the data, and the tap.
// Without users the headers are not requested from the kernel, which saves time.
type headerUse struct {
	mu    sync.Mutex
	users int
}

// add adds n users; n may be negative.
func (u *headerUse) add(n int, show func(on bool)) {
	u.mu.Lock()
	defer u.mu.Unlock()
	had := u.users > 0
	u.users += n
	if has := u.users > 0; has != had && show != nil {
		show(has)
	}
}
