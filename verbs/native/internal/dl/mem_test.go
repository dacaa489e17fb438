//go:build linux

package dl

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"runtime"
	"testing"
)

func TestMemIsZeroedAndAligned(t *testing.T) {
	m := newMem(t, 5000)
	if m.Len() != 5000 || len(m.Bytes()) != 5000 {
		t.Errorf("Len %d, Bytes %d, want 5000", m.Len(), len(m.Bytes()))
	}
	if m.Addr()%uintptr(os.Getpagesize()) != 0 {
		t.Errorf("address %#x is not page-aligned", m.Addr())
	}
	if !bytes.Equal(m.Bytes(), make([]byte, 5000)) {
		t.Error("not zeroed")
	}
}

func TestMemRefusesBadSizes(t *testing.T) {
	for _, size := range []int{0, -1, math.MinInt, math.MaxInt, math.MaxInt - 4096} {
		if m, err := NewMem(size); err == nil {
			t.Errorf("NewMem(%d) succeeds", size)
			m.Close()
		}
	}
}

func TestMemReadAt(t *testing.T) {
	m := newMem(t, 8)
	if _, err := m.WriteAt([]byte("abcdefgh"), 0); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		off  int64
		size int
		want string
		err  error
	}{
		{0, 8, "abcdefgh", nil},
		{2, 3, "cde", nil},
		{6, 4, "gh", io.EOF},
		{8, 1, "", io.EOF},
		{math.MaxInt64, 1, "", io.EOF},
	}
	for _, tt := range tests {
		p := make([]byte, tt.size)
		n, err := m.ReadAt(p, tt.off)
		if string(p[:n]) != tt.want || err != tt.err {
			t.Errorf("ReadAt(%d bytes, %d) = %q, %v; want %q, %v", tt.size, tt.off, p[:n], err, tt.want, tt.err)
		}
	}
	if _, err := m.ReadAt(make([]byte, 1), -1); err == nil {
		t.Error("read before the start succeeds")
	}
}

func TestMemWriteAtStaysInside(t *testing.T) {
	tests := []struct {
		off  int64
		data string
		ok   bool
	}{
		{0, "12345678", true},
		{8, "", true},
		{5, "xyz", true},
		{5, "wxyz", false},
		{9, "", false},
		{-1, "a", false},
		{math.MaxInt64, "a", false},
	}
	for _, tt := range tests {
		m := newMem(t, 8)
		n, err := m.WriteAt([]byte(tt.data), tt.off)
		if (err == nil) != tt.ok || tt.ok && n != len(tt.data) {
			t.Errorf("WriteAt(%q, %d) = %d, %v; want ok %v", tt.data, tt.off, n, err, tt.ok)
		}
		if !tt.ok && !bytes.Equal(m.Bytes(), make([]byte, 8)) {
			t.Errorf("WriteAt(%q, %d) failed but wrote %q", tt.data, tt.off, m.Bytes())
		}
	}
}

func TestMemClose(t *testing.T) {
	m, err := NewMem(1)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if m.Addr() != 0 || m.Len() != 0 || m.Bytes() != nil {
		t.Errorf("after Close: address %#x, length %d", m.Addr(), m.Len())
	}
	if _, err := m.ReadAt(make([]byte, 1), 0); !errors.Is(err, ErrClosed) {
		t.Errorf("ReadAt: %v", err)
	}
	if _, err := m.WriteAt([]byte{1}, 0); !errors.Is(err, ErrClosed) {
		t.Errorf("WriteAt: %v", err)
	}
}

func TestMemKeepsItsAddress(t *testing.T) {
	m := newMem(t, 64)
	addr := m.Addr()
	m.Bytes()[63] = 7
	runtime.GC()
	if m.Addr() != addr || *View[byte](addr + 63) != 7 {
		t.Errorf("was %#x, is %#x, last byte %d", addr, m.Addr(), *View[byte](addr + 63))
	}
}

func TestString(t *testing.T) {
	m := newMem(t, 8)
	copy(m.Bytes(), "rxe0\x00abc")
	tests := []struct {
		addr  uintptr
		limit int
		want  string
	}{
		{m.Addr(), 64, "rxe0"},
		{m.Addr(), 2, "rx"},
		{m.Addr(), 0, ""},
		{0, 64, ""},
	}
	for _, tt := range tests {
		if got := String(tt.addr, tt.limit); got != tt.want {
			t.Errorf("String(%#x, %d) = %q, want %q", tt.addr, tt.limit, got, tt.want)
		}
	}
}

func TestBytes(t *testing.T) {
	m := newMem(t, 8)
	copy(m.Bytes(), "ab\x00cdefg")
	if got := Bytes(m.Addr(), 5); string(got) != "ab\x00cd" {
		t.Errorf("%q", got)
	}
	got := Bytes(m.Addr(), 1)
	m.Bytes()[0] = 'x'
	if string(got) != "a" {
		t.Errorf("%q: not a copy", got)
	}
	for _, got := range [][]byte{Bytes(0, 5), Bytes(m.Addr(), 0), Bytes(m.Addr(), -1)} {
		if got != nil {
			t.Errorf("%q, want nil", got)
		}
	}
}
