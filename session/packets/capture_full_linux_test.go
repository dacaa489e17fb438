package packets_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rdmatui/session"
	"rdmatui/session/core"
	"rdmatui/session/sessiontest"
	"rdmatui/session/timeline"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// TestCaptureThatCannotBeWritten: a capture that ends by itself has no command that
// could fail. Its error is returned by the next command that ends a capture, or by
// Close.
func TestCaptureThatCannotBeWritten(t *testing.T) {
	for _, off := range []bool{true, false} {
		var mu sync.Mutex
		var notes []string
		told := func() []string {
			mu.Lock()
			defer mu.Unlock()
			return notes
		}
		s := session.New(core.Options{Providers: sessiontest.NewSoft(t, core.Options{}).Core().Opts.Providers,
			Out: func(e timeline.Event) {
				if e.Kind == timeline.KindNote && e.Note.Level == timeline.LevelError {
					mu.Lock()
					defer mu.Unlock()
					notes = append(notes, e.Note.Text)
				}
			}})
		path := filepath.Join(t.TempDir(), "c")
		sessiontest.RunScript(t, s, "open_device soft0\nalloc_pd pd\ncreate_cq cq\ncreate_qp a\nreg_mr m length=64\nconnect_qps a a\ncapture soft0 on limit=1 file="+path)
		fillDisk(t, path)
		sessiontest.RunScript(t, s, "post_recv a sge=m:0:8\npost_send a SEND sge=m:0:8\npoll_cq cq n=2 timeout=10s")
		for len(told()) == 0 {
			time.Sleep(time.Millisecond)
		}
		if off {
			if done, err := s.Exec(t.Context(), "capture soft0 off"); err == nil ||
				!strings.Contains(done.Err, "capture of soft0: writing") {
				t.Errorf("the command that ends it: %v", err)
			}
		}
		if err := s.Close(); (err != nil) == off {
			t.Errorf("returned by a command: %v; at the end: %v", off, err)
		}
		if notes := told(); len(notes) != 1 || strings.Contains(notes[0], "\n") {
			t.Errorf("%q", notes)
		}
	}
}

// fillDisk makes further writes to an open file of this process fail.
func fillDisk(t *testing.T, path string) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	fds, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range fds {
		if to, err := os.Readlink(link); err != nil || to != path {
			continue
		}
		fd, err := strconv.Atoi(filepath.Base(link))
		if err == nil {
			err = unix.Dup3(int(full.Fd()), fd, unix.O_CLOEXEC)
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatalf("%s is not open", path)
}

// TestCaptureFailsAtClose closes sessions with two captures, one of which fails to
// finish its file: the error is returned in whichever order they end.
func TestCaptureFailsAtClose(t *testing.T) {
	for range 10 {
		s, dir := session.New(core.Options{Providers: []verbs.Provider{soft.New(soft.Options{})}}), t.TempDir()
		sessiontest.RunScript(t, s, fmt.Sprintf("capture soft0 on file=%q\ncapture soft1 on file=%q", dir+"/bad",
			dir+"/good"))
		fillDisk(t, dir+"/bad")
		if err := s.Close(); err == nil || !strings.Contains(err.Error(), "writing "+dir+"/bad") {
			t.Fatal(err)
		}
	}
}
