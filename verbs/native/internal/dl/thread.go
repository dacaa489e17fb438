package dl

import (
	"runtime"
	"sync"
	"time"
)

// threadBusy is how long a call waits for its thread before it runs on the caller's.
const threadBusy = 2 * time.Second

// Thread is an OS thread on which all calls of some functions run; see
// [PointerFunc.On]. The zero value is ready to use. The thread starts with the first
// call and never exits.
type Thread struct {
	start sync.Once
	calls chan func()
}

// do runs f on the thread, after earlier calls. While one call blocks for long, others
// run on their caller's thread, so that they do not block as well.
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
