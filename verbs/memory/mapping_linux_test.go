package memory

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"rdmatui/verbs"
)

func TestMapShared(t *testing.T) {
	backing := verbs.Backing{Kind: verbs.SharedMemory, Path: fmt.Sprintf("/rdmatui-test-%d", os.Getpid())}
	path := "/dev/shm" + backing.Path
	budget := New(10000, "")
	made, err := budget.Map(backing, 6000)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode() != 0o600 || info.Size() != 6000 || budget.Used() != 6000 {
		t.Errorf("%v: %v, %d bytes, %d of the budget", err, info.Mode(), info.Size(), budget.Used())
	}
	other, err := budget.Map(backing, 0)
	if err != nil || len(other.Bytes()) != 6000 || budget.Used() != 6000 {
		t.Fatalf("%v: the object is mapped a second time, with %d of the budget", err, budget.Used())
	}
	copy(made.Bytes(), "seen")
	if string(other.Bytes()[:4]) != "seen" {
		t.Errorf("the other mapping has %q", other.Bytes()[:4])
	}
	if err := errors.Join(other.Close(), other.Close()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("who did not make it took it away: %v", err)
	}
	if err := errors.Join(made.Close(), made.Close()); err != nil || budget.Used() != 0 {
		t.Errorf("%v, %d of the budget is left", err, budget.Used())
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("who made it left it: %v", err)
	}
	var full *Error
	if _, err := budget.Map(backing, 20000); !errors.As(err, &full) {
		t.Errorf("more than the budget: %v", err)
	}
	if err := os.Symlink("/etc/passwd", path); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(path)
	if _, err := budget.Map(backing, 0); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("a link was followed: %v", err)
	}
}

// TestMapHuge maps a page if the host has one free; otherwise the error must say how to get one.
func TestMapHuge(t *testing.T) {
	const tooMuch = 1 << 50 // bytes: more than the address space
	pool := readHugePool(os.DirFS("/"), 0)
	_, err := New(0, "").Map(verbs.Backing{Kind: verbs.HugePages}, tooMuch)
	if !pool.known {
		if !errors.Is(err, syscall.EINVAL) {
			t.Errorf("a kernel without huge pages: %v, want EINVAL", err)
		}
		return
	}
	var failed *MapError
	want := fmt.Sprintf("sysctl vm.nr_hugepages=%d", pool.total+tooMuch/pool.size-pool.free)
	if !errors.As(err, &failed) || !errors.Is(err, syscall.ENOMEM) || !strings.HasSuffix(failed.Remedy(), want) {
		t.Errorf("%v, want ENOMEM and %q", err, want)
	}
	for _, odd := range []struct{ page, length uint64 }{{0, 100}, {0, 0}, {4096, 4096}, {12345, 12345}} {
		if _, err := New(0, "").Map(verbs.Backing{Kind: verbs.HugePages, PageSize: odd.page},
			odd.length); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%+v: %v, want EINVAL", odd, err)
		}
	}
	if pool.free == 0 {
		return
	}
	m, err := New(0, "").Map(verbs.Backing{Kind: verbs.HugePages, PageSize: pool.size}, pool.size)
	if err != nil {
		t.Fatal(err)
	}
	m.Bytes()[pool.size-1] = 1
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

// TestMissingHugePages: a kernel without any size is not told like one without this size.
func TestMissingHugePages(t *testing.T) {
	const two = "sys/kernel/mm/hugepages/hugepages-2048kB/"
	none := fstest.MapFS{"proc/meminfo": {Data: []byte("MemTotal: 1 kB\nMemFree: 1 kB\n")}}
	some := fstest.MapFS{"proc/meminfo": {Data: []byte("MemTotal: 1 kB\nHugepagesize:       2048 kB\n")},
		two + "nr_hugepages": {Data: []byte("3\n")}}
	for _, tt := range []struct {
		files fstest.MapFS
		size  uint64
		want  string // "": there is a pool
	}{
		{none, 0, "this kernel has no huge pages: leave out backing=hugetlb"},
		{none, 2 << 20, "this kernel has no huge pages: leave out backing=hugetlb"},
		{some, 1 << 30, "the kernel has no huge pages of 1 GiB: ls /sys/kernel/mm/hugepages lists the sizes"},
		{some, 0, ""},
	} {
		pool := readHugePool(tt.files, tt.size)
		if pool.known != (tt.want == "") || !pool.known && !strings.HasPrefix(pool.missing(), tt.want) {
			t.Errorf("%d: %+v, %q, want %q", tt.size, pool, pool.missing(), tt.want)
		}
	}
}

func TestInHugePages(t *testing.T) {
	pool := readHugePool(os.DirFS("/"), 0)
	if !pool.known {
		if got := InHugePages(100); got != 100 {
			t.Errorf("%d bytes, want 100 on a kernel without huge pages", got)
		}
		return
	}
	for length, pages := range map[uint64]uint64{0: 0, 1: 1, pool.size: 1, pool.size + 1: 2, 3*pool.size - 1: 3} {
		if got := InHugePages(length); got != pages*pool.size {
			t.Errorf("%d bytes: %d, want %d pages of %d", length, got, pages, pool.size)
		}
	}
}
