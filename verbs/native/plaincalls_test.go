//go:build linux

package native

import (
	"os"
	"os/exec"
	"testing"
)

// plainVariable, set to 0, makes the tests on the fake C library use plain calls, as it
// does the program.
const plainVariable = "RDMATUI_QUICK_CALLS"

func plainCalls() bool { return os.Getenv(plainVariable) == "0" }

// TestPlainCalls runs the tests of this package that need no kernel once more.
func TestPlainCalls(t *testing.T) {
	if plainCalls() {
		return // this is the second run
	}
	again := exec.Command("/proc/self/exe")
	again.Env = append(os.Environ(), plainVariable+"=0", "RDMATUI_VM=")
	if out, err := again.CombinedOutput(); err != nil {
		t.Errorf("with %s=0: %v\n%s", plainVariable, err, out)
	}
}
