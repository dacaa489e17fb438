package memory

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"rdmatui/verbs"
)

// newFile creates a file of size bytes with ascending values.
func newFile(t *testing.T, size int) string {
	t.Helper()
	p := make([]byte, size)
	for i := range p {
		p[i] = byte(i)
	}
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, p, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func mustMap(t *testing.T, backing verbs.Backing, length uint64) *Mapping {
	t.Helper()
	m, err := New(1<<20, "").Map(backing, length)
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

func TestMapFile(t *testing.T) {
	page := uint64(os.Getpagesize())
	path := newFile(t, int(page)+100)
	all := mustMap(t, verbs.Backing{Kind: verbs.FileMapping, Path: path}, 0)
	rest := mustMap(t, verbs.Backing{Kind: verbs.FileMapping, Path: path, Offset: page}, 0)
	if len(all.Bytes()) != int(page)+100 || len(rest.Bytes()) != 100 || all.ReadOnly() || !all.Fragile() {
		t.Fatalf("%d and %d bytes", len(all.Bytes()), len(rest.Bytes()))
	}
	if err := all.Reach(true, func() { copy(all.Bytes()[page:], "hello") }); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got[page:page+5], []byte("hello")) ||
		!bytes.HasPrefix(rest.Bytes(), []byte("hello")) {
		t.Errorf("%v: the file has %q, the other mapping %q", err, got[page:page+5], rest.Bytes()[:5])
	}
}

// TestReachTruncated checks that truncating a mapped file causes an error and does not kill the
// process.
func TestReachTruncated(t *testing.T) {
	path := newFile(t, 3*os.Getpagesize())
	m := mustMap(t, verbs.Backing{Kind: verbs.FileMapping, Path: path}, 0)
	if err := os.Truncate(path, 10); err != nil {
		t.Fatal(err)
	}
	p := make([]byte, len(m.Bytes()))
	for name, touch := range map[bool]func(){false: func() { copy(p, m.Bytes()) },
		true: func() { copy(m.Bytes()[os.Getpagesize():], p) }} {
		if err := m.Reach(name, touch); !errors.Is(err, syscall.EFAULT) {
			t.Errorf("writing %v: %v, want EFAULT", name, err)
		}
	}
	if err := m.Reach(false, func() { copy(p, m.Bytes()[:10]) }); err != nil || p[9] != 9 {
		t.Errorf("%v, and % x: what is left of the file can still be read", err, p[:10])
	}
	defer func() {
		if recover() == nil {
			t.Error("a panic that is no fault was swallowed")
		}
	}()
	_ = m.Reach(false, func() { panic("other") })
}

func TestMapReadOnly(t *testing.T) {
	self, err := os.Executable() // not even root may write to a running program
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("no program that cannot be written: ", err)
	}
	m := mustMap(t, verbs.Backing{Kind: verbs.FileMapping, Path: self}, 16)
	if !m.ReadOnly() {
		t.Fatal("the running program was mapped for writing")
	}
	if err := m.Reach(true, func() { t.Error("touched") }); !errors.Is(err, syscall.EACCES) {
		t.Errorf("%v, want EACCES", err)
	}
}

func TestMapRefusals(t *testing.T) {
	path := newFile(t, 100)
	empty := newFile(t, 0)
	link := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(link, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		kind    verbs.BackingKind
		path    string
		offset  uint64
		length  uint64
		want    error
		remedy  string
		onLinux bool
	}{
		{verbs.FileMapping, path, 0, 101, syscall.EINVAL, "the size is 100 bytes", false},
		{verbs.FileMapping, path, 1, 1, syscall.EINVAL, "page size", false},
		{verbs.FileMapping, path, 1 << 20, 0, syscall.EINVAL, "the size is 100 bytes", false},
		{verbs.FileMapping, path, 1 << 62, 1 << 63, syscall.EINVAL, "no memory", false},
		{verbs.FileMapping, empty, 0, 0, syscall.EINVAL, "empty", false},
		{verbs.FileMapping, path + "x", 0, 1, syscall.ENOENT, "truncate -s", false},
		{verbs.FileMapping, filepath.Dir(path), 0, 1, syscall.EISDIR, "regular file", false},
		{verbs.FileMapping, link, 0, 1, syscall.ENODEV, "regular file", false},
		{verbs.SharedMemory, "/rdmatui-not-there", 0, 0, syscall.ENOENT, "length", true},
		{verbs.SharedMemory, "/a/b", 0, 1, syscall.EINVAL, "slash", true},
		{verbs.SharedMemory, "/..", 0, 1, syscall.EINVAL, "slash", true},
		{verbs.SharedMemory, "name", 0, 1, syscall.EINVAL, "slash", true},
	} {
		if tt.onLinux && runtime.GOOS != "linux" {
			continue
		}
		m, err := New(1<<20, "").Map(verbs.Backing{Kind: tt.kind, Path: tt.path, Offset: tt.offset}, tt.length)
		var failed *MapError
		if !errors.Is(err, tt.want) || !errors.As(err, &failed) || !strings.Contains(failed.Remedy(), tt.remedy) {
			t.Errorf("%s from %d, %d bytes: %v, want %v and a remedy with %q", tt.path, tt.offset, tt.length, err,
				tt.want, tt.remedy)
			if failed != nil {
				t.Error(failed.Remedy())
			}
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}
