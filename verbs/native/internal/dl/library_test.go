//go:build linux

package dl

import (
	"errors"
	"strings"
	"syscall"
	"testing"
)

func TestOpenMissingLibrary(t *testing.T) {
	_, err := Open("libno-such-a.so.1", "libno-such-b.so.1")
	var missing *LoadError
	if !errors.As(err, &missing) {
		t.Fatalf("got %v, want a LoadError", err)
	}
	if !errors.Is(err, errors.ErrUnsupported) {
		t.Error("does not match errors.ErrUnsupported")
	}
	for _, want := range []string{"libno-such-a.so.1", "libno-such-b.so.1", "No such file"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
	if _, err := Open(); err == nil {
		t.Error("Open with no name succeeds")
	}
}

func TestLoadErrorNamesThePackages(t *testing.T) {
	tests := []struct{ name, debian, rpm string }{
		{"libibverbs.so.1", "libibverbs1", "libibverbs (Fedora"},
		{"librdmacm.so.1", "librdmacm1", "librdmacm (Fedora"},
	}
	for _, tt := range tests {
		text := (&LoadError{Names: []string{tt.name}, Reason: "no such file"}).Error()
		for _, want := range []string{tt.name, "no such file", tt.debian, tt.rpm} {
			if !strings.Contains(text, want) {
				t.Errorf("%q does not say %q", text, want)
			}
		}
		if strings.Contains(text, "\n") {
			t.Errorf("%q is more than one line", text)
		}
	}
}

func TestOpenFallsBack(t *testing.T) {
	l, err := Open("libno-such.so.1", "libc.so.6")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if l.Name() != "libc.so.6" {
		t.Errorf("opened %q", l.Name())
	}
}

func TestMissingSymbol(t *testing.T) {
	l := libc(t)
	_, err := Bind[ErrnoFunc](l, "no_such_function")
	var missing *SymbolError
	if !errors.As(err, &missing) || missing.Symbol != "no_such_function" || missing.Library != "libc.so.6" {
		t.Errorf("got %v, want a SymbolError with both names", err)
	}
	if !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("%v does not match errors.ErrUnsupported", err)
	}
	if l.Has("no_such_function") || !l.Has("close") {
		t.Error("Has disagrees")
	}
}

func TestCloseLibrary(t *testing.T) {
	l, err := Open("libc.so.6")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Bind[ErrnoFunc](l, "close"); !errors.Is(err, ErrClosed) {
		t.Errorf("Bind after Close: %v, want %v", err, ErrClosed)
	}
}

// The list of devices works with and without devices: without the kernel's uverbs
// module the library answers ENOSYS, without devices an empty list.
func TestLibibverbsListsDevices(t *testing.T) {
	l, err := Open("libibverbs.so.1")
	if err != nil {
		missing(t, err.Error())
	}
	defer l.Close()
	list := bind[PointerFunc](t, l, "ibv_get_device_list")
	free := bind[ValueFunc](t, l, "ibv_free_device_list")
	name := bind[ValueFunc](t, l, "ibv_get_device_name")

	count := newMem(t, 4)
	devices, err := list.Call(count.Addr())
	if errors.Is(err, syscall.ENOSYS) {
		t.Logf("no RDMA in this kernel: %v", err)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	n := int(*View[int32](count.Addr()))
	for i := range n {
		device := *View[uintptr](devices + uintptr(i)*8)
		if text := String(name.Call(device), 64); text == "" {
			t.Errorf("device %d has no name", i)
		} else {
			t.Logf("device %d: %s", i, text)
		}
	}
	if last := *View[uintptr](devices + uintptr(n)*8); last != 0 {
		t.Errorf("the list of %d does not end with NULL", n)
	}
	free.Call(devices)
}

func TestPathOf(t *testing.T) {
	l, err := Open("libc.so.6")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if path := l.PathOf("getpid"); !strings.HasPrefix(path, "/") || !strings.Contains(path, "libc.so.6") {
		t.Errorf("getpid comes from %q", path)
	}
	if path := l.PathOf("no_such_function"); path != "" {
		t.Errorf("a missing function comes from %q", path)
	}
}
