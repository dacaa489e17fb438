package program

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	vmtest "rdmatui/verbs/verbstest/vm"
)

// root is the directory of the module. TestMain finds it.
var root string

// homeFolder holds the home folders of the programs under test.
var homeFolder string

// TestMain runs the tests in their own directory, beside testdata, wherever in the module they were started, as the
// virtual machine's command is. A test that needs a separate process starts this binary again with a variable that
// selects its role.
func TestMain(m *testing.M) {
	if err := enterFolder(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if name, where, ok := strings.Cut(os.Getenv(crashVariable), ":"); ok {
		os.Exit(crashMain(name, where))
	}
	if role, ok := os.LookupEnv(manyVariable); ok {
		os.Exit(manyMain(role))
	}
	if count, ok := os.LookupEnv(connectVariable); ok {
		os.Exit(connectMain(count))
	}
	passOnNoIgnored()
	dir, err := os.MkdirTemp("", "rdmatui-homes-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	homeFolder = dir
	status := m.Run()
	_ = os.RemoveAll(dir)
	removeBinary()
	os.Exit(status)
}

// enterFolder finds root and changes to the directory of these tests.
func enterFolder() error {
	dir, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			root = dir
			return os.Chdir(filepath.Join(root, "ui", "program"))
		}
		if filepath.Dir(dir) == dir {
			return errors.New("start these tests in a directory of the module: there is no go.mod here or above")
		}
		dir = filepath.Dir(dir)
	}
	return err
}

// passOnNoIgnored makes programs that the tests start begin with every signal at its default. nohup
// and a shell's & ignore some, and ignored signals are inherited; caught ones are not.
func passOnNoIgnored() {
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}

// removeBinary removes what binary has built.
var removeBinary = func() {}

// build builds the program with the go command.
var build = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "rdmatui")
	if err != nil {
		return "", err
	}
	removeBinary = func() { _ = os.RemoveAll(dir) }
	path := filepath.Join(dir, "rdmatui")
	cmd := exec.Command("go", "build", "-o", path, ".")
	cmd.Dir = root
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
