package main

import (
	"os"
	"strings"
	"testing"
)

// aloneVariable names the test that a process is for.
const aloneVariable = "RDMATUI_TEST_ALONE"

// alone runs a test once more, in a process of its own: librdmacm keeps what it
// has opened until the process ends, and the others want nothing to be left. It
// returns true in that process.
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
	if out := start(t, self, "-test.v", "-test.run", "^"+t.Name()+"$").done(); !strings.Contains(out, "--- PASS: "+t.Name()) {
		t.Errorf("the test did not run:\n%s", out)
	}
	nothingLeft(t)
	return false
}
