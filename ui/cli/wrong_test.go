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
		{"frob", "\"frob\" is not a command; see 'rdmatui --help'"},
		{"version frob", "version: \"frob\" is not an argument; see 'rdmatui version --help'"},
		{"scenario ping -n frob", "--iters: \"frob\" is not a number; see 'rdmatui scenario --help'"},
		{"scenario ping -n 99999999999999999999",
			"--iters: \"99999999999999999999\" is out of range; see 'rdmatui scenario --help'"},
		{"explain -22", "unknown shorthand flag: '2' in -22; write a negative number after --: rdmatui explain -- -22"},
		{"lab --script", "--script needs the name of an experiment; 'rdmatui lab' lists them"},
		{"lab --all --script", "--script needs the name of an experiment; 'rdmatui lab' lists them"},
		{"lab --all flush", `--all runs every experiment; leave out "flush"`},
		{"devices -v --gids", "--gids prints the GIDs alone; leave out --verbose"},
		{"advise", "advise: give the host's name or IP address; usage: rdmatui advise HOST [flags]"},
		{"advise a b", `advise: too many arguments: "b"; usage: rdmatui advise HOST [flags]`},
		{"scenario --server", "scenario: the name is missing; 'rdmatui scenario' lists the scenarios"},
		{"scenario --step", "scenario: the name is missing; 'rdmatui scenario' lists the scenarios"},
		{"run " + dir, dir + " is a directory; give run a file of commands"},
		{"run " + dir + "/none.rdma", dir +
			"/none.rdma: no such file; give run a file of commands, such as 'save' writes, or - for standard input"},
		{"--json", "the screen has no JSON form; leave out --json"},
		{"--json help", "help has no JSON form; leave out --json"},
		{"help lab --json", "help has no JSON form; leave out --json"},
		{"help commands --json", "help has no JSON form; leave out --json"},
		{"--json completion bash", "a completion script has no JSON form; leave out --json"},
		{"completion fish --json", "a completion script has no JSON form; leave out --json"},
		{"--json man", "the manual page has no JSON form; leave out --json"},
		{"lab flush --script --json", "a script has no JSON form; leave out --json"},
		{"man here", `unknown command "here" for "rdmatui man"`},
		{"completion bash here", `unknown command "here" for "rdmatui completion bash"`},
	} {
		_, stdout, stderr, status := invokeSoft("", strings.Fields(tt.args)...)
		if want := "rdmatui: " + tt.want + "\n"; status != Wrong || stdout != "" || stderr != want {
			t.Errorf("%s: exit status %d, %q, %q; want %q", tt.args, status, stdout, stderr, want)
		}
	}
}
