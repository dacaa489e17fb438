package core

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFilesThatCannotBeWritten: no file is left, and the name can be used again.
func TestFilesThatCannotBeWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	for name, spoil := range map[string]func(*File) error{
		"the disk is full": func(f *File) error { f.WriteString("x"); return f.file.Close() }, // makes the flush fail
		"the write fails":  func(*File) error { return errors.New("refused") },
	} {
		f, err := CreateFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Finish(spoil(f)); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the file still exists: %v", name, err)
		}
	}
	f, err := CreateFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("x")
	if err := f.Finish(nil); err != nil {
		t.Error(err)
	}
	if _, err := CreateFile(path); !errors.Is(err, os.ErrExist) {
		t.Errorf("an existing file: %v", err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 || info.Size() != 1 {
		t.Errorf("%v, %v", info, err)
	}
}
