// Package vmtest marks tests that need the virtual machine of the script "run" beside it: a real
// kernel with the device rxe0 and a network namespace "peer".
package vmtest

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

const (
	// Variable is set to 1 in the environment of every command inside the machine.
	Variable = "RDMATUI_VM"
	// BinaryVariable holds the path of a built rdmatui if the test run provides one: inside the
	// machine, compiling would take longer than everything else.
	BinaryVariable = "RDMATUI_BINARY"
	// SkipMessage begins the message of every test that Need skips. The test run looks for it to
	// know which tests it has to run in the machine.
	SkipMessage = "needs the virtual machine"
	// SIWVariable is set to 1 in a machine that has siw0, a device of iWARP, beside rxe0.
	SIWVariable = "RDMATUI_VM_SIW"
	// SIWMessage begins the message of every test that NeedSIW skips.
	SIWMessage = SkipMessage + " with Soft-iWARP"
	// PairVariable is set to 1 in a machine that is joined to a second one by a wire.
	PairVariable = "RDMATUI_VM_PAIR"
	// PairMessage begins the message of every test that NeedPair skips.
	PairMessage = SkipMessage + " with a second one"
)

// Inside reports whether this process runs in the machine.
func Inside() bool { return os.Getenv(Variable) == "1" }

// Need skips the test outside the machine. Inside, no test may skip because a device is missing.
func Need(tb testing.TB) {
	tb.Helper()
	if !Inside() {
		tb.Skip(SkipMessage + " (make vm-test)")
	}
}

// NeedSIW skips the test outside the machine that has siw0.
func NeedSIW(tb testing.TB) {
	tb.Helper()
	needWith(tb, SIWVariable, SIWMessage)
}

// NeedPair skips the test outside the machine that has a second one beside it. There is no namespace
// "peer" in a pair: 10.9.0.2 is the second machine, which has an rxe0 of its own.
func NeedPair(tb testing.TB) {
	tb.Helper()
	needWith(tb, PairVariable, PairMessage)
}

func needWith(tb testing.TB, variable, message string) {
	tb.Helper()
	if !Inside() || os.Getenv(variable) != "1" {
		tb.Skip(message + " (make vm-test)")
	}
}

// elsewhere sends its arguments as a command to the bash that listens in the second machine, and prints
// what the command prints. The last line carries the exit status.
const elsewhere = `exec 3<>/dev/tcp/10.9.0.2/9 || exit
{ printf '%q ' "$@"; echo '</dev/null 2>&1; printf "\nelsewhere: status %s\n" $?; exit'; } >&3
while IFS= read -r line; do
  case $line in "elsewhere: status "*) exit "${line##* }" ;; esac
  printf '%s\n' "$line"
done <&3
exit 125`

// Elsewhere returns a command that runs a program in the second machine of the pair, and returns the
// program's exit status. Its standard output has both outputs of the program. If the command is killed,
// the program continues.
func Elsewhere(program string, args ...string) []string {
	return append([]string{"bash", "-c", elsewhere, "elsewhere", program}, args...)
}

// Program returns the path of a stock program such as ibv_rc_pingpong. Its absence fails the test:
// the machine's runner installs them all.
func Program(tb testing.TB, name string) string {
	tb.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		tb.Fatalf("the machine lacks a stock program: %v", err)
	}
	return path
}

// KernelAtLeast reports whether the machine's kernel has at least a version, such as 6.4.
func KernelAtLeast(tb testing.TB, major, minor int) bool {
	tb.Helper()
	release, err := os.ReadFile("/proc/sys/kernel/osrelease")
	var have [2]int
	if err == nil {
		_, err = fmt.Sscanf(string(release), "%d.%d", &have[0], &have[1])
	}
	if err != nil {
		tb.Fatalf("the kernel's version: %v", err)
	}
	return have[0] > major || have[0] == major && have[1] >= minor
}

// Binary returns the path of the rdmatui under test, which the test run has built on the host.
func Binary(tb testing.TB) string {
	tb.Helper()
	path := os.Getenv(BinaryVariable)
	if path == "" {
		tb.Fatalf("%s is not set: run this test with make vm-test", BinaryVariable)
	}
	return path
}
