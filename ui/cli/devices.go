package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"rdmatui/devices"
	"rdmatui/verbs"
	"rdmatui/verbs/format"
)

func (c *call) devicesCommand() *cobra.Command {
	var verbose, gids bool
	cmd := &cobra.Command{
		Use:   "devices [NAME [NAME]]",
		Short: "list devices, show everything about one, or compare two",
		Long: "devices lists the devices that can be opened. With a name, -v or --json it opens them and prints " +
			"all attributes, ports, GIDs, P_Keys and counters, what the host knows of each device, and who uses it: " +
			"processes, queue pairs with their PSNs, rdma_cm_ids with their addresses, memory regions. With two names it " +
			"prints what differs. A node GUID stands for a name, here and after -d.",
		Example: "rdmatui devices\nrdmatui devices --gids\nrdmatui devices -v rxe0\nrdmatui devices mlx5_0 mlx5_1\n" +
			"rdmatui devices --json | jq .device_attr.max_qp",
		Args: atMost(2),
		RunE: func(_ *cobra.Command, args []string) error {
			return c.devices(args, verbose, gids)
		},
	}
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "print every attribute")
	cmd.Flags().BoolVar(&gids, "gids", false, "print the GIDs of all devices as one table")
	return cmd
}

func (c *call) devices(args []string, verbose, gids bool) error {
	providers, err := c.providers()
	if err != nil {
		return err
	}
	inv := devices.New(providers, c.Host)
	defer inv.Close()
	for i := range args {
		args[i] = nameOf(providers, args[i])
	}
	names, short := args, false
	if len(names) == 0 && c.device != "" {
		names = []string{c.device}
	}
	if len(names) == 0 {
		short = !verbose && !c.json
		names = toOpen(inv.Providers(), short)
	}
	switch {
	case gids && verbose:
		return usagef("--gids prints the GIDs alone; leave out --verbose")
	case gids:
		return printGIDs(c, inv, names)
	case len(args) == 2 && !c.json:
		return compare(c, inv, args[0], args[1])
	}
	said := map[string]bool{}
	if short {
		c.printNotes(inv, names, said)
		return c.listDevices(inv)
	}
	for _, name := range names {
		if err := c.device1(inv, name, said); err != nil {
			return err
		}
	}
	return nil
}

// toOpen names all devices. With usual it names only the default ones: the host's, or
// the software devices on a host that has none.
func toOpen(providers []devices.ProviderStatus, usual bool) (names []string) {
	for _, p := range providers {
		if usual && len(names) > 0 {
			break
		}
		for _, info := range p.Devices {
			names = append(names, info.Name)
		}
	}
	return names
}

// device1 prints everything about one device. The notes come after it was opened: then
// only its own provider is asked.
func (c *call) device1(inv *devices.Inventory, name string, said map[string]bool) error {
	d, err := inv.Detail(name)
	c.printNotes(inv, []string{name}, said)
	if err != nil {
		return err
	}
	counters, err := inv.Counters(name)
	if err != nil {
		d.Problems = append(d.Problems, devices.Problem{What: "counters", Err: format.OneLine(err)})
	}
	used := resourcesOf(inv, &d)
	if c.json {
		return printJSON(c.Stdout, struct {
			devices.Detail
			Counters  []devices.Counter  `json:"counters,omitempty"`
			Resources *devices.Resources `json:"resources,omitempty"` // nil of a software device
		}{d, counters, used})
	}
	b := appendCounters(appendDetail(nil, &d), counters)
	if used != nil {
		b = appendResources(b, used)
	}
	_, err = c.Stdout.Write(b)
	return err
}

// resourcesOf returns who uses a device of the kernel; nil for a software device, whose objects live in one process.
func resourcesOf(inv *devices.Inventory, d *devices.Detail) *devices.Resources {
	if d.Provider == verbs.SoftProvider {
		return nil
	}
	r, err := inv.Resources(d.Name)
	if err != nil {
		d.Problems = append(d.Problems, devices.Problem{What: "users", Err: format.OneLine(err)})
		return nil
	}
	return &r
}

// listDevices prints one line per port, and on standard error why a provider has no devices.
func (c *call) listDevices(inv *devices.Inventory) error {
	rows := [][]string{{"NAME", "PROVIDER", "PORT", "STATE", "TRANSPORT", "RATE", "NETDEV", "NODE GUID"}}
	for _, d := range inv.List() {
		rows = append(rows, deviceRows(d)...)
	}
	failed := slices.DeleteFunc(inv.Providers(), func(p devices.ProviderStatus) bool { return p.Err == nil })
	if len(rows) == 1 && len(failed) > 0 {
		return noDevices(failed[0])
	}
	if err := columns(c.Stdout, rows); err != nil {
		return err
	}
	for _, p := range failed {
		fmt.Fprintln(c.Stderr, "note: "+noDevices(p).Error())
	}
	return nil
}

// noDevices says why a provider could not list its devices.
func noDevices(p devices.ProviderStatus) error {
	return fmt.Errorf("no devices from %s: %s; 'rdmatui doctor' says what to do", p.Name, format.OneLine(p.Err))
}

func deviceRows(d devices.Summary) (rows [][]string) {
	if len(d.Ports) == 0 {
		return [][]string{{d.Name, d.Provider, "–", d.Err, "", "", "", d.NodeGUID.String()}}
	}
	for _, p := range d.Ports {
		rate := "–"
		if p.Rate > 0 {
			rate = fmt.Sprintf("%g Gb/s", p.Rate)
		}
		rows = append(rows, []string{d.Name, d.Provider, fmt.Sprint(p.PortNum), p.State.String(),
			d.TransportOver(p.LinkLayer), rate, p.Netdev, d.NodeGUID.String()})
	}
	return rows
}
