package program

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"

	"rdmatui/ui/uitest"
)

// The tests of terminal_*_test.go run the built program in a terminal, on the
// software device here and on the kernel's in the virtual machine.

// homes counts the home folders made for programs.
var homes atomic.Int64

// freshHome returns an unused home folder, with which the program has no saved
// choices and no history.
func freshHome() string { return filepath.Join(homeFolder, strconv.FormatInt(homes.Add(1), 10)) }

// terminalEnv is the environment of a common terminal, changed by more.
func terminalEnv(more ...string) []string {
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + freshHome(), "TERM=xterm-256color", "LANG=C.UTF-8"}
	return append(env, more...)
}

// open runs the program in a new terminal.
func open(t testing.TB, w, h int, env []string, args ...string) *uitest.Terminal {
	t.Helper()
	cmd := exec.Command(binary(t), args...)
	cmd.Env = env
	return uitest.StartTerminal(t, cmd, w, h)
}
