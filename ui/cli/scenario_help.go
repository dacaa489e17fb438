package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rdmatui/session/scenario"
)

// ownDefaults are the flags whose default depends on the scenario.
var ownDefaults = []string{"iters", "size", "mtu", "port", "idle"}

// commonFlags are the flags that every scenario has beside its options.
var commonFlags = []string{"server", "step", "help"}

// scenarioHelp prints the help of one scenario if its name is among the arguments, and
// otherwise that of all.
func scenarioHelp(cmd *cobra.Command, args []string) {
	if parsed := cmd.Flags().Args(); len(parsed) > 0 { // with --help; after "help scenario" only args has the name
		args = parsed
	}
	if len(args) > 0 {
		if sc := scenario.Named(args[0]); sc != nil {
			describeScenario(cmd, sc)
		}
	}
	cmd.Root().HelpFunc()(cmd, args)
}

// describeScenario makes the help of cmd that of one scenario: what it does, its peers,
// and only the flags that it uses, with their defaults.
func describeScenario(cmd *cobra.Command, sc *scenario.Scenario) {
	p := scenario.DefaultParams(sc.Name)
	client, _ := p.About()
	p.Server = true
	server, _ := p.About()
	cmd.Use, cmd.Example = "scenario "+sc.Name+scenarioArguments(sc, client.Partner != ""), ""
	cmd.Long = sc.Name + ": " + sc.Summary + ".\n\n" + server.Teaches + "\n"
	for _, peer := range []struct{ of, command string }{{"server", server.Partner}, {"client", client.Partner}} {
		if peer.command != "" {
			cmd.Long += "\nPeer of the " + peer.of + ": " + peer.command
		}
	}
	defaults := scenarioFlags(sc.Name)
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		value, ok := defaults[f.Name]
		f.Hidden = !ok && !slices.Contains(commonFlags, f.Name)
		if ok {
			f.DefValue, f.Usage = value, withoutOnly(f.Usage)
		}
	})
}

// scenarioArguments are the arguments after the scenario's name.
func scenarioArguments(sc *scenario.Scenario, client bool) string {
	switch {
	case sc.Group:
		return " GROUP [--server]"
	case !client:
		return " --server"
	}
	return " [--server | ADDRESS]"
}

// scenarioFlags returns the flags that make a difference to a scenario in either role,
// with their defaults.
func scenarioFlags(name string) map[string]string {
	defaults := map[string]string{}
	for role := range 4 { // --nonblock needs --events, --idle may need --persistent
		p := scenario.DefaultParams(name)
		p.Server, p.Events = role&1 != 0, role&2 != 0
		p.Persistent = p.Server && p.Events
		for _, o := range p.Options() {
			if o.Bool {
				defaults[o.Name] = ""
				continue
			}
			defaults[o.Name] = o.Get(&p)
		}
	}
	return defaults
}

// withoutOnly cuts the part of a flag's text that names the scenarios that have it.
func withoutOnly(usage string) string {
	if i := strings.LastIndex(usage, "; "); i >= 0 && strings.HasSuffix(usage, " only") {
		return usage[:i]
	}
	return usage
}
