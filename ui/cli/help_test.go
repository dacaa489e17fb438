package cli

import (
	"strings"
	"testing"
)

// TestHelpOfCommands: help of a command is what its --help prints, the global flags among it.
func TestHelpOfCommands(t *testing.T) {
	for _, name := range []string{"devices", "run", "scenario", "lab", "doctor", "explain", "version"} {
		_, want, _, _ := invokeSoft("", name, "--help")
		_, got, stderr, status := invokeSoft("", "help", name)
		if status != Done || stderr != "" || got == "" || got != want {
			t.Errorf("help %s: exit status %d, %q,\n%s\nwant\n%s", name, status, stderr, got, want)
		}
		if !strings.Contains(got, "-d --device") {
			t.Errorf("help %s lacks -d:\n%s", name, got)
		}
	}
}
