package cli

import (
	"bytes"
	"context"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"rdmatui/devices"
	"rdmatui/verbs"
	"rdmatui/verbs/soft"
)

// TestScriptsThatWait: a script that comes from a FIFO is read as it comes, and
// neither one that nobody writes to nor one that stops short holds up the end of
// the program.
func TestScriptsThatWait(t *testing.T) {
	for _, tt := range []struct {
		name   string
		writer bool
		wrote  string
		stdout string
	}{
		{"nobody writes", false, "", ""},
		{"nothing comes", true, "", ""},
		{"a line comes", true, "note hello\nnote wor", "hello"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fifo := filepath.Join(t.TempDir(), "fifo")
			if err := syscall.Mkfifo(fifo, 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			out := &notifying{want: tt.stdout, came: func() { cancel(signaled{Signal: syscall.SIGTERM}) }}
			var stderr bytes.Buffer
			p := &Program{
				Native: func() verbs.Provider { return noLibrary{} },
				Soft:   func([]netip.Addr) verbs.Provider { return soft.New(soft.Options{}) }, Host: devices.Host(),
				Stdin: strings.NewReader(""), Stdout: out, Stderr: &stderr,
			}
			status := make(chan int)
			go func() { status <- p.Run(ctx, []string{"run", fifo}) }()
			if tt.writer {
				w, err := os.OpenFile(fifo, os.O_WRONLY, 0) // returns when the program has opened it, too
				if err != nil {
					t.Fatal(err)
				}
				defer w.Close()
				if _, err := w.WriteString(tt.wrote); err != nil {
					t.Fatal(err)
				}
			}
			if tt.stdout == "" {
				cancel(signaled{Signal: syscall.SIGTERM})
			}
			if got, want := <-status, bySignal+int(syscall.SIGTERM); got != want {
				t.Errorf("exit status %d, want %d", got, want)
			}
			if !strings.Contains(stderr.String(), "stopped by SIGTERM") || strings.Count(stderr.String(), "\n") != 1 {
				t.Errorf("%q", stderr.String())
			}
		})
	}
}

// notifying tells once what is written to it has the wanted text.
type notifying struct {
	bytes.Buffer
	want string
	came func()
}

func (n *notifying) Write(p []byte) (int, error) {
	defer func() {
		if n.want != "" && strings.Contains(n.String(), n.want) {
			n.came()
		}
	}()
	return n.Buffer.Write(p)
}
