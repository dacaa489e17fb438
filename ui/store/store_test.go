package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// rig opens stores over the same folders.
type rig struct {
	*testing.T
	Folders
}

func newRig(t *testing.T) rig {
	dir := t.TempDir()
	return rig{t, FoldersFrom(func(k string) string {
		return map[string]string{"XDG_CONFIG_HOME": filepath.Join(dir, "c"),
			"XDG_STATE_HOME": filepath.Join(dir, "s")}[k]
	})}
}

// open expects one problem for each text, containing that text.
func (r rig) open(problems ...string) *Store {
	r.Helper()
	s, errs := Open(r.Folders, NewSettings([]string{"dark", "light"}))
	if len(errs) != len(problems) {
		r.Fatalf("problems %v, want %q", errs, problems)
	}
	for i, err := range errs {
		if !strings.Contains(err.Error(), problems[i]) {
			r.Errorf("the problem is %q, want %q", err, problems[i])
		}
	}
	return s
}

func (r rig) write(folder, name, text string) {
	r.Helper()
	if err := errors.Join(os.MkdirAll(folder, 0o700),
		os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600)); err != nil {
		r.Fatal(err)
	}
}

func (r rig) read(folder, name string) string {
	r.Helper()
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		r.Fatal(err)
	}
	return string(text)
}

func (r rig) save(s *Store) {
	r.Helper()
	if err := s.Save(); err != nil {
		r.Error(err)
	}
}

func TestFolders(t *testing.T) {
	tests := []struct {
		env  map[string]string
		want Folders
	}{
		{map[string]string{"HOME": "/h"}, Folders{"/h/.config/rdmatui", "/h/.local/state/rdmatui"}},
		{map[string]string{"HOME": "/h", "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s"},
			Folders{"/c/rdmatui", "/s/rdmatui"}},
		{map[string]string{"HOME": "/h", "XDG_STATE_HOME": "s"},
			Folders{"/h/.config/rdmatui", "/h/.local/state/rdmatui"}},
		{map[string]string{"HOME": "h"}, Folders{}},
		{nil, Folders{}},
	}
	for _, tt := range tests {
		if got := FoldersFrom(func(k string) string { return tt.env[k] }); got != tt.want {
			t.Errorf("%v: %+v, want %+v", tt.env, got, tt.want)
		}
	}
}

// Saved values are there in the next run, readable by the owner only.
func TestNextRun(t *testing.T) {
	r := newRig(t)
	s := r.open()
	if s.Choice("theme") != "auto" || s.Choice("history") != "1000" || s.Recall(Address) != "" {
		t.Errorf("the defaults are %q, %q, %q", s.Choice("theme"), s.Choice("history"), s.Recall(Address))
	}
	if err := s.Choose("theme", "light"); err != nil {
		t.Error(err)
	}
	s.Remember(Address, "192.0.2.1 7471")
	s.AddHistory("open_device soft0")
	s.AddHistory("alloc_pd pd")
	r.save(s)
	s = r.open()
	if s.Choice("theme") != "light" || s.Recall(Address) != "192.0.2.1 7471" ||
		!slices.Equal(s.History(), []string{"open_device soft0", "alloc_pd pd"}) {
		t.Errorf("the next run has %q, %q, %q", s.Choice("theme"), s.Recall(Address), s.History())
	}
	for _, file := range []string{filepath.Join(r.Config, configName), filepath.Join(r.State, stateName),
		filepath.Join(r.State, historyName)} {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", file, info.Mode(), err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(r.State, "*.new")); left != nil {
		t.Errorf("left behind: %q", left)
	}
}

// TestWrongFiles: each invalid file is reported with line and cause, its valid values
// count, and it stays as it is.
func TestWrongFiles(t *testing.T) {
	tests := []struct{ name, text, problem, theme string }{
		{"syntax", "theme = \"light\"\nmouse = = 1\n", "config:2: ", "auto"},
		{"unknown key", "theme = \"light\"\n\nthme = \"dark\"\n", "config:3: there is no setting thme", "light"},
		{"wrong value", "# mine\ntheme = \"pink\"\n",
			`config:2: theme cannot be "pink"; it is one of auto, dark, light`, "auto"},
		{"wrong type", "history = \"many\"\ntheme = \"light\"",
			`config:1: history cannot be "many"; it is a number from 0 to 10000`, "light"},
		{"out of range", "history = -1", `config:1: history cannot be "-1"`, "auto"},
		{"two mistakes", "b = 1\na = 2\n", "config:1: there is no setting b (and 1 more)", "auto"},
		{"a table", "[theme]\nx = 1\n", "config:1: theme cannot be", "auto"},
		{"inline tables", "theme = 'light'\nx = " + strings.Repeat("{a=", 12000) + "1" + strings.Repeat("}", 12000),
			"config:2: more than 16 tables within each other", "auto"},
		{"dotted keys", strings.Repeat("a.", 24000) + "a = 1", "config:1: more than 16 tables", "auto"},
		{"dotted header", "[" + strings.Repeat("a.", 24000) + "a]", "config:1: more than 16 tables", "auto"},
		{"dots in quotes", "# " + strings.Repeat(".", 99) + "\ntheme = \"\\\"" + strings.Repeat("{.", 99) + "\"",
			"config:2: theme cannot be", "auto"},
		{"not text", "\x00\xff", "config:1: ", "auto"},
		{"too long", strings.Repeat("#", maxText+1), "it is longer than 65536 bytes", "auto"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.write(r.Config, configName, tt.text)
			if s := r.open(tt.problem); s.Choice("theme") != tt.theme {
				t.Errorf("the theme is %q, want %q", s.Choice("theme"), tt.theme)
			}
		})
	}
}

// A config that cannot be read is never overwritten, and each choice reports that.
func TestBrokenConfigStays(t *testing.T) {
	const broken = "theme = \"light\"\nmouse = = 1\n"
	r := newRig(t)
	r.write(r.Config, configName, broken)
	s := r.open("config:2: ")
	for range 2 {
		if err := s.Choose("theme", "dark"); err != nil {
			t.Error(err)
		}
		if err := s.Save(); err == nil ||
			!strings.Contains(err.Error(), "not kept: "+filepath.Join(r.Config, configName)+":2: ") {
			t.Errorf("saving says %v", err)
		}
	}
	if s.Choice("theme") != "dark" || r.read(r.Config, configName) != broken {
		t.Errorf("the theme is %q, the file %q", s.Choice("theme"), r.read(r.Config, configName))
	}
}

// A choice changes only its own line.
func TestEditKeepsTheRest(t *testing.T) {
	tests := []struct{ name, before, after string }{
		{"empty", "", "theme = \"light\"\n"},
		{"with comments", "# mine\n  theme = 'dark' # by day\nmouse = false\n",
			"# mine\n  theme = \"light\" # by day\nmouse = false\n"},
		{"other keys", "mouse = false\n", "theme = \"light\"\nmouse = false\n"},
		{"a table below", "[later]\ntheme2 = 1\n", "theme = \"light\"\n[later]\ntheme2 = 1\n"},
		{"no line end", "theme=\"dark\"", "theme=\"light\""},
		{"of a table", "[later]\ntheme = \"dark\"\n", ""},
		{"over lines", "theme = \"\"\"\ndark\"\"\"\n", ""},
	}
	for _, tt := range tests {
		s := NewSettings([]string{"dark", "light"})[0]
		got, err := edit("config", []byte(tt.before), &s, "light")
		if string(got) != tt.after || (err == nil) != (tt.after != "") {
			t.Errorf("%s: %q, %v; want %q", tt.name, got, err, tt.after)
		}
	}
}

// A symbolic link to the config stays a link.
func TestLinkStays(t *testing.T) {
	r := newRig(t)
	r.write(r.State, "mine", "mouse = false\n")
	if err := errors.Join(os.MkdirAll(r.Config, 0o700),
		os.Symlink(filepath.Join(r.State, "mine"), filepath.Join(r.Config, configName))); err != nil {
		t.Fatal(err)
	}
	s := r.open()
	if err := s.Choose("theme", "light"); err != nil {
		t.Error(err)
	}
	r.save(s)
	if got := r.read(r.State, "mine"); got != "theme = \"light\"\nmouse = false\n" {
		t.Errorf("the file behind the link is %q", got)
	}
}

// A state that cannot be read is moved aside when the next one is written.
func TestBrokenStateIsMovedAside(t *testing.T) {
	r := newRig(t)
	r.write(r.State, stateName, "address = = x")
	s := r.open("state:1: ")
	s.Remember(Address, "192.0.2.1")
	r.save(s)
	if s = r.open(); s.Recall(Address) != "192.0.2.1" || r.read(r.State, stateName+asideSuffix) != "address = = x" {
		t.Errorf("the state is %q", s.Recall(Address))
	}
}

// A file that cannot be read or written causes one warning, and the values count for
// this run.
func TestNoFolder(t *testing.T) {
	r := newRig(t)
	r.write(filepath.Dir(r.State), filepath.Base(r.State), "a file where the folder should be")
	s := r.open("state: not a directory", "history: not a directory")
	for i, want := range []int{1, 0} {
		s.Remember(Address, strings.Repeat("x", i+1))
		s.AddHistory("note " + strings.Repeat("x", i))
		err := s.Save()
		if n := strings.Count(errorText(err), "not a directory"); n != want {
			t.Errorf("save %d says %v", i, err)
		}
	}
	if s.Recall(Address) != "xx" || len(s.History()) != 2 {
		t.Errorf("lost: %q, %q", s.Recall(Address), s.History())
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Opening a FIFO for reading would wait for a writer.
func TestNoPlainFile(t *testing.T) {
	r := newRig(t)
	for _, name := range []string{stateName, historyName} {
		if err := errors.Join(os.MkdirAll(r.State, 0o700),
			syscall.Mkfifo(filepath.Join(r.State, name), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	s := r.open("state: this is not a regular file", "history: this is not a regular file")
	s.AddHistory("note x")
	r.save(s)
}

// Two instances write to one history; neither loses a line.
func TestHistoryOfTwo(t *testing.T) {
	r := newRig(t)
	a, b := r.open(), r.open()
	a.AddHistory("note a")
	r.save(a)
	b.AddHistory("note b")
	r.save(b)
	a.AddHistory("note c")
	r.save(a)
	if got := r.open().History(); !slices.Equal(got, []string{"note a", "note b", "note c"}) {
		t.Errorf("the history is %q", got)
	}
}

// Two instances remember different things; neither loses one, and what both remember is that of the last.
func TestStateOfTwo(t *testing.T) {
	r := newRig(t)
	a, b := r.open(), r.open()
	for _, x := range []struct {
		s          *Store
		key, value string
	}{{a, "tour.a", "1"}, {b, "tour.b", "2"}, {a, Address, "a"}, {b, Address, "b"}, {a, "tour.a", "3"}} {
		x.s.Remember(x.key, x.value)
		r.save(x.s)
	}
	s := r.open()
	for key, want := range map[string]string{"tour.a": "3", "tour.b": "2", Address: "b"} {
		if got := s.Recall(key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
}

// What could not be written is written by the next save that can, before what came later.
func TestWrittenLater(t *testing.T) {
	r := newRig(t)
	s := r.open()
	r.write(filepath.Dir(r.State), filepath.Base(r.State), "a file where the folder should be")
	for i := range 2 {
		s.Remember(Address, fmt.Sprint("address ", i))
		s.Remember(fmt.Sprint("tour.", i), "1")
		s.AddHistory(fmt.Sprint("note ", i))
		if err := s.Save(); (err != nil) != (i == 0) {
			t.Errorf("save %d says %v", i, err)
		}
	}
	if err := os.Remove(r.State); err != nil {
		t.Fatal(err)
	}
	s.AddHistory("note 2")
	r.save(s)
	s = r.open()
	if got := s.History(); !slices.Equal(got, []string{"note 0", "note 1", "note 2"}) {
		t.Errorf("the history is %q", got)
	}
	for key, want := range map[string]string{Address: "address 1", "tour.0": "1", "tour.1": "1"} {
		if got := s.Recall(key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
}

// A choice that could not be written is written by the next save that can, but for a key that was chosen anew; its
// error is reported once.
func TestChoiceWrittenLater(t *testing.T) {
	r := newRig(t)
	s := r.open()
	r.write(filepath.Dir(r.Config), filepath.Base(r.Config), "a file where the folder should be")
	choose := func(key, value string) {
		t.Helper()
		if err := s.Choose(key, value); err != nil {
			t.Fatal(err)
		}
	}
	choose("theme", "dark")
	choose("mouse", "false")
	if err := s.Save(); err == nil || !strings.Contains(err.Error(), "not kept: ") {
		t.Errorf("saving says %v", err)
	}
	s.AddHistory("note x")
	r.save(s) // nothing was chosen meanwhile
	if err := os.Remove(r.Config); err != nil {
		t.Fatal(err)
	}
	choose("theme", "light")
	r.save(s)
	if got := r.read(r.Config, configName); got != "theme = \"light\"\nmouse = false\n" {
		t.Errorf("the config is %q", got)
	}
	r.write(r.Config, configName, "mouse = true\n")
	s.AddHistory("note y")
	r.save(s)
	if got := r.read(r.Config, configName); got != "mouse = true\n" {
		t.Errorf("what was written is written again: %q", got)
	}
}

// A choice that can never be written does not keep others from being written.
func TestChoiceBesideAnother(t *testing.T) {
	const stays = "theme = \"\"\"\ndark\"\"\"\n"
	r := newRig(t)
	r.write(r.Config, configName, stays)
	s := r.open()
	for _, c := range []struct {
		key, value string
		kept       bool
	}{{"theme", "light", false}, {"mouse", "false", true}, {"theme", "dark", false}} {
		if err := s.Choose(c.key, c.value); err != nil {
			t.Fatal(err)
		}
		if err := s.Save(); (err == nil) != c.kept {
			t.Errorf("%s: saving says %v", c.key, err)
		}
	}
	if got := r.read(r.Config, configName); got != "mouse = false\n"+stays {
		t.Errorf("the config is %q", got)
	}
}

// The history is bounded, and contains no byte that acts on a terminal.
func TestHistoryIsBounded(t *testing.T) {
	r := newRig(t)
	r.write(r.Config, configName, "history = 3\n")
	r.write(r.State, historyName, strings.Repeat("x", maxHistoryBytes)+"\nold\n\x1b[31mred\xff\n"+
		strings.Repeat("y", maxHistoryLine+1)+"\nold\n")
	s := r.open()
	if got := s.History(); !slices.Equal(got, []string{"old", `\x1b[31mred\xff`, "old"}) {
		t.Errorf("the history is %q", got)
	}
	for _, l := range []string{"a\nb", "  ", "c", "c"} {
		s.AddHistory(l)
	}
	r.save(s)
	want := []string{"old", `a\nb`, "c"}
	if got := s.History(); !slices.Equal(got, want) {
		t.Errorf("the history is %q", got)
	}
	if got := r.read(r.State, historyName); got != strings.Join(want, "\n")+"\n" {
		t.Errorf("the file is %q", got)
	}
}

// Without folders or without a store nothing is kept.
func TestNothingIsKept(t *testing.T) {
	for _, s := range []*Store{nil, newRig(t).nowhere()} {
		s.AddHistory("note x")
		s.Remember(Address, "x")
		_ = s.Choose("theme", "dark")
		if err := s.Save(); err != nil {
			t.Error(err)
		}
	}
}

func (r rig) nowhere() *Store {
	r.Folders = Folders{}
	return r.open()
}
