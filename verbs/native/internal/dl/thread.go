package dl

import (
	"runtime"
	"sync"
	"time"
)

// threadBusy is how long a call waits for its thread before it takes the caller's.
const threadBusy = 2 * time.Second

// Thread is an OS thread on which all calls of some functions are made; see
// [PointerFunc.On]. The zero value is ready. The thread starts with the first call
// and stays.
type Thread struct {
	start sync.Once
	calls chan func()
}

// do runs f on the thread, after what others gave it before. While a call blocks there
// for long, others are made on their caller's thread: they need not block, too.
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
	busy := time.NewTimer(threadBusy)
	defer busy.Stop()
	select {
	case t.calls <- func() { defer close(done); f() }:
		<-done
	case <-busy.C:
		f()
	}
}
