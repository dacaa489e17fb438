package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/spf13/cobra"

	"rdmatui/devices"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/route"
)

func adviseCommand(c *call) *cobra.Command {
	return &cobra.Command{
		Use:   "advise HOST",
		Short: "say which device, port and GID index to use for a host",
		Long: "advise follows this host's route to HOST, a name or an IP address, to the device, the port, the GID index and " +
			"the source address that a program should use, and says how NCCL, UCX, libfabric, MPI, perftest and librdmacm " +
			"are told so. It sends no packet except to look a name up: HOST need not answer.\n\n" +
			"The exit status is 1 if the route leaves by no RDMA device, or if there is none.",
		Example: "rdmatui advise 10.9.0.2\nrdmatui advise --json node7",
		Args:    oneHost,
		RunE:    func(cmd *cobra.Command, args []string) error { return advise(c, cmd, args[0]) },
	}
}

// oneHost takes exactly one host.
func oneHost(cmd *cobra.Command, args []string) error {
	if len(args) == 0 || args[0] == "" {
		return usagef("%sgive the host's name or IP address; usage: %s", inCommand(cmd), cmd.UseLine())
	}
	return atMost(1)(cmd, args)
}

// lookUp asks the system's resolver.
func lookUp(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

func advise(c *call, cmd *cobra.Command, host string) error {
	inv, err := c.inventory()
	if err != nil {
		return err
	}
	defer inv.Close()
	a := inv.Advise(cmd.Context(), host, devices.Resolver{Addresses: lookUp, Source: route.Host.Source})
	if err := cmd.Context().Err(); err != nil {
		return err
	}
	if err := printAdvice(c, &a); err != nil {
		return err
	}
	if wrong := a.Wrong(); wrong != nil {
		return errors.New(line.Escape(a.String()))
	}
	return nil
}

func printAdvice(c *call, a *devices.Advice) error {
	if c.json {
		return printJSON(c.Stdout, a)
	}
	if a.Wrong() == nil {
		if _, err := fmt.Fprintln(c.Stdout, line.Escape(a.String())); err != nil {
			return err
		}
	}
	for _, f := range a.Findings {
		if err := c.printFinding(f); err != nil {
			return err
		}
	}
	for _, s := range a.Settings {
		if _, err := fmt.Fprintf(c.Stdout, "%-10s %s\n", s.Program, line.Escape(s.Set)); err != nil {
			return err
		}
	}
	return nil
}
