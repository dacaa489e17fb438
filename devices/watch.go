package devices

import (
	"context"
	"strings"
	"sync"
	"time"
)

const (
	// settleTime merges a burst of announcements, such as those of a new device, into one
	// change.
	settleTime = 150 * time.Millisecond
	// pollInterval is how often the ports are read: an InfiniBand port changes its state
	// without an announcement.
	pollInterval = 2 * time.Second
)

// Watch reports when the list may have changed. The channel holds at most one value, so
// a slow receiver reads the list once for many changes. The channel is closed when ctx
// has ended and all goroutines of the watch have returned.
func (inv *Inventory) Watch(ctx context.Context) <-chan struct{} {
	changed := make(chan struct{}, 1)
	announced := make(chan struct{}, 1)
	var source sync.WaitGroup
	source.Go(func() {
		defer inv.Crashed.Catch()
		// Without announcements, the polling in watch finds the changes.
		_ = inv.os.Changes(ctx, func() { offer(announced) }, inv.Crashed)
	})
	go func() {
		inv.watch(ctx, announced, changed)
		source.Wait()
		close(changed)
	}()
	return changed
}

// offer puts a value into a channel of size one unless it is full.
func offer(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (inv *Inventory) watch(ctx context.Context, announced <-chan struct{}, changed chan<- struct{}) {
	defer inv.Crashed.Catch()
	again := time.NewTicker(pollInterval)
	defer again.Stop()
	before := inv.fingerprint()
	for {
		select {
		case <-ctx.Done():
			return
		case <-announced:
			if !sleep(ctx, settleTime) {
				return
			}
			before = inv.fingerprint()
			offer(changed)
		case <-again.C:
			if now := inv.fingerprint(); now != before {
				before = now
				offer(changed)
			}
		}
	}
}

// sleep reports whether the whole time has passed.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// fingerprint is a text of the kernel's devices and the states of their ports.
func (inv *Inventory) fingerprint() string {
	var b strings.Builder
	names, _ := inv.os.ReadDir(classDir)
	for _, name := range names {
		dir := deviceDir(name)
		nums, _ := inv.os.ReadDir(dir + "/ports")
		b.WriteString(name)
		for n := range portNumbers(nums) {
			b.WriteString("/" + attribute(inv.os, portDir(dir, n)+"/state"))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
