package session

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rdmatui/session/core"
	"rdmatui/session/timeline"
)

// TestFilesThatCannotBeWritten: nothing of them is left, and the name is free again.
func TestFilesThatCannotBeWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	for name, spoil := range map[string]func(*File) error{
		"the disk is full": func(f *File) error { f.WriteString("x"); return f.file.Close() }, // so that the flush fails
		"what is written":  func(*File) error { return errors.New("refused") },
	} {
		f, err := CreateFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Finish(spoil(f)); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the file is left: %v", name, err)
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
		t.Errorf("a file that is there: %v", err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 || info.Size() != 1 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestFilesOfCommandsArePrivate: they have keys and payload in them.
func TestFilesOfCommandsArePrivate(t *testing.T) {
	s, dir := newSoft(t, core.Options{}), t.TempDir()
	runScript(t, s, "open_device soft0\nalloc_pd pd\ncreate_cq cq\ncreate_qp a\ncapture soft0 on file="+filepath.Join(dir, "c")+
		"\nreg_mr m length=64\nconnect_qps a a\npost_recv a sge=m:0:8\npost_send a SEND sge=m:0:8\npoll_cq cq n=2 timeout=10s\nsave_packets "+filepath.Join(dir, "p")+
		"\ncapture soft0 off\nsave "+filepath.Join(dir, "s")+"\nexport c "+filepath.Join(dir, "e")+"\nexport script "+filepath.Join(dir, "r"))
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 5 {
		t.Fatal(entries, err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 || info.Size() == 0 {
			t.Errorf("%s: %v, %v", e.Name(), info, err)
		}
	}
}

// TestCaptureThatCannotBeWritten: the end of a capture that comes of itself has no
// command to fail. The next to end it does, or else the session's end.
func TestCaptureThatCannotBeWritten(t *testing.T) {
	for _, off := range []bool{true, false} {
		var notes []string
		s := New(core.Options{Providers: newSoft(t, core.Options{}).core.Opts.Providers, Out: func(e timeline.Event) {
			if e.Kind == timeline.KindNote && e.Note.Level == timeline.LevelError {
				notes = append(notes, e.Note.Text)
			}
		}})
		runScript(t, s, "open_device soft0\nalloc_pd pd\ncreate_cq cq\ncreate_qp a\nreg_mr m length=64\nconnect_qps a a\ncapture soft0 on limit=1 file="+filepath.Join(t.TempDir(), "c"))
		tapsOf(s.core).mu.Lock()
		tapsOf(s.core).taps["soft0"].capture.file.to.file.Close() // as a full disk, it takes nothing more
		tapsOf(s.core).mu.Unlock()
		runScript(t, s, "post_recv a sge=m:0:8\npost_send a SEND sge=m:0:8\npoll_cq cq n=2 timeout=10s")
		for failed := false; !failed; time.Sleep(time.Millisecond) {
			tapsOf(s.core).mu.Lock()
			failed = tapsOf(s.core).taps["soft0"].failed != nil
			tapsOf(s.core).mu.Unlock()
		}
		if off {
			if done, err := s.Exec(t.Context(), "capture soft0 off"); err == nil || !strings.Contains(done.Err, "capture of soft0: writing") {
				t.Errorf("the command that ends it: %v", err)
			}
		}
		if err := s.Close(); (err != nil) == off {
			t.Errorf("told by a command %v, and at the end: %v", off, err)
		}
		if len(notes) != 1 || strings.Contains(notes[0], "\n") {
			t.Errorf("%q", notes)
		}
	}
}
