package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"rdmatui/session"
	"rdmatui/session/scenario"
	"rdmatui/session/traffic"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

func (c *call) scenarioCommand() *cobra.Command {
	p := scenario.DefaultParams("")
	mtu, step := p.MTU.String(), false
	cmd := &cobra.Command{
		Use:   "scenario [NAME --server | NAME ADDRESS]",
		Short: "run one end of a program that people learn from",
		Long: "scenario without a name lists the scenarios. With one it plays an end of it, step by step, against the stock\n" +
			"program or another rdmatui, and prints the figures at the end. Its exit status is 0 only if every\n" +
			"iteration completed and the sizes matched. Without -d a ping-pong takes the device that the route to ADDRESS\n" +
			"leaves by, or that has the address of --bind, or else the first with an ACTIVE port.",
		Example: "rdmatui scenario hello --server\nrdmatui scenario hello 10.9.0.2 --step\nrdmatui scenario rc-pingpong -d rxe0 -n 1000 -s 4096 10.9.0.2",
		Args:    atMost(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 && (p.Server || step):
				return usagef("name the scenario; 'rdmatui scenario' lists them")
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
	f.BoolVar(&p.Server, "server", false, "wait for a client")
	f.IntVarP(&p.GIDIndex, "gid-index", "g", p.GIDIndex, "row of the GID table; -1: choose one")
	f.Uint8VarP(&p.DevicePort, "ib-port", "i", p.DevicePort, "port of the device, from 1; left out: the first that is ACTIVE")
	f.IntVarP(&p.Count, "iters", "n", p.Count, "iterations; of the others their own number if not given")
	f.IntVarP(&p.Size, "size", "s", p.Size, "bytes of a message; of the others their own size if not given")
	f.StringVarP(&mtu, "mtu", "m", mtu, "path MTU of a connection: 256, 512, 1024, 2048 or 4096 bytes")
	f.IntVarP(&p.RXDepth, "rx-depth", "r", p.RXDepth, "RECVs kept posted")
	f.Uint16VarP(&p.Port, "port", "p", p.Port, "TCP port of the exchange of addresses, or the port of the connection manager's service")
	f.IntVarP(&p.QPs, "num-qp", "q", p.QPs, "srq-pingpong: queue pairs, both ends alike")
	f.BoolVarP(&p.Events, "events", "e", false, "sleep until completions come instead of polling")
	f.BoolVarP(&p.Validate, "chk", "c", false, "check the bytes of every message")
	f.StringVar(&p.Bind, "bind", p.Bind, "own IP address, or any; left out: any, or for a pingpong server the addresses of the device's interface and 127.0.0.1")
	f.StringVar(&p.CM, "cm", p.CM, "ping: how events of the manager are waited for: event, poll or sync")
	f.StringVar(&p.Numbers, "numbers", p.Numbers, "ping: how the client sends count and size in its private data: be64 or be32; a server takes both")
	f.BoolVar(&p.Nonblock, "nonblock", false, "ping: with --events, ask for them again and again without sleeping in the call")
	f.StringVar(&p.Op, "op", p.Op, "read-write: write or read, both ends alike")
	f.IntVar(&p.Connections, "connections", p.Connections, "cmatose: connections at once")
	f.StringVar(&p.PS, "ps", p.PS, "cmatose: port space, TCP or IB, both ends alike")
	f.StringArrayVar(&p.Messages, "message", p.Messages, "chat: a message to send, may be given again for more; left out: messages are typed until the input ends")
	f.BoolVar(&step, "step", false, "show each command and wait for enter before it is carried out; needs a terminal")
	f.DurationVar(&p.Wait, "wait", p.Wait, "how long to wait for the other end; a server that stays waits for ever if not given")
	f.BoolVarP(&p.Persistent, "persistent", "P", false, "ping, rping: the server serves one client after another until it is stopped")
	f.DurationVar(&p.Idle, "idle", p.Idle, "of a server that stays: how long a client may be silent; chat: 10m if not given")
	return cmd
}

// deviceInfo is of the device of -d, zero without it.
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
	return info, fmt.Errorf("there is no device %q; 'rdmatui devices' lists those there are", c.device)
}

func (c *call) listScenarios() error {
	rows := [][]string{{"NAME", "WHAT IT DOES", "STOCK PARTNER"}}
	on, err := c.deviceInfo()
	if err != nil {
		return err
	}
	for _, s := range scenario.All {
		lack := s.Lack(&on)
		if c.json {
			told := map[string]string{"name": s.Name, "summary": s.Summary, "partner": s.Partner}
			if lack != nil {
				told["cannot_run"] = lack.Error()
			}
			if err := printJSON(c.Stdout, told); err != nil {
				return err
			}
			continue
		}
		if lack != nil {
			s.Summary = "cannot run: " + lack.Error()
		}
		rows = append(rows, []string{s.Name, s.Summary, s.Partner})
	}
	if c.json {
		return nil
	}
	return columns(c.Stdout, rows)
}

func (c *call) scenario(ctx context.Context, p scenario.Params, step bool) error {
	p.Device = c.device
	if err := p.Check(); err != nil {
		return usageError{err}
	}
	play := c.playScenario
	if step {
		if err := c.canStep(); err != nil {
			return usageError{err}
		}
		play = c.stepScenario
	}
	err := c.withSession(session.Options{Input: c.input}, func(s *session.Session) error {
		r, err := play(ctx, s, p)
		if err != nil {
			return err
		}
		if r.Iters == 0 {
			return nil // it measures nothing
		}
		return c.printFigures(r)
	})
	if step && err != nil {
		// What prints errors asks the terminal for its colours first. The answer
		// would go to the read that waits for the next step.
		printError(c.Stderr, why(ctx, err))
		c.told, err = err, nil
	}
	return err
}

func (c *call) playScenario(ctx context.Context, s *session.Session, p scenario.Params) (traffic.PingpongResult, error) {
	return s.RunScenario(ctx, p, c.printStep)
}

// printStep says what the next command is for; the command itself follows on
// the time line.
func (c *call) printStep(st scenario.Step) {
	if !c.json {
		fmt.Fprintf(c.Stdout, "── step %d of %d: %s\n", st.N, st.Of, line.Escape(st.Text))
	}
}

// printFigures prints the summary, as the stock programs do.
func (c *call) printFigures(r traffic.PingpongResult) error {
	if c.json {
		return printJSON(c.Stdout, r)
	}
	_, err := fmt.Fprintf(c.Stdout, "%s\n%s\n", r.Rate(), r.Latency())
	return err
}
