package region

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPayloadLargerThanItTells: some files have more bytes than their size says, and so does one that has grown.
func TestPayloadLargerThanItTells(t *testing.T) {
	const text = "0123456789"
	for _, tt := range []struct {
		size, limit uint64
		want        string
	}{
		{10, 10, ""}, {0, 10, ""}, {0, 11, ""},
		{11, 10, "f has 11 bytes, but there is room for only 10"},
		{0, 9, "f has more than 9 bytes"},
		{9, 9, "f has more than 9 bytes"},
		{0, 0, "f has more than 0 bytes"},
	} {
		r := strings.NewReader(text)
		p, err := readUpTo(r, "f", tt.size, tt.limit)
		if tt.want == "" && (err != nil || string(p) != text) || tt.want != "" &&
			(err == nil || err.Error() != tt.want || p != nil) {
			t.Errorf("size %d, limit %d: %q, %v", tt.size, tt.limit, p, err)
		}
		if read := uint64(len(text) - r.Len()); read > tt.limit+1 {
			t.Errorf("size %d, limit %d: read %d bytes", tt.size, tt.limit, read)
		}
	}
}

// TestWorkThatCannotBeCancelled: the caller leaves it behind when its context ends.
func TestWorkThatCannotBeCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	forever := make(chan struct{})
	defer close(forever)
	_, err := orDone(ctx, func() (int, error) {
		cancel()
		<-forever
		return 1, nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if n, err := orDone(t.Context(), func() (int, error) { return 7, nil }); n != 7 || err != nil {
		t.Error(n, err)
	}
	if _, err := orDone(t.Context(), func() (int, error) { return 0, syscall.EIO }); err != syscall.EIO {
		t.Error(err)
	}
}

// TestPayloadFile: the size of a file, or why it cannot be read.
func TestPayloadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("0123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := PayloadFile(path); n != 10 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	if n, err := PayloadFile(path + "x"); n != 0 || !errors.Is(err, syscall.ENOENT) {
		t.Errorf("no such file: %d bytes, %v", n, err)
	}
	if _, err := PayloadFile(filepath.Dir(path)); err == nil || !strings.HasSuffix(err.Error(), "is a directory") {
		t.Errorf("a directory: %v", err)
	}
}
