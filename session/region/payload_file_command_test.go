package region_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
)

func TestPayloadOfAFile(t *testing.T) {
	s, _ := sessiontest.NewFaked(t, core.Options{})
	sessiontest.RunScript(t, s, sessiontest.Everything)
	dir := t.TempDir()
	write := func(name string, p []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, p, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	length := s.Snapshot().MRs[0].Length
	fits := write("with a blank", []byte("from a file\x1b[2J"))
	d := sessiontest.Execute(t, s, `write_mem mr file:"`+fits+`" offset=3`)
	if d.Result != "15 bytes written" {
		t.Errorf("%q", d.Result)
	}
	if want := `file:"` + fits + `"`; !strings.Contains(d.Resolved, want) {
		t.Errorf("%q does not have %s", d.Resolved, want)
	}
	sessiontest.Execute(t, s, d.Resolved) // the resolved line is valid again
	sessiontest.Execute(t, s, `expect mem mr 3 "from a file\x1b[2J"`)
	sessiontest.Execute(t, s, `expect mem mr 3 file:"`+fits+`"`)
	sessiontest.Execute(t, s, `write_mem mr "file:none"`) // text
	sessiontest.Execute(t, s, `expect mem mr 0 0x66696c653a6e6f6e65`)

	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	big := write("big", make([]byte, length+1))
	for path, want := range map[string]string{
		filepath.Join(dir, "none"): "no such file",
		dir:                        "is a directory",
		pipe:                       "is not a regular file",
		"/dev/zero":                "is not a regular file",
		big:                        "there is room for",
	} {
		d, err := s.Exec(t.Context(), "write_mem mr file:"+path)
		if err == nil || !strings.Contains(d.Err, want) || !strings.Contains(d.Err, path) ||
			strings.Contains(d.Err, "\n") {
			t.Errorf("%s: %q, want %q", path, d.Err, want)
		}
	}
	if _, err := s.Exec(t.Context(), "write_mem mr file:"); err == nil {
		t.Error("a file without a path is accepted")
	}
}

// TestPayloadOfAFileThatWaits reads the kernel log, a regular file that blocks its
// reader.
func TestPayloadOfAFileThatWaits(t *testing.T) {
	const log = "/proc/kmsg"
	if f, err := os.Open(log); err != nil {
		t.Skipf("%s is not readable: %v", log, err)
	} else {
		f.Close()
	}
	s, _ := sessiontest.NewFaked(t, core.Options{})
	sessiontest.RunScript(t, s, "open_device\nalloc_pd\nreg_mr length=33554432")
	ctx, cancel := context.WithCancel(t.Context())
	ended := sessiontest.Begin(ctx, s, "write_mem mr file:"+log)
	for w, ok := s.Waiting(); !ok || w.Line == ""; w, ok = s.Waiting() {
	}
	cancel()
	if end := <-ended; !strings.Contains(end.Err, "stopped") {
		t.Errorf("%q", end.Err)
	}
}
