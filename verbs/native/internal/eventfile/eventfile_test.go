//go:build linux

package eventfile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rdmatui/verbs"
)

// pipe stands in for an event descriptor; it returns the reading end, as C would hold
// it.
func pipe(t *testing.T) (events *File, read func() error, write func()) {
	t.Helper()
	var fds [2]int
	if err := syscall.Pipe2(fds[:], syscall.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fds[0]); _ = syscall.Close(fds[1]) })
	events, err := Open(int32(fds[0]), "events")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(events.Close)
	read = func() error {
		var b [1]byte
		_, err := syscall.Read(fds[0], b[:])
		return err
	}
	write = func() {
		if _, err := syscall.Write(fds[1], []byte{1}); err != nil {
			t.Error(err)
		}
	}
	return events, read, write
}

func TestEventFileDelivers(t *testing.T) {
	events, read, write := pipe(t)
	write()
	if err := events.Wait(t.Context(), read); err != nil {
		t.Fatal("an event before the wait:", err)
	}
	tried := make(chan struct{}, 10)
	done := make(chan error, 1)
	go func() {
		done <- events.Wait(t.Context(), func() error { tried <- struct{}{}; return read() })
	}()
	<-tried // it found no event and waits
	write()
	if err := <-done; err != nil {
		t.Fatal("an event during the wait:", err)
	}
}

// TestEventFileTriesOnce: an event that comes while the thread is blocked is taken by the first try.
func TestEventFileTriesOnce(t *testing.T) {
	events, read, write := pipe(t)
	for range 20 {
		tries := 0
		go write()
		if err := events.Wait(t.Context(), func() error { tries++; return read() }); err != nil {
			t.Fatal(err)
		}
		if tries == 1 {
			return
		}
	}
	t.Error("each wait was longer than its thread was blocked")
}

// TestEventFileWatchesOnlyLongWaits: an event that the blocked thread takes must not also wake the thread of Go's
// poller, which would run in place of the peer.
func TestEventFileWatchesOnlyLongWaits(t *testing.T) {
	events, read, write := pipe(t)
	watched := func() (is bool) {
		if err := events.raw.Control(func(watcher uintptr) {
			info, err := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", watcher))
			if err != nil {
				t.Error(err)
			}
			is = strings.Contains(string(info), "tfd:")
		}); err != nil {
			t.Error(err)
		}
		return is
	}
	for _, c := range []struct {
		wait        string
		there, want bool
	}{{"short", true, false}, {"long", false, true}, {"short again", true, false}} {
		if c.there {
			write()
		}
		if err := events.Wait(t.Context(), func() error {
			if is := watched(); is != c.want {
				t.Errorf("%s: watched %t, want %t", c.wait, is, c.want)
			}
			if !c.there {
				write()
			}
			return read()
		}); err != nil {
			t.Error(c.wait, err)
		}
		if watched() {
			t.Errorf("watched after a %s wait", c.wait)
		}
	}
}

// TestHoldOfOnlyProcessor: a wait keeps the only processor while that finds events, and after the other goroutines
// have run.
func TestHoldOfOnlyProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	releases.Store(0)
	events, read, write := pipe(t)
	held := func() bool {
		return hold(&[1]unix.PollFd{{Fd: int32(events.events), Events: unix.POLLIN}}, time.Millisecond)
	}
	for try := 0; ; try++ { // the scheduler sometimes goes on with the one that yields
		releases.Store(0)
		go write()
		if held() {
			break
		}
		if try == 2 {
			t.Fatal("the goroutine that writes does not run before the wait")
		}
		for read() != nil {
			runtime.Gosched()
		}
	}
	if !held() {
		t.Error("a wait after one that found an event finds none")
	}
	if err := read(); err != nil {
		t.Fatal(err)
	}
	if held() {
		t.Error("an event that was taken is found")
	}
	write()
	for i := range afterVain {
		if held() {
			t.Fatalf("wait %d after one in vain keeps the processor", i)
		}
	}
	if !held() {
		t.Error("no wait keeps the processor again")
	}
}

func TestEventFileKeepsWhatWasNotTaken(t *testing.T) {
	events, read, write := pipe(t)
	write()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	// Either result is right; the event must be taken exactly once.
	taken := 0
	if err := events.Wait(ctx, read); err == nil {
		taken++
	} else if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	for events.Wait(ctx, read) == nil {
		taken++
	}
	if taken != 1 {
		t.Errorf("one event was taken %d times", taken)
	}
}

func TestEventFileCancelledWhileWaiting(t *testing.T) {
	events, read, write := pipe(t)
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		err := events.Wait(ctx, func() error { cancel(); return read() })
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("%v, want context.Canceled", err)
		}
	}
	write()
	if err := events.Wait(t.Context(), read); err != nil {
		t.Error("after cancelled waits:", err)
	}
}

func TestEventFileTakesTurns(t *testing.T) {
	events, read, write := pipe(t)
	first := make(chan struct{})
	var waiters sync.WaitGroup
	waiters.Go(func() {
		if err := events.Wait(t.Context(), func() error {
			select {
			case <-first:
			default:
				close(first)
			}
			return read()
		}); err != nil {
			t.Error(err)
		}
	})
	<-first
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := events.Wait(ctx, func() error { t.Error("two waiters read at once"); return nil }); !errors.Is(err,
		context.Canceled) {
		t.Errorf("%v, want context.Canceled", err)
	}
	write()
	waiters.Wait()
}

func TestEventFileCloseEndsTheWait(t *testing.T) {
	events, read, _ := pipe(t)
	tried := make(chan struct{}, 10)
	done := make(chan error, 1)
	go func() {
		done <- events.Wait(context.Background(), func() error { tried <- struct{}{}; return read() })
	}()
	<-tried
	events.Close()
	if err := <-done; !errors.Is(err, verbs.ErrClosed) {
		t.Errorf("%v, want ErrClosed", err)
	}
	if err := events.Wait(t.Context(), read); !errors.Is(err, verbs.ErrClosed) {
		t.Errorf("a later wait: %v, want ErrClosed", err)
	}
}

func TestEventFilePassesErrors(t *testing.T) {
	events, _, _ := pipe(t)
	if err := events.Wait(t.Context(), func() error { return syscall.EIO }); !errors.Is(err, syscall.EIO) {
		t.Errorf("%v, want EIO", err)
	}
}

func TestEventFileRefusesWhatCannotBePolled(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "file")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := Open(int32(f.Fd()), "a plain file"); err == nil {
		t.Error("a plain file was accepted")
	}
	if _, err := Open(-1, "nothing"); !errors.Is(err, syscall.EBADF) {
		t.Errorf("%v, want EBADF", err)
	}
}

// TestEventFileNudge: an event without a wakeup is found after Nudge, whichever
// goroutine waits and whenever it started.
func TestEventFileNudge(t *testing.T) {
	events, _, _ := pipe(t)
	var there atomic.Bool
	try := func() error {
		if there.Load() {
			return nil
		}
		return syscall.EAGAIN
	}
	events.Nudge() // before the wait
	tried := make(chan struct{}, 10)
	done := make(chan error, 1)
	go func() {
		done <- events.Wait(t.Context(), func() error { tried <- struct{}{}; return try() })
	}()
	<-tried
	there.Store(true)
	events.Nudge()
	if err := <-done; err != nil {
		t.Error(err)
	}
	there.Store(false)
	events.Nudge()
	ctx, cancel := context.WithCancel(t.Context())
	if err := events.Wait(ctx, func() error { cancel(); return try() }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want context.Canceled", err)
	}
}
