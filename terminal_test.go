package main

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"rdmatui/ui/uitest/term"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// The tests of terminal_*_test.go run the built program in a terminal, on the
// software device here and on the kernel's in the virtual machine.

func TestMain(m *testing.M) {
	if name, where, ok := strings.Cut(os.Getenv(crashVariable), ":"); ok {
		os.Exit(crashMain(name, where))
	}
	if role, ok := os.LookupEnv(manyVariable); ok {
		os.Exit(manyMain(role))
	}
	passOnNoIgnored()
	status := m.Run()
	removeBinary()
	os.Exit(status)
}

// passOnNoIgnored has programs that the tests start begin with every signal at its default: nohup, and
// a shell's & ignore some, and what is ignored is inherited. What is caught here is not.
func passOnNoIgnored() {
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}

// removeBinary takes back what binary has built.
var removeBinary = func() {}

var build = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "rdmatui")
	if err != nil {
		return "", err
	}
	removeBinary = func() { _ = os.RemoveAll(dir) }
	path := filepath.Join(dir, "rdmatui")
	cmd := exec.Command("go", "build", "-o", path, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", &buildError{err, out}
	}
	return path, nil
})

// binary is the program under test, built once.
func binary(t testing.TB) string {
	t.Helper()
	if vmtest.Inside() {
		return vmtest.Binary(t)
	}
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

type buildError struct {
	error
	out []byte
}

func (e *buildError) Error() string { return e.error.Error() + "\n" + string(e.out) }

func (e *buildError) Unwrap() error { return e.error }

// terminalEnv is the environment of a common terminal, but for what is given.
func terminalEnv(more ...string) []string {
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "TERM=xterm-256color", "LANG=C.UTF-8"}
	return append(env, more...)
}

// open runs the program in a terminal of its own.
func open(t testing.TB, w, h int, env []string, args ...string) *term.Terminal {
	t.Helper()
	cmd := exec.Command(binary(t), args...)
	cmd.Env = env
	return term.Start(t, cmd, w, h)
}
