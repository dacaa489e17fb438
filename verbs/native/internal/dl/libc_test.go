//go:build linux

package dl

import (
	"os"
	"testing"
	"unsafe"
)

// libc opens the C library, which has functions for each of the conventions.
func libc(t testing.TB) *Library {
	t.Helper()
	l, err := Open("libc.so.6")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// waysToCall opens the C library as it is and once more with plain calls. Without quick
// calls both are the same.
func waysToCall(t testing.TB) map[string]*Library {
	plain := libc(t)
	plain.CallPlainly()
	return map[string]*Library{"quick": libc(t), "plain": plain}
}

func bind[F Func](t testing.TB, l *Library, symbol string) F {
	t.Helper()
	f, err := Bind[F](l, symbol)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// cstring returns text with a NUL, in memory that lives as long as the test.
func cstring(t testing.TB, text string) uintptr {
	t.Helper()
	m := newMem(t, len(text)+1)
	if _, err := m.WriteAt([]byte(text), 0); err != nil {
		t.Fatal(err)
	}
	return m.Addr()
}

func newMem(t testing.TB, size int) *Mem {
	t.Helper()
	m, err := NewMem(size)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// missing skips the test, but fails it in CI, where everything must be installed.
func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(what)
	}
	t.Skip(what)
}

func addrOf[T any](v *T) uintptr { return uintptr(unsafe.Pointer(v)) }
