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

// TestFilesThatWait: what comes from a FIFO is read as it comes, and neither one that nobody
// writes to nor one that stops short holds up the end of the program.
func TestFilesThatWait(t *testing.T) {
	for _, tt := range []struct {
		name   string
		args   []string // before the name of the FIFO
		writer bool
		wrote  string
		stdout string
	}{
		{"nobody writes a script", []string{"run"}, false, "", ""},
		{"no line comes", []string{"run"}, true, "", ""},
		{"a line comes", []string{"run"}, true, "note hello\nnote wor", "hello"},
		{"nobody writes a capture", []string{"wire"}, false, "", ""},
		{"no capture comes", []string{"wire", "--summary"}, true, "", ""},
		{"the head of a capture comes", []string{"wire"}, true, "\xd4\xc3\xb2\xa1\x02\x00\x04\x00", ""},
		{"nobody writes one end", []string{"wire", "--both-ends", oneEnd(t, 0)}, false, "", ""},
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
			go func() { status <- p.Run(ctx, append(tt.args, fifo)) }()
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
