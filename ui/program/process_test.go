package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// patience bounds what must happen; nothing is measured against it. It is shorter than the two minutes of silence after
// which a test that hangs is ended in the virtual machine: so the test itself says what it waited for.
const patience = 115 * time.Second

// nextPort is the last port that freePort returned.
var nextPort = 20000

// freePort returns a TCP port on which nobody listens, the next one after those returned before. They lie below the
// ports that the kernel chooses.
func freePort() string {
	for {
		nextPort++
		port := strconv.Itoa(nextPort)
		if l, err := net.Listen("tcp", ":"+port); err == nil {
			_ = l.Close()
			return port
		}
	}
}

// program is a running command whose output is kept.
type program struct {
	t    testing.TB
	name string
	cmd  *exec.Cmd
	out  bytes.Buffer
}

// prepare makes a command without starting it. It is killed when the test ends.
func prepare(t testing.TB, name string, args ...string) *program {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return prepareUntil(ctx, t, name, args...)
}

// lasting is prepare for a command that may run as long as the test.
func lasting(t testing.TB, name string, args ...string) *program {
	t.Helper()
	return prepareUntil(t.Context(), t, name, args...)
}

// prepareUntil is prepare for a command that ends with ctx.
func prepareUntil(ctx context.Context, t testing.TB, name string, args ...string) *program {
	p := &program{t: t, name: filepath.Base(name), cmd: exec.CommandContext(ctx, name, args...)}
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.out
	p.cmd.WaitDelay = 2 * time.Second // what it has started may hold its output open
	return p
}

// shown lets a program that has not started show at once what it prints: a silent test is taken for one that hangs.
func (p *program) shown() *program {
	out := io.MultiWriter(&p.out, os.Stderr)
	p.cmd.Stdout, p.cmd.Stderr = out, out
	return p
}

// start starts a command.
func start(t testing.TB, name string, args ...string) *program {
	t.Helper()
	p := prepare(t, name, args...)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// done waits for the end and checks exit status 0.
func (p *program) done() string {
	p.t.Helper()
	if err := p.cmd.Wait(); err != nil {
		p.t.Fatalf("%s: %v\n%s", p.name, err, p.out.String())
	}
	return p.out.String()
}

// bothDone waits for the end of two programs that talk to each other and checks exit
// status 0 of both. If one fails, it does not wait for the other.
func bothDone(t testing.TB, a, b *program) {
	t.Helper()
	if err := bothEnded(a, b); err != nil {
		t.Fatal(err)
	}
}

// bothEnded is bothDone that returns what is wrong.
func bothEnded(a, b *program) error {
	failed := make(chan error, 2)
	for _, p := range []*program{a, b} {
		go func() {
			err := p.cmd.Wait()
			if err != nil {
				err = fmt.Errorf("%s: %w\n%s", p.name, err, lastLines(p.out.String()))
			}
			failed <- err
		}()
	}
	first := <-failed
	if first != nil {
		a.cmd.Process.Kill()
		b.cmd.Process.Kill()
	}
	return errors.Join(first, <-failed)
}

// lastLines returns the end of an output, where a program reports its failure.
func lastLines(out string) string {
	const enough = 12
	lines := strings.SplitAfter(out, "\n")
	return strings.Join(lines[max(0, len(lines)-enough):], "")
}

// listening waits until the program listens on the TCP port in its network namespace.
// It does not connect: the stock server takes only one connection.
func (p *program) listening(port string) {
	p.t.Helper()
	n, _ := strconv.Atoi(port)
	want := regexp.MustCompile(fmt.Sprintf(":%04X [0-9A-F]+:0000 0A ", n)) // local port, remote port, state LISTEN
	eventually(p.t, p.name+" does not listen on port "+port, func() bool {
		for _, table := range []string{"tcp", "tcp6"} {
			b, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", p.cmd.Process.Pid, table))
			if err == nil && want.Match(b) {
				return true
			}
		}
		return false
	})
}

// startTold starts a prepared program whose standard output can be read while it
// runs.
func (p *program) startTold(t testing.TB) (said func() string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), p.name)
	out, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close() // the program has its own descriptor
	p.cmd.Stdout = out
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return func() string {
		b, _ := os.ReadFile(name)
		return string(b)
	}
}

// eventually waits until so returns true.
func eventually(t testing.TB, otherwise string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if so() {
			return
		}
	}
	t.Fatal(otherwise)
}

// has checks that the output contains each text.
func has(t testing.TB, said string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in: %s", want, said)
		}
	}
}

// aloneVariable names the test that a process runs.
const aloneVariable = "RDMATUI_TEST_ALONE"

// alone runs a test again in a separate process and returns true in that process:
// librdmacm keeps what it has opened until the process ends, and other tests check
// that nothing is left.
func alone(t *testing.T) bool {
	t.Helper()
	if os.Getenv(aloneVariable) == t.Name() {
		return true
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(aloneVariable, t.Name())
	p := lasting(t, self, "-test.v", "-test.run", "^"+t.Name()+"$").shown()
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if out := p.done(); !strings.Contains(out, "--- PASS: "+t.Name()) {
		t.Errorf("the test did not run:\n%s", out)
	}
	nothingLeft(t)
	return false
}
