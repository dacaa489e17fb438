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
	if !Inside() || os.Getenv(SIWVariable) != "1" {
		tb.Skip(SIWMessage + " (make vm-test)")
	}
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
