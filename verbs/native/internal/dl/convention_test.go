//go:build linux

package dl

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"
)

func TestConventions(t *testing.T) {
	for way, l := range waysToCall(t) {
		t.Run(way, func(t *testing.T) { testConventions(t, l) })
	}
}

func testConventions(t *testing.T, l *Library) {
	var (
		fopen    = bind[PointerFunc](t, l, "fopen")
		getenv   = bind[PointerFunc](t, l, "getenv")
		memalign = bind[ErrnoFunc](t, l, "posix_memalign")
		fadvise  = bind[ErrnoFunc](t, l, "posix_fadvise")
		atoiRc   = bind[ErrnoFunc](t, l, "atoi")
		strtol   = bind[NegErrnoFunc](t, l, "strtol")
		atoi     = bind[CountFunc](t, l, "atoi")
		closeFD  = bind[StatusFunc](t, l, "close")
		open     = bind[StatusFunc](t, l, "open")
		atoiFD   = bind[StatusFunc](t, l, "atoi")
	)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var (
		absent = cstring(t, file+".absent")
		below  = cstring(t, file+"/below")
		mode   = cstring(t, "r")
		unset  = cstring(t, "RDMATUI_NO_SUCH_VARIABLE")
		num    = func(s string) uintptr { return cstring(t, s) }
		out    = newMem(t, 8).Addr()
		word   = func(n int, err error) (int, error) { return n, err }
	)
	tests := []struct {
		name string
		call func() (int, error)
		want int
		err  error
	}{
		{"NULL: fopen, no such file", func() (int, error) { r, err := fopen.Call(absent, mode); return int(r), err },
			0, syscall.ENOENT},
		{"NULL: fopen, not a directory", func() (int, error) { r, err := fopen.Call(below, mode); return int(r), err },
			0, syscall.ENOTDIR},
		{"NULL without errno", func() (int, error) { r, err := getenv.Call(unset); return int(r), err }, 0,
			syscall.EIO},
		{"errno as value: bad alignment", func() (int, error) { return 0, memalign.Call(out, 3, 8) },
			0, syscall.EINVAL},
		{"errno as value: bad fd", func() (int, error) { return 0, fadvise.Call(^uintptr(0), 0, 0, 0) },
			0, syscall.EBADF},
		{"errno as value: success", func() (int, error) { return 0, atoiRc.Call(num("0")) }, 0, nil},
		{"errno as value: negative", func() (int, error) { return 0, atoiRc.Call(num("-1")) }, 0, Negative(-1)},
		{"negative errno", func() (int, error) { return word(strtol.Call(num("-22"), 0, 10)) }, 0, syscall.EINVAL},
		{"negative errno: count", func() (int, error) { return word(strtol.Call(num("5000000000"), 0, 10)) },
			5000000000, nil},
		{"negative count", func() (int, error) { return word(atoi.Call(num("-2"))) }, 0, Negative(-2)},
		{"count", func() (int, error) { return word(atoi.Call(num("16"))) }, 16, nil},
		{"errno as value, Call3", func() (int, error) { return 0, memalign.Call3(out, 3, 8) }, 0, syscall.EINVAL},
		{"errno as value, Call3: success", func() (int, error) { return 0, atoiRc.Call3(num("0"), 0, 0) }, 0, nil},
		{"count, Call3", func() (int, error) { return word(atoi.Call3(num("16"), 0, 0)) }, 16, nil},
		{"negative count, Call3", func() (int, error) { return word(atoi.Call3(num("-2"), 0, 0)) }, 0, Negative(-2)},
		{"-1: close", func() (int, error) { return word(closeFD.Call(^uintptr(0))) }, 0, syscall.EBADF},
		{"-1: open", func() (int, error) { return word(open.Call(below, syscall.O_RDONLY)) }, 0, syscall.ENOTDIR},
		{"-1 without errno", func() (int, error) { return word(atoiFD.Call(num("-1"))) }, 0, syscall.EIO},
		{"negative errno: 0", func() (int, error) { return word(strtol.Call(num("0"), 0, 10)) }, 0, nil},
		{"-1, errno: close", func() (int, error) {
			r, errno, err := closeFD.CallErrno(^uintptr(0))
			return r + int(errno), err
		}, int(syscall.EBADF), syscall.EBADF},
		{"-1, errno: success", func() (int, error) {
			r, errno, err := atoiFD.CallErrno(num("3"))
			return r + int(errno), err
		}, 3, nil},
		{"negative count, errno", func() (int, error) { r, _, err := atoi.CallErrno(num("-2")); return r, err }, 0,
			Negative(-2)},
		{"-1: success", func() (int, error) { return word(atoiFD.Call(num("3"))) }, 3, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := tt.call(); got != tt.want || err != tt.err {
				t.Errorf("got %d, %v; want %d, %v", got, err, tt.want, tt.err)
			}
		})
	}
}

// A function that fails without setting errno must not report the errno of an earlier
// call on the same thread.
func TestErrnoIsClearedBeforeTheCall(t *testing.T) {
	for way, l := range waysToCall(t) {
		t.Run(way, func(t *testing.T) { testErrnoIsCleared(t, l) })
	}
}

func testErrnoIsCleared(t *testing.T, l *Library) {
	closeFD := bind[StatusFunc](t, l, "close")
	atoi := bind[StatusFunc](t, l, "atoi")
	minusOne := cstring(t, "-1")

	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if _, err := closeFD.Call(^uintptr(0)); err != syscall.EBADF {
		t.Fatalf("close: %v, want EBADF", err)
	}
	if _, err := atoi.Call(minusOne); err != syscall.EIO {
		t.Errorf("atoi as a failing call: %v, want EIO for errno 0", err)
	}
}

// TestManyArguments: more arguments than the registers hold are passed, too.
func TestManyArguments(t *testing.T) {
	for way, l := range waysToCall(t) {
		m := newMem(t, 64)
		form := cstring(t, "%d %d %d %d %d %d")
		args := []uintptr{m.Addr(), 64, form, 1, 2, 3, 4}
		for n, want := range map[int]string{6: "1 2 3 ", 7: "1 2 3 4 "} {
			_, err := bind[StatusFunc](t, l, "snprintf").Call(args[:n]...)
			if text := String(m.Addr(), 64); err != nil || !strings.HasPrefix(text, want) {
				t.Errorf("%s, %d arguments: %q, want %q (%v)", way, n, text, want, err)
			}
		}
	}
}

// Goroutines move between threads, and errno does not move with them.
func TestErrnoStaysWithItsCall(t *testing.T) {
	for way, l := range waysToCall(t) {
		t.Run(way, func(t *testing.T) { testErrnoStays(t, l) })
	}
}

func testErrnoStays(t *testing.T, l *Library) {
	closeFD := bind[StatusFunc](t, l, "close")
	open := bind[StatusFunc](t, l, "open")
	fopen := bind[PointerFunc](t, l, "fopen")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	absent, below, mode := cstring(t, file+".absent"), cstring(t, file+"/below"), cstring(t, "r")
	kinds := []struct {
		want syscall.Errno
		call func() error
	}{
		{syscall.EBADF, func() error { _, err := closeFD.Call(^uintptr(0)); return err }},
		{syscall.ENOENT, func() error { _, err := open.Call(absent, syscall.O_RDONLY); return err }},
		{syscall.ENOTDIR, func() error { _, err := fopen.Call(below, mode); return err }},
	}
	var wg sync.WaitGroup
	for i := range 32 {
		kind := kinds[i%len(kinds)]
		wg.Go(func() {
			for n := range 500 {
				if err := kind.call(); err != kind.want {
					t.Errorf("call %d of goroutine %d: %v, want %v", n, i, err, kind.want)
					return
				}
				if n%16 == 0 {
					runtime.Gosched()
				}
			}
		})
	}
	wg.Wait()
}

// A pointer converted in the argument list must stay valid when the collector runs and
// the stack grows.
func TestArgumentsMayPointIntoGo(t *testing.T) {
	l := libc(t)
	memset := bind[PointerFunc](t, l, "memset")
	strtol := bind[ValueFunc](t, l, "strtol")
	for range 100 {
		var buf [128]byte
		text := [3]byte{'4', '2', 0}
		if _, err := memset.Call(uintptr(unsafe.Pointer(&buf)), 'x', uintptr(len(buf)-1)); err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		if got := String(addrOf(&buf[0]), len(buf)); len(got) != len(buf)-1 {
			t.Fatalf("memset wrote %d bytes, want %d", len(got), len(buf)-1)
		}
		if got := strtol.Call(uintptr(unsafe.Pointer(&text)), 0, 10); got != 42 {
			t.Fatalf("strtol = %d, want 42", got)
		}
	}
}

func TestUnboundFunctions(t *testing.T) {
	calls := map[string]func() error{
		"PointerFunc":       func() error { _, err := PointerFunc{}.Call(1); return err },
		"ErrnoFunc":         func() error { return ErrnoFunc{}.Call(1) },
		"ErrnoFunc.Call3":   func() error { return new(ErrnoFunc).Call3(1, 2, 3) },
		"CountFunc.Call3":   func() error { _, err := new(CountFunc).Call3(1, 2, 3); return err },
		"NegErrnoFunc":      func() error { _, err := NegErrnoFunc{}.Call(1); return err },
		"CountFunc":         func() error { _, err := CountFunc{}.Call(1); return err },
		"StatusFunc":        func() error { _, err := StatusFunc{}.Call(1); return err },
		"StatusFunc, errno": func() error { _, _, err := StatusFunc{}.CallErrno(1); return err },
		"CountFunc, errno":  func() error { _, _, err := CountFunc{}.CallErrno(1); return err },
		"At 0":              func() error { return At[ErrnoFunc](libc(t), 0).Call(1) },
	}
	for name, call := range calls {
		if err := call(); !errors.Is(err, ErrUnbound) {
			t.Errorf("%s: %v, want %v", name, err, ErrUnbound)
		}
	}
	if (ValueFunc{}).Bound() {
		t.Error("the zero ValueFunc claims to be bound")
	}
}
