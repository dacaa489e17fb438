package memory

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"rdmatui/verbs"
)

// TestMapDMABuf maps a dma-buf if the kernel can create one; otherwise the error must say what is missing.
func TestMapDMABuf(t *testing.T) {
	page := uint64(os.Getpagesize())
	budget := New(100*page, "")
	backing := verbs.Backing{Kind: verbs.DMABuf, FD: verbs.NewDMABuf}
	made, err := budget.Map(backing, 2*page)
	var failed *MapError
	if _, missing := os.Stat(udmabufPath); missing != nil {
		if !errors.As(err, &failed) || !errors.Is(err, os.ErrNotExist) ||
			!strings.Contains(failed.Remedy(), "modprobe udmabuf") || budget.Used() != 0 {
			t.Errorf("%v, with %d of the budget; want ENOENT", err, budget.Used())
		}
		return
	}
	if err != nil || uint64(len(made.Bytes())) != 2*page || budget.Used() != 2*page || made.ReadOnly() {
		t.Fatalf("%v, %d of the budget", err, budget.Used())
	}
	fd, ok := made.Descriptor()
	again, err := budget.Map(verbs.Backing{Kind: verbs.DMABuf, FD: int(fd), Offset: page}, 0)
	if err != nil || !ok || uint64(len(again.Bytes())) != page {
		t.Fatal(err, ok)
	}
	if err := made.Reach(true, func() { copy(made.Bytes()[page:], "seen") }); err != nil ||
		string(again.Bytes()[:4]) != "seen" {
		t.Errorf("%v: the other mapping has %q", err, again.Bytes()[:4])
	}
	for _, tt := range []struct {
		fd             int
		offset, length uint64
		want           string
	}{
		{int(fd), 0, 2*page + 1, "are asked for"}, {int(fd), 1, 1, "page size"}, {verbs.NewDMABuf, 0, 100, "page size"},
		{verbs.NewDMABuf, 0, 0, "page size"},
	} {
		if _, err := budget.Map(verbs.Backing{Kind: verbs.DMABuf, FD: tt.fd, Offset: tt.offset},
			tt.length); !errors.Is(err, syscall.EINVAL) || !errors.As(err, &failed) ||
			!strings.Contains(failed.Remedy(), tt.want) {
			t.Errorf("%+v: %v", tt, err)
		}
	}
	if err := errors.Join(made.Close(), made.Close()); err != nil || budget.Used() != 0 {
		t.Errorf("%v, %d of the budget is left", err, budget.Used())
	}
	if string(again.Bytes()[:4]) != "seen" {
		t.Error("the buffer went with the one mapping")
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

// TestDMABufDescriptors checks that a closed descriptor and one that is no dma-buf are refused.
func TestDMABufDescriptors(t *testing.T) {
	f, err := os.Open(newFile(t, 8192))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for fd, want := range map[int]struct {
		errno  error
		remedy string
	}{int(f.Fd()): {syscall.EINVAL, "is not a dma-buf"}, 1 << 20: {syscall.EBADF, "with descriptor 1048576 open"}} {
		_, err := New(1<<20, "").Map(verbs.Backing{Kind: verbs.DMABuf, FD: fd}, 4096)
		var failed *MapError
		if !errors.Is(err, want.errno) || !errors.As(err, &failed) || !strings.Contains(failed.Remedy(), want.remedy) {
			t.Errorf("descriptor %d: %v, want %v", fd, err, want.errno)
		}
	}
}
