// Package cli is the command line: the headless commands, and the one that
// opens the screen. Results go to standard output, an error as one line to
// standard error.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"

	"charm.land/fang/v2"
	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"

	"rdmatui/devices"
	"rdmatui/ui/store"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// Exit statuses; where a signal has ended the program it is bySignal more than
// the signal's number.
const (
	Done   = 0 // it was done
	Failed = 1 // it was tried and failed
	Wrong  = 2 // the call was wrong; nothing was tried
)

// Program is what the command line is made of; main fills it.
type Program struct {
	Version string
	// Native and Soft make the providers; they are called at most once, when a
	// command needs one.
	Native func() verbs.Provider
	// Soft takes the local addresses that the software devices are to have; none
	// stands for free loopback addresses.
	Soft func(addrs []netip.Addr) verbs.Provider
	Host devices.OS
	// Screen opens the screen and returns when the user has left it.
	Screen func(ctx context.Context, providers []verbs.Provider, device string) error
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
}

// call is one invocation: the program with its global flags.
type call struct {
	*Program
	provider string
	device   string
	soft     string
	json     bool
	told     error // what has failed, and was printed already
	typed    *typedLines
}

// usageError is a call that was wrong, as against one that failed.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// Run carries out one command line and returns the exit status.
func (p *Program) Run(ctx context.Context, args []string) int {
	c := &call{Program: p, typed: newTypedLines(ctx, p.Stdin)}
	root := c.rootCommand()
	root.SetArgs(args)
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	printError := func(w io.Writer, _ fang.Styles, err error) { printError(w, why(ctx, err)) }
	err := fang.Execute(ctx, root, fang.WithVersion(p.Version), fang.WithErrorHandler(printError),
		fang.WithColorSchemeFunc(func(ld lipgloss.LightDarkFunc) fang.ColorScheme { return fang.AnsiColorScheme(ld) }))
	if err == nil {
		err = c.told
	}
	var usage usageError
	if s, ok := signalOf(ctx); ok {
		line.WriteTrace(p.Stderr, s.stacks)
		return s.status()
	}
	switch {
	case err == nil:
		return Done
	case errors.As(err, &usage), strings.HasPrefix(err.Error(), unknownCommand):
		return Wrong
	}
	return Failed
}

// unknownCommand begins what cobra says of an argument to one of its own commands,
// completion and man, which take none.
const unknownCommand = "unknown command "

// printError writes the one line; what is in it may come from outside.
func printError(w io.Writer, text string) {
	fmt.Fprintln(w, "rdmatui: "+line.Escape(strings.ReplaceAll(text, "\n", " ")))
}

func (c *call) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "rdmatui",
		Short: "bring RDMA up, debug it and learn it",
		Long: "rdmatui lists RDMA devices with every attribute, walks queue pairs through their states one transition at a time,\n" +
			"posts work requests by hand and shows completions and events live. Without a command it opens the screen.\n" +
			"Its first page, Home, shows the devices and offers guided tours, such as the first WRITE in 60 seconds.\n" +
			"Where the host has no RDMA device it drives a software RoCEv2 device of its own.\n\n" +
			"Exit status: 0 it was done, or the screen was left; 1 it failed; 2 the call was wrong; 128+N signal N ended it\n" +
			"(SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT), after everything that was made had been destroyed. SIGQUIT and SIGABRT\n" +
			"also print the stacks of all goroutines. A second signal, a second or more later, ends rdmatui at once.\n\n" +
			"Files: $XDG_CONFIG_HOME/rdmatui/config (~/.config) holds your choices, in TOML:\n" + settingsHelp() +
			"$XDG_STATE_HOME/rdmatui (~/.local/state) holds the history of commands and what the screen remembers.",
		Example:       "rdmatui                        # the screen\nrdmatui devices -v rxe0        # every attribute of a device\nrdmatui run session.rdma       # a recorded session",
		Args:          noArgs("a command"),
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			providers, err := c.providers()
			if err != nil {
				return err
			}
			return c.Screen(cmd.Context(), providers, c.device)
		},
	}
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return c.refuseJSON(textOf(cmd)) }
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w; see '%s --help'", err, cmd.CommandPath())
	})
	flags := root.PersistentFlags()
	flags.StringVar(&c.provider, "provider", "auto", "auto, ibverbs (the host's devices) or soft (the software device)")
	flags.StringVarP(&c.device, "device", "d", "", "the device to use")
	flags.StringVar(&c.soft, "soft", "", "local addresses ADDR[,ADDR] for soft0 and soft1 (without it: free ones of 127.0.0.1 to 127.0.0.64); one alone: no soft1")
	flags.BoolVar(&c.json, "json", false, "print JSON, one object a line")
	root.AddCommand(c.devicesCommand(), c.runCommand(), c.scenarioCommand(), c.labCommand(), c.doctorCommand(), c.explainCommand(), c.versionCommand())
	root.SetHelpCommand(c.helpCommand())
	return root
}

// settingsHelp lists the keys of the config.
func settingsHelp() string {
	var b strings.Builder
	for _, s := range store.NewSettings(theme.Names) {
		values := strings.Join(s.Values, ", ")
		if len(s.Values) == 0 {
			values = fmt.Sprintf("0 to %d", s.Most)
		}
		fmt.Fprintf(&b, "  %-8s %s (default %s): %s\n", s.Key, values, s.Default, s.Doc)
	}
	return b.String()
}

// noArgs refuses arguments; what says what might have been meant.
func noArgs(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return usagef("%q is not %s of %s; see '%s --help'", args[0], what, cmd.CommandPath(), cmd.CommandPath())
	}
}

// atMost refuses more than n arguments.
func atMost(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) <= n {
			return nil
		}
		return usagef("%q is one argument too many; usage: %s", args[n], cmd.UseLine())
	}
}

// providers returns those that --provider asks for, the host's first.
func (c *call) providers() ([]verbs.Provider, error) {
	addrs, err := c.softAddrs()
	if err != nil {
		return nil, err
	}
	switch c.provider {
	case "auto":
		return []verbs.Provider{c.Native(), c.Soft(addrs)}, nil
	case verbs.HostProvider:
		if addrs != nil {
			return nil, usagef("--soft is for the software devices, which --provider ibverbs leaves out")
		}
		return []verbs.Provider{c.Native()}, nil
	case verbs.SoftProvider:
		return []verbs.Provider{c.Soft(addrs)}, nil
	}
	return nil, usagef("--provider %q: one of auto, ibverbs, soft", c.provider)
}

// inventory returns what --provider asks for, joined with what the host knows.
func (c *call) inventory() (*devices.Inventory, error) {
	providers, err := c.providers()
	if err != nil {
		return nil, err
	}
	return devices.New(providers, c.Host), nil
}
