package program

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// stateOf returns the folder of the state of a program with an environment.
func stateOf(env []string) string {
	for _, v := range env {
		if home, ok := strings.CutPrefix(v, "HOME="); ok {
			return filepath.Join(home, ".local", "state", "rdmatui")
		}
	}
	return ""
}

// TestResume: the next run shows the lines of the last session, runs none without a yes, and after a yes everything is
// there again.
func TestResume(t *testing.T) {
	env := terminalEnv()
	tm := open(t, 120, 40, env, "--provider", "soft")
	tm.Until("no device is open")
	tm.Keys("2")
	tm.Until("no queue pair yet", "alloc_pd pd")
	tm.Keys("b")
	tm.Until("a: RESET → INIT")
	tm.Keys("c")
	tm.Until("a RTS")
	tm.Keys("q")
	tm.Until("6 objects exist")
	tm.Keys("y")
	if status := tm.Wait(); status != 0 {
		t.Fatalf("exit status %d", status)
	}
	const title, first = "of the last session?", "   1  open_device soft0"
	for _, refusal := range []string{"n", "esc", "q", "ctrl+c"} {
		tm = open(t, 80, 24, env, "--provider", "soft", "--resume")
		tm.Until(title, first, "connect_qps a b", "y run the lines", "n run none")
		tm.Keys("enter") // a key that is meant for the shell's line
		tm.Until(title, first)
		tm.Keys(refusal)
		tm.UntilGone(title)
		tm.Until("no device is open")
		tm.Keys("q")
		if status := tm.Wait(); status != 0 {
			t.Fatalf("exit status %d", status)
		}
	}
	for range 2 { // what was run again is kept as well
		tm = open(t, 120, 40, env, "--provider", "soft", "--resume")
		tm.Until(title, first)
		tm.Keys("y")
		tm.UntilGone(title)
		tm.Until("lines done", "a RTS ⇄ b")
		leave(t, tm, "6 objects exist")
	}
}

// TestResumeStops: a line that fails ends the replay with one line that says why, what was made stays, and so do the
// lines that are kept.
func TestResumeStops(t *testing.T) {
	env := terminalEnv()
	file := keepLines(t, env, "# rdmatui session: 4 lines\nopen_device soft0\nalloc_pd pd\nalloc_pd pd\n"+
		"alloc_pd other\n")
	tm := open(t, 120, 40, env, "--provider", "soft", "--resume")
	tm.Until("run the 4 lines of the last session?")
	tm.Keys("y")
	tm.Until("last session stopped at line 3 of 4: ", "pd")
	tm.Keys("2")
	leave(t, tm, "One object exists")
	if kept, err := os.ReadFile(file); err != nil || !strings.Contains(string(kept), "alloc_pd other\n") {
		t.Errorf("%v: kept is\n%s", err, kept)
	}
}

func keepLines(t *testing.T, env []string, text string) (file string) {
	t.Helper()
	file = filepath.Join(stateOf(env), "session")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestResumeNothing: without a kept session, or with a file that is none, the program says so in one line and opens no
// screen.
func TestResumeNothing(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"none":      {"", "--resume: no session is kept: there is no "},
		"cut short": {"# rdmatui session: 2 lines\nalloc_pd pd\n", "it should have 2 lines and has 1"},
		"hostile":   {"# rdmatui session: 1 lines\nnote \x1b]0;x\x07\n", "session:2: "},
		"a file": {"# rdmatui session: 1 lines\nsave /tmp/x\n",
			"session:2: a session that is run again makes no files"},
		"unknown": {"# rdmatui session: 1 lines\nrm -rf /\n", `session:2: column 1: `},
		"binary":  {"\x00\x01\x02\n", "session:1: it is no session of rdmatui"},
	} {
		t.Run(name, func(t *testing.T) {
			env := terminalEnv()
			if tt.text != "" {
				keepLines(t, env, tt.text)
			}
			tm := open(t, 200, 24, env, "--provider", "soft", "--resume")
			status := tm.Wait()
			eventually(t, fmt.Sprintf("status %d, want 1 and one line with %q", status, tt.want), func() bool {
				screen := strings.TrimSpace(tm.Screen())
				return status == 1 && strings.Contains(screen, tt.want) && !strings.Contains(screen, "\n")
			})
		})
	}
}

// TestResumeWithDevice: the lines open their devices themselves.
func TestResumeWithDevice(t *testing.T) {
	cmd := exec.Command(binary(t), "--resume", "-d", "soft0")
	cmd.Env = terminalEnv()
	var out bytes.Buffer
	cmd.Stderr = &out
	const want = "rdmatui: --resume opens the devices of the last session; leave out --device\n"
	if err := cmd.Run(); err == nil || cmd.ProcessState.ExitCode() != 2 || out.String() != want {
		t.Errorf("%v: %q", err, out.String())
	}
}
