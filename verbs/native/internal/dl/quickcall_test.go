//go:build linux

package dl

import (
	"errors"
	"runtime"
	"sync"
	"syscall"
	"testing"
)

// TestCall3PassesAllArguments calls C functions whose results depend on each argument.
func TestCall3PassesAllArguments(t *testing.T) {
	for way, l := range waysToCall(t) {
		t.Run(way, func(t *testing.T) { testArguments(t, l) })
	}
}

func testArguments(t *testing.T, l *Library) {
	m := newMem(t, 16)
	copy(m.Bytes(), "abcdefgh")
	compare := bind[CountFunc](t, l, "memcmp") // (a, b, n)
	for name, f := range map[string]CountFunc{"Call3": compare, "AtOnce": compare.AtOnce(NewPace(nil))} {
		copy(m.Bytes()[8:], "abcdefgX")
		if n, err := f.Call3(m.Addr(), m.Addr()+8, 7); n != 0 || err != nil {
			t.Errorf("%s: seven equal bytes: %d, %v", name, n, err)
		}
		if n, err := f.Call3(m.Addr(), m.Addr()+8, 8); n <= 0 || err != nil {
			t.Errorf("%s: the eighth is larger: %d, %v", name, n, err)
		}
		var negative Negative
		if _, err := f.Call3(m.Addr()+8, m.Addr(), 8); !errors.As(err, &negative) {
			t.Errorf("%s: the eighth is smaller: %v", name, err)
		}
	}
	errno := bind[ErrnoFunc](t, l, "abs")
	for name, f := range map[string]ErrnoFunc{"Call3": errno, "AtOnce": errno.AtOnce(NewPace(nil))} {
		if err := f.Call3(uintptr(syscall.EBUSY), 0, 0); err != syscall.EBUSY {
			t.Errorf("%s: %v, want EBUSY", name, err)
		}
	}
}

// TestCall3AmongOthers calls from many goroutines while their stacks grow and the
// collector runs: each must get its own result.
func TestCall3AmongOthers(t *testing.T) {
	for way, l := range waysToCall(t) {
		t.Run(way, func(t *testing.T) { testAmongOthers(t, l) })
	}
}

func testAmongOthers(t *testing.T, l *Library) {
	waits := bind[CountFunc](t, l, "abs")
	atOnce := waits.AtOnce(NewPace(nil))
	var callers sync.WaitGroup
	for i := range 8 {
		waits, atOnce := waits, atOnce
		callers.Go(func() {
			for k := range 2000 {
				want := i*10000 + k
				deep(k%20, func() {
					a, err1 := waits.Call3(uintptr(want), 0, 0)
					b, err2 := atOnce.Call3(uintptr(want), 0, 0)
					if a != want || b != want || err1 != nil || err2 != nil {
						t.Errorf("%d, %d, %v, %v; want %d", a, b, err1, err2, want)
					}
				})
			}
		})
	}
	for range 20 {
		runtime.GC()
	}
	callers.Wait()
}

func deep(n int, call func()) {
	var room [512]byte
	if n == 0 {
		call()
		return
	}
	deep(n-1, call)
	runtime.KeepAlive(&room)
}
