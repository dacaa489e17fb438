package dl

import (
	"runtime"
	"sync"
)

// Thread is an OS thread on which all calls of some functions are made; see
// [PointerFunc.On]. The zero value is ready. The thread starts with the first call
// and stays.
type Thread struct {
	start sync.Once
	calls chan func()
}

// do runs f on the thread, after what others gave it before.
func (t *Thread) do(f func()) {
	t.start.Do(func() {
		t.calls = make(chan func())
		go func() {
			runtime.LockOSThread()
			for call := range t.calls {
				call()
			}
		}()
	})
	done := make(chan struct{})
	t.calls <- func() {
		defer close(done)
		f()
	}
	<-done
}
