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
	"strconv"
	"strings"

	"charm.land/fang/v2"
	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rdmatui/devices"
	"rdmatui/session/conversation"
	"rdmatui/ui/store"
	"rdmatui/ui/theme"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

// Exit statuses. A program that a signal ended exits with bySignal plus the
// signal's number.
const (
	Done   = 0 // success
	Failed = 1 // the command failed
	Wrong  = 2 // wrong usage; nothing was tried
)

// Program holds what the command line needs from the outside; main fills it in.
type Program struct {
	Version string // the version to print
	// Native returns the provider over the host's libraries. It is called at most
	// once, when a command needs it.
	Native func() verbs.Provider
	// Soft returns the provider of the software devices at the given local addresses;
	// none: free loopback addresses. It is called at most once, when a command needs it.
	Soft func(addrs []netip.Addr) verbs.Provider
	Host devices.OS // what the operating system knows of the devices
	// Screen opens the screen on a device ("": none), or on captures, and returns when the
	// user quits. With resume it offers to run the lines of the last session.
	Screen func(ctx context.Context, providers []verbs.Provider, device string, captures []conversation.Source,
		resume bool) error
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
	told     error // the error that was already printed
	typed    *typedLines
}

// usageError is an error of usage: nothing was tried.
type usageError struct{ error }

// Unwrap returns the error without its mark.
func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// Run executes one command line and returns the exit status. It prints an error as
// one line on Stderr.
func (p *Program) Run(ctx context.Context, args []string) int {
	c := &call{Program: p, typed: newTypedLines(ctx, p.Stdin)}
	root := c.rootCommand()
	c.printErrors(ctx, root)
	root.SetArgs(args)
	root.SetIn(p.Stdin)
	root.SetOut(helpWriter(p.Stdout))
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

// unknownCommand begins cobra's error for an argument to one of its own commands,
// completion and man, which take none.
const unknownCommand = "unknown command "

// printError writes an error as one line, escaped: part of it may come from a peer.
func printError(w io.Writer, text string) {
	fmt.Fprintln(w, "rdmatui: "+line.Escape(strings.ReplaceAll(text, "\n", " ")))
}

// printErrors makes the commands print their own errors: fang asks the terminal for its colours before it prints one,
// and the answer may come after the program has ended, or be taken for typed lines.
func (c *call) printErrors(ctx context.Context, cmd *cobra.Command) {
	if run := cmd.RunE; run != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if c.told = run(cmd, args); c.told != nil {
				printError(c.Stderr, why(ctx, c.told))
			}
			return nil
		}
	}
	for _, sub := range cmd.Commands() {
		c.printErrors(ctx, sub)
	}
}

func (c *call) rootCommand() *cobra.Command {
	var resume bool
	root := &cobra.Command{
		Use:   "rdmatui",
		Short: "bring RDMA up, debug it and learn it",
		Long: "rdmatui lists RDMA devices with every attribute, takes queue pairs through their states one transition at a time, " +
			"posts work requests by hand, and shows completions and events as they happen. Without a command it opens the screen. " +
			"The first page, Home, shows the devices and offers guided tours, such as the first WRITE in 60 seconds. " +
			"On a host without an RDMA device it uses a software RoCEv2 device of its own.\n\n" +
			"Exit status: 0 success, or you quit the screen; 1 failure; 2 wrong usage; 128+N ended by signal N " +
			"(SIGINT, SIGTERM, SIGHUP, SIGQUIT or SIGABRT), after destroying everything it had created. SIGQUIT and SIGABRT " +
			"also print the stacks of all goroutines. A second signal, one second or more after the first, ends rdmatui at once.\n\n" +
			"Files: $XDG_CONFIG_HOME/rdmatui/config (default ~/.config/rdmatui/config) holds the settings, in TOML:\n" +
			settingsHelp() +
			"$XDG_STATE_HOME/rdmatui (default ~/.local/state/rdmatui) holds the command history, the state of the screen and the lines of the last session.",
		Example:       "rdmatui                        # the screen\nrdmatui devices -v rxe0        # every attribute of a device\nrdmatui run session.rdma       # a recorded session",
		Args:          noArgs("a command"),
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			providers, err := c.providers()
			if err != nil {
				return err
			}
			if resume && c.device != "" {
				return usagef("--resume opens the devices of the last session; leave out --device")
			}
			return c.Screen(cmd.Context(), providers, c.device, nil, resume)
		},
	}
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if isGUID(c.device) {
			if providers, err := c.providers(); err == nil { // the command reports the error
				c.device = nameOf(providers, c.device)
			}
		}
		return c.refuseJSON(textOf(cmd))
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w; see '%s --help'", plainFlagError(err), cmd.CommandPath())
	})
	root.Flags().BoolVar(&resume, "resume", false,
		"show the lines of the last session that succeeded, and run them again if you say yes")
	flags := root.PersistentFlags()
	flags.StringVar(&c.provider, "provider", "auto",
		"select the devices: auto, ibverbs (the host's) or soft (the software devices)")
	flags.StringVarP(&c.device, "device", "d", "", "use this device")
	flags.StringVar(&c.soft, "soft", "", "give soft0 and soft1 these local addresses: ADDR[,ADDR]; one address: no soft1; default: free ones in 127.0.0.1-127.0.0.64")
	flags.BoolVar(&c.json, "json", false, "print JSON, one object per line")
	root.AddCommand(c.devicesCommand(), c.runCommand(), c.scenarioCommand(), c.labCommand(), benchCommand(c),
		tuneCommand(c), c.wireCommand(), c.doctorCommand(), adviseCommand(c), c.explainCommand(),
		manualCommand(c), reportCommand(c), pairCommand(c), agentCommand(c),
		c.versionCommand())
	root.SetHelpCommand(c.helpCommand())
	return root
}

// settingsHelp lists the keys of the configuration file.
func settingsHelp() string {
	var b strings.Builder
	for _, s := range store.NewSettings(theme.Names) {
		values := strings.Join(s.Values, ", ")
		if len(s.Values) == 0 {
			values = fmt.Sprintf("%d to %d", s.Least, s.Most)
		}
		fmt.Fprintf(&b, "  %-9s %s (default %s): %s\n", s.Key, values, s.Default, s.Doc)
	}
	return b.String()
}

// inCommand begins an error of a command, but for rdmatui itself, whose name stands before every error.
func inCommand(cmd *cobra.Command) string {
	if !cmd.HasParent() {
		return ""
	}
	return cmd.Name() + ": "
}

// plainFlagError says of a number in plain words what strconv would.
func plainFlagError(err error) error {
	var invalid *pflag.InvalidValueError
	var number *strconv.NumError
	if !errors.As(err, &invalid) || !errors.As(err, &number) {
		return err
	}
	what := "is not a number"
	if errors.Is(number, strconv.ErrRange) {
		what = "is out of range"
	}
	return fmt.Errorf("--%s: %q %s", invalid.GetFlag().Name, invalid.GetValue(), what)
}

// noArgs refuses arguments; what names the kind of word that was expected.
func noArgs(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return usagef("%s%q is not %s; see '%s --help'", inCommand(cmd), args[0], what, cmd.CommandPath())
	}
}

// atMost refuses more than n arguments.
func atMost(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) <= n {
			return nil
		}
		return usagef("%stoo many arguments: %q; usage: %s", inCommand(cmd), args[n], cmd.UseLine())
	}
}

// providers returns the providers that --provider selects, the host's first.
func (c *call) providers() ([]verbs.Provider, error) {
	addrs, err := c.softAddrs()
	if err != nil {
		return nil, err
	}
	switch c.provider {
	case "auto":
		soft := c.Soft(addrs)
		return []verbs.Provider{c.Native(), soft}, checkAddrs(soft, addrs, c.soft)
	case verbs.HostProvider:
		if addrs != nil {
			return nil,
				usagef("--soft needs the software devices, which --provider ibverbs excludes; leave out one of the two")
		}
		return []verbs.Provider{c.Native()}, nil
	case verbs.SoftProvider:
		soft := c.Soft(addrs)
		return []verbs.Provider{soft}, checkAddrs(soft, addrs, c.soft)
	}
	return nil, usagef("--provider %q: unknown; use auto, ibverbs or soft", c.provider)
}

// inventory returns the devices that --provider selects, joined with what the host
// knows of them.
func (c *call) inventory() (*devices.Inventory, error) {
	providers, err := c.providers()
	if err != nil {
		return nil, err
	}
	return devices.New(providers, c.Host), nil
}
