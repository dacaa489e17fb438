package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestSession: the lines that were kept last are read as they were, by the owner only.
func TestSession(t *testing.T) {
	r := newRig(t)
	s := r.open()
	for _, lines := range [][]string{{"note old", "note older"}, {"open_device soft0", `note "a\x1b \\ ü"`}, nil} {
		if err := s.KeepSession(lines, len(lines) == 2 && lines[0] == "open_device soft0"); err != nil {
			t.Fatal(err)
		}
	}
	last, err := LastSession(r.Folders, func(string) error { return nil })
	if err != nil || !last.Cut || !slices.Equal(last.Lines, []string{"open_device soft0", `note "a\x1b \\ ü"`}) {
		t.Errorf("%+v, %v", last, err)
	}
	info, err := os.Stat(filepath.Join(r.State, sessionName))
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if err := s.KeepSession([]string{strings.Repeat("x", maxSessionBytes)}, false); err == nil {
		t.Error("a session that is too long is kept")
	}
}

// TestShorterSession: a session that was run again only in part stays, unless the new one is as long.
func TestShorterSession(t *testing.T) {
	r := newRig(t)
	s := r.open()
	old, longer := []string{"note a", "note b", "note c"}, []string{"note 1", "note 2", "note 3"}
	for _, tt := range []struct {
		least int
		lines []string
		want  []string
	}{{0, old, old}, {3, []string{"note a"}, old}, {3, longer, longer}, {0, []string{"note x"}, []string{"note x"}}} {
		s.KeepLonger(tt.least)
		if err := s.KeepSession(tt.lines, false); err != nil {
			t.Fatal(err)
		}
		last, err := LastSession(r.Folders, func(string) error { return nil })
		if err != nil || !slices.Equal(last.Lines, tt.want) {
			t.Errorf("%q, if it has %d: %+v, %v; want %q", tt.lines, tt.least, last, err, tt.want)
		}
	}
	(*Store)(nil).KeepLonger(1)
}

// TestNoSession: without a history no session is kept either.
func TestNoSession(t *testing.T) {
	r := newRig(t)
	r.write(r.Config, configName, "history = 0\n")
	if err := r.open().KeepSession([]string{"note a"}, false); err != nil {
		t.Fatal(err)
	}
	if last, err := LastSession(r.Folders, nil); err == nil || !strings.Contains(err.Error(), "no session is kept") {
		t.Errorf("%+v, %v", last, err)
	}
	if _, err := LastSession(Folders{}, nil); err == nil || !strings.Contains(err.Error(), "XDG_STATE_HOME") {
		t.Errorf("without a folder: %v", err)
	}
	var none *Store
	if err := none.KeepSession([]string{"note a"}, false); err != nil {
		t.Error(err)
	}
}

// TestDamagedSession: a file that is not as KeepSession writes it is refused as a whole, with the line.
func TestDamagedSession(t *testing.T) {
	const noEnd = "session: it is no session of rdmatui, or its end is missing"
	const lines = "session: it should have "
	const other, second = "session:1: it is no session of rdmatui", "session:2: a session has no such line"
	long := strings.Repeat("x", maxHistoryLine+1)
	for name, tt := range map[string]struct{ text, want string }{
		"empty":          {"", noEnd},
		"end missing":    {"# rdmatui session: 1 lines\nnote a", noEnd},
		"line missing":   {"# rdmatui session: 2 lines\nnote a\n", lines + "2 lines and has 1"},
		"line too many":  {"# rdmatui session: 0 lines\nnote a\n", lines + "0 lines and has 1"},
		"another script": {"note a\n", other},
		"long number":    {"# rdmatui session: 99999999999999999999 lines\n", other},
		"bell":           {"# rdmatui session: 1 lines\nnote \a\n", second},
		"not UTF-8":      {"# rdmatui session: 1 lines\nnote \xff\n", second},
		"carriage":       {"# rdmatui session: 1 lines\nnote a\r\n", second},
		"comment":        {"# rdmatui session: 2 lines\nnote a\n# b\n", "session:3: a session has no such line"},
		"blank":          {"# rdmatui session: 2 lines\n\nnote a\n", second},
		"long line":      {"# rdmatui session: 1 lines\n" + long + "\n", second},
		"refused":        {"# rdmatui session: 1 lines\nbad\n", "session:2: bad is bad"},
		"large":          {strings.Repeat("x", maxSessionBytes+1), "session: it is longer than 1048576 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.write(r.State, sessionName, tt.text)
			last, err := LastSession(r.Folders, func(l string) error {
				if l == "bad" {
					return errors.New("bad is bad")
				}
				return nil
			})
			if last != nil || err == nil || !strings.HasSuffix(err.Error(), tt.want) {
				t.Errorf("%+v, %v; want %s", last, err, tt.want)
			}
		})
	}
	t.Run("pipe", func(t *testing.T) {
		r := newRig(t)
		r.write(r.State, stateName, "")
		if err := syscall.Mkfifo(filepath.Join(r.State, sessionName), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := LastSession(r.Folders, nil); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Error(err)
		}
	})
}
