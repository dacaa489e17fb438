package program

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	vmtest "rdmatui/verbs/verbstest/vm"
)

// waiting are headless commands that would wait for ever. until is what they print
// first; if empty, they wait for their standard input.
var waiting = []struct {
	name   string
	args   []string
	script string
	until  string
}{
	{"poll_cq in a script", []string{"run", "FILE"},
		"open_device DEVICE\ncreate_cq cq cqe=4\nnote waiting\npoll_cq cq n=1 timeout=1h\n", "waiting"},
	{"get_cq_event in a script", []string{"run", "FILE"},
		"open_device DEVICE\ncreate_comp_channel ch\nnote waiting\nget_cq_event ch timeout=1h\n", "waiting"},
	{"sleep in a script", []string{"run", "--json", "FILE"},
		"open_device DEVICE\nalloc_pd pd\nnote waiting\nsleep 1h\n", "waiting"},
	{"a script on standard input", []string{"run", "-"}, "", "waiting"},
	{"a server without a client", []string{"scenario", "rc-pingpong", "-d", "DEVICE", "--server", "-p", "PORT"}, "",
		"waiting for a peer"},
}

// endings are the signals, with the exit status and the word for each.
var endings = []struct {
	signal syscall.Signal
	status int
	said   string
}{{syscall.SIGINT, 130, "stopped by SIGINT"}, {syscall.SIGTERM, 143, "stopped by SIGTERM"},
	{syscall.SIGHUP, 129, "stopped by SIGHUP"}}

func TestHeadlessStopped(t *testing.T) { stopEach(t, "soft0", func(*testing.T) {}) }

func TestHeadlessStoppedOnKernel(t *testing.T) {
	vmtest.Need(t)
	stopEach(t, device, nothingLeft)
}

func stopEach(t *testing.T, name string, check func(*testing.T)) {
	for _, w := range waiting {
		for _, end := range endings {
			t.Run(w.name+", "+end.said, func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "script.rdma")
				fill := strings.NewReplacer("FILE", file, "DEVICE", name, "PORT", freePort())
				if err := os.WriteFile(file, []byte(fill.Replace(w.script)), 0o600); err != nil {
					t.Fatal(err)
				}
				var args []string
				for _, a := range w.args {
					args = append(args, fill.Replace(a))
				}
				stopped(t, exec.Command(binary(t), args...),
					fill.Replace("open_device DEVICE\nalloc_pd pd\nnote waiting\n"), w.until, end.signal,
					end.status, end.said)
				check(t)
			})
		}
	}
}

// stopped starts a command, waits for the output it prints before it waits, and sends
// it a signal.
func stopped(t *testing.T, cmd *exec.Cmd, stdin, until string, signal syscall.Signal, status int, said string) {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }() // it has ended, unless the test failed
	if _, err := io.WriteString(in, stdin); err != nil {
		t.Fatal(err)
	}
	if !readUntil(out, until) {
		t.Fatalf("%q was never said; stderr: %s", until, stderr.String())
	}
	if err := cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(out) // until it ends
	if bytes.Contains(rest, []byte("context canceled")) {
		t.Errorf("the time line does not say it in plain words: %q", rest)
	}
	_ = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != status {
		t.Errorf("exit status %d, want %d", got, status)
	}
	if got := stderr.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, said) {
		t.Errorf("on stderr, not one line with %q: %q", said, got)
	}
}

func readUntil(r io.Reader, text string) bool {
	var got []byte
	buf := make([]byte, 4096)
	for !bytes.Contains(got, []byte(text)) {
		n, err := r.Read(buf)
		got = append(got, buf[:n]...)
		if err != nil {
			return bytes.Contains(got, []byte(text))
		}
	}
	return true
}
