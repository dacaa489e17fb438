//go:build linux

package dl

import (
	"runtime"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// TestFunctionOnThread calls from goroutines that have threads of their own: the
// function runs on one other thread and returns that thread's errno.
func TestFunctionOnThread(t *testing.T) {
	l := libc(t)
	var one Thread
	anywhere := bind[StatusFunc](t, l, "gettid")
	there, closes := anywhere.On(&one), bind[StatusFunc](t, l, "close").On(&one)
	want, err := there.Call()
	if err != nil {
		t.Fatal(err)
	}
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			if tid, err := there.Call(); tid != want || err != nil {
				t.Errorf("ran on thread %d, want %d; %v", tid, want, err)
			}
			if tid, _ := anywhere.Call(); tid == want || tid != syscall.Gettid() {
				t.Errorf("without a thread it ran on %d, want %d", tid, syscall.Gettid())
			}
			if _, err := closes.Call(^uintptr(0)); err != syscall.EBADF {
				t.Errorf("closing descriptor -1: %v, want EBADF", err)
			}
		})
	}
	callers.Wait()
	pointer := bind[PointerFunc](t, l, "pthread_self").On(&one)
	here := bind[PointerFunc](t, l, "pthread_self")
	a, _ := pointer.Call()
	b, _ := pointer.Call()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if c, _ := here.Call(); a != b || a == c {
		t.Errorf("pthread_self: %#x, %#x, and %#x here", a, b, c)
	}
}

// TestThreadThatBlocks: other callers do not wait for a call that does not return.
func TestThreadThatBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var one Thread
		entered, release := make(chan struct{}), make(chan struct{})
		go one.do(func() { close(entered); <-release })
		<-entered
		began := time.Now()
		ran := false
		one.do(func() { ran = true })
		if waited := time.Since(began); !ran || waited != 2*time.Second {
			t.Errorf("ran %v after %s", ran, waited)
		}
		close(release)
		one.do(func() {})
		close(one.calls) // ends the thread
	})
}
