package ui

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"rdmatui/session/command"
	"rdmatui/ui/screen"
	"rdmatui/ui/store"
)

// A mistyped line stays to be corrected, and the session never sees it.
func TestMistypedLine(t *testing.T) {
	tests := []struct{ typed, told, tab string }{
		{"qury_qp a", `unknown command "qury_qp": did you mean query_qp?`, "query_qp a"},
		{"modify_qp a RTZ", "did you mean RTR?", "modify_qp a RTR"},
		{"alloc_pd pd nothing=1", "alloc_pd", "alloc_pd pd nothing=1"},
		{"theme pink", "unknown theme pink", ""},
		{"quit now", "quit takes no argument", ""},
		{"write x.pdf", "x.pdf: the extension says what to write", ""},
	}
	for _, tt := range tests {
		r := newRig(t, 120, 40)
		r.typed(tt.typed)
		if v := r.View(); strings.Count(v, tt.told) == 0 || !strings.Contains(v, ":"+tt.typed) ||
			strings.Count(v, "did you mean") > 1 {
			t.Errorf("%q is not told once beside the line:\n%s", tt.told, v)
		}
		if tt.tab != "" {
			if r.Keys("tab"); strings.TrimSpace(r.app.console.Value()) != tt.tab {
				t.Errorf("%s: tab makes it %q", tt.typed, r.app.console.Value())
			}
		}
		if n := len(r.sess.Timeline().Snapshot()); n > 0 {
			t.Errorf("%s: the journal has %d events", tt.typed, n)
		}
	}
}

// Full results stand above the line, also those of a key; what the bottom line showed
// reappears when the console closes.
func TestConsoleShowsResults(t *testing.T) {
	r := newRig(t, 120, 40, "open_device soft0")
	r.typed("alloc_pd")
	r.WaitFor("  pd\n")
	if !r.Contains(":open_device soft0") || !r.Contains(":alloc_pd") {
		t.Errorf("a command is missing:\n%s", r.View())
	}
	if r.Keys("esc"); r.app.console.IsOpen() || !r.Contains("alloc_pd → pd") {
		t.Errorf("the result is gone with the console:\n%s", r.View())
	}
	if r.Keys("x"); r.Contains("→ pd") {
		t.Errorf("it stays after the next key:\n%s", r.View())
	}
}

// The console closes after it has run a line that a screen started.
func TestLineOfAScreen(t *testing.T) {
	r := newRig(t, 120, 40, "open_device soft0")
	r.Send(screen.EditMsg{Line: "alloc_pd"})
	r.Type(" pd")
	r.Keys("enter")
	r.WaitFor("alloc_pd pd → pd")
	if r.app.console.IsOpen() {
		t.Error("the console is open")
	}
	r.Send(screen.EditMsg{Line: "alloc_pdd"})
	if r.Keys("enter"); !r.app.console.IsOpen() || r.app.console.Value() != "alloc_pdd" {
		t.Error("a line with a mistake is lost")
	}
}

func TestOwnWords(t *testing.T) {
	tests := []struct {
		line string
		ok   func(*rig) bool
	}{
		{"2", func(r *rig) bool { return r.app.at == screen.BringUp && !r.app.console.IsOpen() }},
		{":journal", func(r *rig) bool { return r.app.at == screen.Journal }},
		{"Bring-up", func(r *rig) bool { return r.app.at == screen.BringUp }},
		{"q", func(r *rig) bool { return r.app.ask != nil }},
		{"quit", func(r *rig) bool { return r.app.ask != nil }},
		{"q!", func(r *rig) bool { return r.Quit }},
		{"theme dark", func(r *rig) bool { return r.app.env.Theme.Name == "dark" }},
		{"set theme=light", func(r *rig) bool { return r.app.env.Theme.Name == "light" }},
		{"set strip=pane", func(r *rig) bool { return r.app.strip.mode == stripPane }},
		{"set", func(r *rig) bool { return r.Contains("history=1000") }},
		{"set history", func(r *rig) bool { return r.Contains("history=1000") }},
		{"set mouse=maybe", func(r *rig) bool {
			return r.Contains(`mouse cannot be "maybe"; it is one of true, false`)
		}},
	}
	for _, tt := range tests {
		r := newRig(t, 120, 40, "open_device soft0", "alloc_pd pd")
		r.app.env.Store, _ = store.Open(store.Folders{}, store.NewSettings([]string{"dark", "light"}))
		r.app.refresh()
		r.typed(tt.line)
		if !tt.ok(r) {
			t.Errorf("%s did nothing:\n%s", tt.line, r.View())
		}
		if got := r.sess.Lines(); got != nil {
			t.Errorf("%s: the session was asked: %q", tt.line, got)
		}
	}
}

// TestRecorderSettings: what is chosen for the flight recorder reaches the session.
func TestRecorderSettings(t *testing.T) {
	t.Chdir(t.TempDir())
	r := newRig(t, 120, 40, "open_device soft0", "alloc_pd pd", "reg_mr src length=64", "create_cq cq", "create_qp a",
		"create_qp b", "connect_qps a b")
	r.app.env.Store, _ = store.Open(store.Folders{}, store.NewSettings([]string{"dark", "light"}))
	for line, want := range map[string]string{
		"set recorder=0": "it is a number from 1 to 4096", "set incidents=101": "it is a number from 0 to 100",
		"set recorder=64": "", "set incidents=1": "",
	} {
		if r.typed(line); !r.Contains(want) {
			t.Errorf("%s: %q is not in\n%s", line, want, r.View())
		}
		r.Keys("esc")
	}
	s := r.app.env.Session
	if done, err := s.Exec(t.Context(), "recorder"); err != nil || !strings.Contains(done.Result, " of 64 MiB") {
		t.Errorf("%q, %v", done.Result, err)
	}
	for _, line := range []string{"post_send a RDMA_WRITE sge=src:0:8 remote_addr=1 rkey=1", "poll_cq cq timeout=20s"} {
		if _, err := s.Exec(t.Context(), line); err != nil {
			t.Fatal(err)
		}
	}
	r.sess.Close() // this waits for the file
	if names, err := filepath.Glob("incident-*-1.*"); err != nil || len(names) != 2 {
		t.Errorf("%v, %v", names, err)
	}
}

// No console command shadows a session command.
func TestOwnWordsAreNoCommands(t *testing.T) {
	for _, o := range owns() {
		for _, name := range o.names {
			if command.Find(name) != nil || command.Forms(name) != nil {
				t.Errorf("%s is a command of the session", name)
			}
		}
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]string{"s.c": "ibv_alloc_pd", "s.rdma": "alloc_pd pd",
		"s.json": `"line":"alloc_pd pd"`, "s.txt": ":alloc_pd pd\n", "s.md": `| command | alloc\_pd pd`} {
		r := newRig(t, 120, 40, "open_device soft0", "alloc_pd pd")
		file := filepath.Join(dir, name)
		r.typed("w " + file)
		r.WaitFor("s" + filepath.Ext(name))
		r.End()
		text, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v, %q", name, err, text)
		}
		if r = newRig(t, 120, 40); filepath.Ext(name) == ".txt" {
			r.typed("w " + file)
			r.WaitFor("already exists")
		}
	}
}

// The lines of a paste run up to the first that fails; the rest is kept.
func TestPasteOfLines(t *testing.T) {
	tests := []struct {
		name, typed, paste string
		ran                []string
		told, left         string
	}{
		{"all", "", "open_device soft0\r\nalloc_pd pd\n\n# a remark\ncreate_cq cq\n",
			[]string{"open_device soft0", "alloc_pd pd", "create_cq cq"}, "paste: 5 lines done", ""},
		{"joined to what was typed", "open_dev", "ice soft0\nalloc_pd pd", []string{"open_device soft0", "alloc_pd pd"},
			"paste: 2 lines done", ""},
		{"one fails", "", "open_device soft0\nalloc_pd pd device=none\ncreate_cq cq\nnote x",
			[]string{"open_device soft0", "alloc_pd pd device=none"},
			"paste stopped at line 2 of 4: ", "alloc_pd pd device=none"},
		{"one is mistyped", "", "open_device soft0\nalloc_pdd pd\ncreate_cq cq", []string{"open_device soft0"},
			"enter runs it and the line after it", "alloc_pdd pd"},
		{"a loop", "", "open_device soft0\nloop 2\nnote x\nend\n", []string{"open_device soft0", "note x", "note x"},
			"paste: 4 lines done", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, 160, 40)
			r.Keys(":")
			r.Type(tt.typed)
			r.Send(tea.PasteMsg{Content: tt.paste})
			r.WaitFor(tt.told)
			if got := r.sess.Lines(); !slices.Equal(got, tt.ran) {
				t.Errorf("it ran %q, want %q", got, tt.ran)
			}
			if r.app.console.Value() != tt.left {
				t.Errorf("the line has %q, want %q\n%s", r.app.console.Value(), tt.left, r.View())
			}
		})
	}
}

// A paste that is too long is refused with one message, and none of it runs.
func TestHugePasteOfLines(t *testing.T) {
	r := newRig(t, 120, 24)
	r.Keys(":")
	r.Type("note x")
	r.Send(tea.PasteMsg{Content: strings.Repeat("note y\n", 1<<20/7)})
	if v := r.View(); strings.Count(v, "paste not taken: it has 1,048,572 bytes, the console takes 262,144") != 1 ||
		r.app.console.Value() != "note x" || r.sess.Lines() != nil {
		t.Errorf("not told, or something ran:\n%s", v)
	}
}

// Esc on an empty line stops a waiting command; the next esc closes the console.
func TestEscInConsole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, 120, 40)
		defer r.End()
		r.typed("sleep 1h")
		synctest.Wait()
		r.now = time.Now().Add(waitShown)
		r.app.Beat()
		if !r.Contains("left: sleep 1h (esc stops it)") {
			t.Errorf("the wait is not told:\n%s", r.View())
		}
		r.Keys("esc")
		synctest.Wait()
		if _, waits := r.sess.Waiting(); waits || !r.app.console.IsOpen() {
			t.Errorf("esc did not stop it, or closed the console:\n%s", r.View())
		}
		r.app.Beat()
		if r.Keys("esc"); r.app.console.IsOpen() {
			t.Error("the next esc did not close it")
		}
	})
}
