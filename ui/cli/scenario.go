package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rdmatui/session"
	"rdmatui/session/scenario"
	"rdmatui/session/script"
	"rdmatui/session/traffic"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

func (c *call) scenarioCommand() *cobra.Command {
	p := scenario.DefaultParams("")
	mtu, step := p.MTU.String(), false
	cmd := &cobra.Command{
		Use:   "scenario [NAME --server | NAME ADDRESS]",
		Short: "run one end of a well-known example program",
		Long: "scenario without a name lists the scenarios. With a name it runs one end of the scenario against the stock " +
			"program or another rdmatui, shows every command, and prints the measured figures. The exit status is 0 only if every " +
			"iteration completed and the sizes matched. 'rdmatui scenario NAME --help' shows the flags of that scenario and their defaults.\n\n" +
			"Without -d, a ping-pong uses the device of the route to ADDRESS or the device with the address of --bind; " +
			"otherwise the first device with an ACTIVE port.",
		Example: "rdmatui scenario hello --server\nrdmatui scenario hello 10.9.0.2 --step\nrdmatui scenario rc-pingpong -d rxe0 -n 1000 -s 4096 10.9.0.2",
		Args:    atMost(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 && (p.Server || step):
				return usagef("scenario: the name is missing; 'rdmatui scenario' lists the scenarios")
			case len(args) == 0:
				return c.listScenarios()
			}
			p.Name = args[0]
			if len(args) == 2 {
				p.Address = args[1]
			}
			usual := scenario.DefaultParams(p.Name)
			if !cmd.Flags().Changed("size") {
				p.Size = usual.Size
			}
			if !cmd.Flags().Changed("iters") {
				p.Count = usual.Count
			}
			if !cmd.Flags().Changed("port") {
				p.Port = usual.Port
			}
			if !cmd.Flags().Changed("idle") {
				p.Idle = usual.Idle
			}
			p.MTU = usual.MTU
			if cmd.Flags().Changed("mtu") {
				var err error
				if p.MTU, err = verbs.ParseMTU(mtu); err != nil {
					return usagef("--mtu: %w", err)
				}
			}
			return c.scenario(cmd.Context(), p, step)
		},
	}
	f := cmd.Flags()
	addParams(f, &p)
	f.StringVarP(&mtu, "mtu", "m", mtu, "set the path MTU: 256, 512, 1024, 2048 or 4096 bytes")
	f.BoolVar(&step, "step", false, "show each command and wait for enter before it runs; needs a terminal")
	for _, name := range ownDefaults {
		f.Lookup(name).DefValue = ""
	}
	cmd.SetHelpFunc(scenarioHelp)
	return cmd
}

// addParams adds the flags that are parameters.
func addParams(f *pflag.FlagSet, p *scenario.Params) {
	f.BoolVar(&p.Server, "server", false, "run the server and wait for a client")
	f.IntVarP(&p.GIDIndex, "gid-index", "g", p.GIDIndex, "use this row of the GID table; -1: choose one")
	f.Uint8VarP(&p.DevicePort, "ib-port", "i", p.DevicePort,
		"use this port of the device, from 1; default: the first ACTIVE port")
	f.IntVarP(&p.Count, "iters", "n", p.Count, "run this many iterations")
	f.IntVarP(&p.Size, "size", "s", p.Size, "send messages of this many bytes")
	f.IntVarP(&p.RXDepth, "rx-depth", "r", p.RXDepth, "keep this many RECVs posted")
	f.Uint16VarP(&p.Port, "port", "p", p.Port,
		"set the server's port: a TCP port for the address exchange, or a port of the connection manager")
	f.IntVarP(&p.QPs, "num-qp", "q", p.QPs,
		"create this many queue pairs, the same number at both ends; srq-pingpong only")
	f.BoolVarP(&p.Events, "events", "e", false, "wait for completion events instead of polling")
	f.BoolVarP(&p.Validate, "chk", "c", false, "check the contents of every message")
	f.StringVar(&p.Bind, "bind", p.Bind, "use this local IP address, or any; default: any; ping-pong server: the addresses of the device's interface and 127.0.0.1")
	f.StringVar(&p.CM, "cm", p.CM, "handle connection manager events in this mode: event, poll or sync; ping only")
	f.StringVar(&p.Numbers, "numbers", p.Numbers,
		"encode count and size in the client's private data as be64 or be32; a server accepts both; ping only")
	f.BoolVar(&p.Nonblock, "nonblock", false, "with --events: poll for the events without blocking; ping only")
	f.StringVar(&p.Op, "op", p.Op, "use this operation: write or read, the same at both ends; read-write only")
	f.IntVar(&p.Connections, "connections", p.Connections, "open this many connections; cmatose only")
	f.StringVar(&p.PS, "ps", p.PS, "use this port space: TCP or IB, the same at both ends; cmatose only")
	f.StringArrayVar(&p.Messages, "message", p.Messages,
		"send this message; repeat the flag for more; default: the lines of standard input; chat only")
	f.DurationVar(&p.Wait, "wait", p.Wait,
		"wait this long for the peer; a server of one client after another waits forever by default")
	f.BoolVarP(&p.Persistent, "persistent", "P", false,
		"serve one client after another until stopped; servers of ping and rping only")
	f.DurationVar(&p.Idle, "idle", p.Idle,
		"give up a client that is silent for this long; servers of one client after another only")
}

// deviceInfo returns the description of the device that -d names; zero without -d.
func (c *call) deviceInfo() (info verbs.DeviceInfo, err error) {
	if c.device == "" {
		return info, nil
	}
	inv, err := c.inventory()
	if err != nil {
		return info, err
	}
	for _, d := range inv.List() {
		if d.Name == c.device {
			return d.DeviceInfo, nil
		}
	}
	return info, noDevice(c.device)
}

func (c *call) listScenarios() error {
	on, err := c.deviceInfo()
	if err != nil {
		return err
	}
	var rows []row
	for _, s := range scenario.All {
		told := map[string]string{"name": s.Name, "summary": s.Summary, "partner": s.Partner}
		if lack := s.Lack(&on); lack != nil {
			told["cannot_run"] = lack.Error()
			s.Summary = "cannot run: " + lack.Error()
		}
		rows = append(rows, row{[]string{s.Name, s.Summary, s.Partner}, told})
	}
	return c.list([]string{"NAME", "WHAT IT DOES", "STOCK PARTNER"}, rows)
}

func (c *call) scenario(ctx context.Context, p scenario.Params, step bool) error {
	p.Device = c.device
	if err := p.Check(); err != nil {
		return usageError{err}
	}
	ask := stepper{in: c.typed, out: c.Stdout, on: step}
	if step {
		if err := c.canStep(); err != nil {
			return usageError{err}
		}
	}
	return c.withPrinted(session.Options{Input: c.input}, func(s *session.Session) error {
		r, err := s.NewScenarioRun(p)
		if err != nil {
			return err
		}
		err = script.Rest(ctx, r, func(l *script.Line) error {
			if l.Block {
				return nil
			}
			if !r.Again() || ask.on {
				c.printStep(l)
			}
			return ask.before(ctx, l)
		})
		if res := r.Result(); err == nil && res.Iters > 0 { // others measure nothing
			err = c.printFigures(res)
		}
		return err
	})
}

// printStep prints the purpose of the next command; the command itself follows as an
// event of the time line.
func (c *call) printStep(l *script.Line) {
	if !c.json {
		fmt.Fprintf(c.Stdout, "── step %d of %d: %s\n", l.Step, l.Of, line.Escape(l.Why))
	}
}

// printFigures prints the measured figures as the stock programs do.
func (c *call) printFigures(r traffic.PingpongResult) error {
	if c.json {
		return printJSON(c.Stdout, r)
	}
	_, err := fmt.Fprintf(c.Stdout, "%s\n%s\n", r.Rate(), r.Latency())
	return err
}
