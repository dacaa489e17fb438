package cli

import (
	"strings"
	"testing"
)

// TestWrongCalls: a call that cannot be meant is refused in one line that says what
// to do, before anything is tried.
func TestWrongCalls(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct{ args, want string }{
		{"--frob", "unknown flag: --frob; see 'rdmatui --help'"},
		{"lab --frob", "unknown flag: --frob; see 'rdmatui lab --help'"},
		{"explain -22", "unknown shorthand flag: '2' in -22; a number below 0 comes after --: rdmatui explain -- -22"},
		{"lab --script", "--script prints the script of one failure: name it; 'rdmatui lab' lists them"},
		{"lab --all --script", "--script prints the script of one failure: name it; 'rdmatui lab' lists them"},
		{"lab --all flush", `--all makes every failure; leave out "flush"`},
		{"scenario --server", "name the scenario; 'rdmatui scenario' lists them"},
		{"scenario --step", "name the scenario; 'rdmatui scenario' lists them"},
		{"run " + dir, dir + " is a directory; run takes a file of commands"},
		{"man here", `unknown command "here" for "rdmatui man"`},
		{"completion bash here", `unknown command "here" for "rdmatui completion bash"`},
	} {
		_, stdout, stderr, status := invokeSoft("", strings.Fields(tt.args)...)
		if want := "rdmatui: " + tt.want + "\n"; status != Wrong || stdout != "" || stderr != want {
			t.Errorf("%s: exit status %d, %q, %q; want %q", tt.args, status, stdout, stderr, want)
		}
	}
}
