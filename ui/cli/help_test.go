package cli

import (
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rdmatui/session/scenario"
)

// TestHelpOfCommands: help of a command is what its --help prints, with the global flags.
func TestHelpOfCommands(t *testing.T) {
	for _, name := range []string{"devices", "run", "scenario", "scenario ping", "lab", "doctor",
		"explain", "version"} {
		words := strings.Fields(name)
		_, want, _, _ := invokeSoft("", append(words, "--help")...)
		_, got, stderr, status := invokeSoft("", append([]string{"help"}, words...)...)
		if status != Done || stderr != "" || got == "" || got != want {
			t.Errorf("help %s: exit status %d, %q,\n%s\nwant\n%s", name, status, stderr, got, want)
		}
		if !strings.Contains(got, "-d --device") {
			t.Errorf("help %s lacks -d:\n%s", name, got)
		}
	}
}

// TestHelpNotPadded: help that is not on a terminal has no blanks at the ends of lines.
func TestHelpNotPadded(t *testing.T) {
	for _, args := range []string{"--help", "help", "scenario --help", "scenario ping --help", "help run"} {
		_, out, _, _ := invokeSoft("", strings.Fields(args)...)
		for l := range strings.Lines(out) {
			if l = strings.TrimSuffix(l, "\n"); l != strings.TrimRight(l, " ") {
				t.Errorf("%s: %q", args, l)
			}
		}
	}
}

// TestScenarioHelp: the help of one scenario has its flags alone, with its own defaults.
func TestScenarioHelp(t *testing.T) {
	for _, tt := range []struct {
		name       string
		want, lack []string
	}{
		{"rping", []string{"[--server | ADDRESS]", "iterations (10)", "connection manager (7174)", "--persistent",
			"--idle", "Peer of the server: rping -c"}, []string{"--mtu", "--num-qp", "--cm", " only"}},
		{"srq-pingpong", []string{"--num-qp", "--mtu", "bytes (1024)", "--gid-index"},
			[]string{"--persistent", "--op", "--message", " only"}},
		{"ping", []string{"--nonblock", "--numbers", "(be64)"}, []string{"--ps", "--mtu", " only"}},
		{"serve", []string{"scenario serve --server", "(1m)"}, []string{"ADDRESS", "--iters"}},
		{"mckey", []string{"GROUP [--server]"}, []string{"--port", " only"}},
		{"", []string{"--num-qp", "--ps", "ping only", "run this many iterations\n"}, []string{"(7174)"}},
	} {
		_, out, _, status := invokeSoft("", append([]string{"scenario", "--help"}, strings.Fields(tt.name)...)...)
		lower := strings.ToLower(out)
		for _, want := range tt.want {
			if status != Done || !strings.Contains(lower, strings.ToLower(want)) {
				t.Errorf("%s lacks %q: exit status %d\n%s", tt.name, want, status, out)
			}
		}
		for _, lack := range tt.lack {
			if strings.Contains(out, lack) {
				t.Errorf("%s has %q:\n%s", tt.name, lack, out)
			}
		}
	}
}

// TestFlagTexts: help capitalises the first word of a flag's and a command's text and
// writes the rest of that word in lower case, so it must be an ordinary one; the
// scenarios that a flag's text names are those that it makes a difference to.
func TestFlagTexts(t *testing.T) {
	ordinary := regexp.MustCompile(`^(--)?[a-z]+ `)
	c := &call{Program: &Program{}}
	root := c.rootCommand()
	for _, cmd := range append(root.Commands(), root) {
		if !ordinary.MatchString(cmd.Short) {
			t.Errorf("%s: %q", cmd.Name(), cmd.Short)
		}
		for _, set := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
			set.VisitAll(func(f *pflag.Flag) {
				if !ordinary.MatchString(f.Usage) {
					t.Errorf("%s --%s: %q", cmd.Name(), f.Name, f.Usage)
				}
			})
		}
	}
	cmd := c.scenarioCommand()
	of := map[string][]string{}
	for i := range scenario.All {
		for flag := range scenarioFlags(scenario.All[i].Name) {
			of[flag] = append(of[flag], scenario.All[i].Name)
		}
	}
	checkScenarioFlags(t, cmd, of)
}

func checkScenarioFlags(t *testing.T, cmd *cobra.Command, of map[string][]string) {
	named := regexp.MustCompile(`; (?:servers of )?([a-z-]+)(?: and ([a-z-]+))? only$`)
	for flag, names := range of {
		f := cmd.Flags().Lookup(flag)
		if f == nil {
			t.Errorf("no flag --%s", flag)
			continue
		}
		m := named.FindStringSubmatch(f.Usage)
		if m == nil || flag == "idle" {
			continue
		}
		if got := strings.Join(names, " "); got != strings.TrimSpace(m[1]+" "+m[2]) {
			t.Errorf("--%s is said to be of %s only, and is of %s", flag, m[1:], got)
		}
	}
}
