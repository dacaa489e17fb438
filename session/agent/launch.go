package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"rdmatui/verbs"
)

// hostWord is replaced by the name of the host in a launcher.
const hostWord = "{host}"

// Launcher is a command that starts another one on a host: "ssh {host}", "ip netns exec {host}".
type Launcher []string

// ParseLauncher splits a launcher at blanks. No shell reads it, so quotes have no meaning.
func ParseLauncher(text string) (Launcher, error) {
	words := strings.Fields(text)
	if len(words) == 0 || !strings.Contains(text, hostWord) {
		return nil, fmt.Errorf("%q needs {host} where the name of the host goes, as in 'ssh {host}'", text)
	}
	if strings.Contains(words[0], hostWord) {
		return nil, fmt.Errorf("%q begins with {host}, and must begin with a program", text)
	}
	return words, nil
}

// Command returns the words that start a program on a host. A name that a program could take for an option, or that has
// a blank or a control character, is an error: it may come from a file.
func (l Launcher) Command(host string, program []string) ([]string, error) {
	odd := func(r rune) bool { return r <= ' ' || r == 0x7f }
	if host == "" || host[0] == '-' || strings.ContainsFunc(host, odd) {
		return nil, fmt.Errorf("%q is not the name of a host", host)
	}
	words := make([]string, 0, len(l)+len(program))
	for _, w := range l {
		words = append(words, strings.ReplaceAll(w, hostWord, host))
	}
	return append(words, program...), nil
}

// Times for an agent to end by itself.
const (
	endLimit  = 5 * time.Second        // after its input was closed
	exitLimit = 200 * time.Millisecond // for the exit status of a command whose output has ended
	killLimit = 5 * time.Second        // after it was killed, for the pipes that its children hold
)

// Process is an agent that a command runs.
type Process struct {
	*Conn
	cmd    *exec.Cmd
	stdin  io.Closer
	stderr *tail
	ended  chan error // receives the exit of cmd
	close  sync.Once
	exit   error // of a command that ended by itself
	cancel context.CancelFunc
}

// Start runs a command that becomes an agent, and waits for its hello. The error says what the command wrote to
// standard error. Close ends it.
func Start(ctx context.Context, words []string, crashed verbs.CrashHook) (*Process, error) {
	cmd := exec.Command(words[0], words[1:]...)
	ownGroup(cmd)
	p := &Process{cmd: cmd, stderr: &tail{}, ended: make(chan error, 1)}
	cmd.Stderr, cmd.WaitDelay = p.stderr, killLimit
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	in, out := io.Pipe() // ends when cmd.Wait has read everything
	cmd.Stdout, p.stdin = out, stdin
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ctx, p.cancel = context.WithCancel(ctx)
	go func() {
		defer crashed.Catch()
		err := cmd.Wait()
		p.ended <- err
		out.CloseWithError(io.EOF)
	}()
	context.AfterFunc(ctx, func() { // whoever writes to a reader that has left must not wait for it
		defer crashed.Catch()
		in.CloseWithError(errEnded)
	})
	if p.Conn, err = NewConn(ctx, in, stdin, crashed); err != nil {
		return nil, p.why(err, p.Close())
	}
	return p, nil
}

// Close ends the agent: it closes its input, which an agent takes as the end, waits for the command, and kills what is
// left of its process group. It is idempotent, and returns the exit of the command.
func (p *Process) Close() error {
	p.close.Do(func() {
		p.stdin.Close()
		limit := endLimit
		if p.Conn == nil || p.Conn.err != nil {
			limit = exitLimit // it does not speak, so it may not listen either
		}
		select {
		case p.exit = <-p.ended:
			killGroup(p.cmd) // its children
		case <-time.After(limit):
			p.cancel()
			killGroup(p.cmd)
			<-p.ended
		}
		p.cancel()
	})
	return p.exit
}

// Why adds to an error of the connection what the command said.
func (p *Process) Why(err error) error {
	var failed *Error
	if errors.As(err, &failed) {
		return err
	}
	return p.why(err, p.Close())
}

func (p *Process) why(err, exit error) error {
	said := p.stderr.last()
	var status *exec.ExitError
	switch {
	case errors.As(exit, &status) && said != "":
		return fmt.Errorf("%s: %s", exit, said)
	case errors.As(exit, &status):
		return fmt.Errorf("%w; %s", err, exit)
	case said != "":
		return fmt.Errorf("%w; it said: %s", err, said)
	}
	return err
}

// tail keeps the end of what is written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

// maxTail bounds what a tail keeps, in bytes.
const maxTail = 2048

// Write keeps the end of b.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b[max(0, len(b)-maxTail):]...)
	t.buf = t.buf[max(0, len(t.buf)-maxTail):]
	return len(b), nil
}

// last returns the last line that is not empty.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.FieldsFunc(string(t.buf), func(r rune) bool { return r == '\n' || r == '\r' })
	for i := len(lines) - 1; i >= 0; i-- {
		if s := strings.TrimSpace(lines[i]); s != "" {
			return s
		}
	}
	return ""
}

// ownGroup makes a command the leader of a process group, so that what it starts can be ended with it, and a ctrl-c in
// the terminal reaches rdmatui alone.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills a command and what it has started.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // it may have ended
