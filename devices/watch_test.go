package devices

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestWatch(t *testing.T) {
	sys := plant(t, "rxe")
	synctest.Test(t, func(t *testing.T) {
		sys.announce = make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		changed := New(nil, sys).Watch(ctx)
		pending := func() bool {
			synctest.Wait()
			select {
			case _, ok := <-changed:
				return ok
			default:
				return false
			}
		}

		time.Sleep(10 * pollInterval)
		if pending() {
			t.Error("a change although nothing changed")
		}
		for range 50 {
			sys.announce <- struct{}{}
		}
		time.Sleep(2 * settleTime)
		if !pending() {
			t.Error("announcements caused no change")
		}
		time.Sleep(2 * settleTime)
		if pending() {
			t.Error("a burst caused more than one change")
		}
		sys.write(t, "/sys/class/infiniband/rxe0/ports/1/state", "2: INIT\n")
		sys.announce <- struct{}{}
		time.Sleep(2 * settleTime)
		if !pending() {
			t.Error("an announcement caused no change")
		}
		time.Sleep(2 * pollInterval)
		if pending() {
			t.Error("an announced change is reported again")
		}
		// An InfiniBand port goes down without an announcement.
		sys.write(t, "/sys/class/infiniband/rxe0/ports/1/state", "1: DOWN\n")
		time.Sleep(2 * pollInterval)
		if !pending() {
			t.Error("a port's state changed unnoticed")
		}
		time.Sleep(2 * pollInterval)
		if pending() {
			t.Error("one change is reported twice")
		}
		sys.announce <- struct{}{} // the watch ends before the change settles
		synctest.Wait()
		cancel()
		if _, ok := <-changed; ok {
			t.Error("a change after the end")
		}
	})
}

// TestFingerprint: devices with other names, or as many at other places, are a
// change.
func TestFingerprint(t *testing.T) {
	seen := map[string]string{}
	for name, files := range map[string][]string{
		"one": {"a/ports/1/state"}, "another": {"b/ports/1/state"}, "two": {"a/ports/1/state", "b/ports/1/state"},
		"without ports": {"a/x"}, "both without": {"a/x", "b/x"}, "one of both names": {"ab/x"},
	} {
		sys := &fakeOS{tree: tree{t.TempDir()}}
		for _, file := range files {
			sys.write(t, classDir+"/"+file, "4: ACTIVE")
		}
		f := New(nil, sys).fingerprint()
		if other, ok := seen[f]; ok {
			t.Errorf("%s and %s have the same, %q", name, other, f)
		}
		seen[f] = name
	}
}
