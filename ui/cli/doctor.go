package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rdmatui/devices"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs"
)

func (c *call) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "find out why RDMA does not work here, and what to do",
		Long: "doctor checks kernel modules, the library, device files, permissions, limits, network namespaces, ports, GIDs, " +
			"MTU and GPUDirect; with -d, only those of one device. It says why the host has no RDMA device, or why a device cannot be used.\n\n" +
			"The exit status is 1 if a check marked 'fail' keeps the host's devices from being used, otherwise 0; checks marked " +
			"'warn' do not count. The software devices need nothing from the host: with --provider soft or -d soft0 no " +
			"problem of the host changes the exit status.",
		Args: noArgs("an argument"),
		RunE: c.doctor,
	}
}

func (c *call) doctor(cmd *cobra.Command, _ []string) error {
	inv, err := c.inventory()
	if err != nil {
		return err
	}
	defer inv.Close()
	findings := inv.Diagnose(cmd.Context(), c.device)
	for _, f := range findings {
		if err := c.printFinding(f); err != nil {
			return err
		}
	}
	if err := cmd.Context().Err(); err != nil {
		return err
	}
	return c.verdict(inv, findings)
}

// verdict returns the error of the doctor command; nil if the host's devices can be
// used, or if only software devices were asked for.
func (c *call) verdict(inv *devices.Inventory, findings []devices.Finding) error {
	if all := toOpen(inv.Providers(), false); c.device != "" && !slices.Contains(all, c.device) {
		return noDevice(c.device)
	}
	software := softwareDevices(inv)
	asked := c.provider == verbs.SoftProvider && len(software) > 0 || slices.Contains(software, c.device)
	if devices.Worst(findings) != devices.Fail || asked {
		return nil
	}
	text := "no host RDMA device is usable: fix the lines marked 'fail'"
	if len(software) > 0 {
		text += "; the software devices " + strings.Join(software, " and ") + " still work"
	}
	return errors.New(text)
}

// noDevice is the error for the name of a device that does not exist.
func noDevice(name string) error {
	return fmt.Errorf("no device %q; 'rdmatui devices' lists the devices", name)
}

// softwareDevices names the devices that need nothing from the host.
func softwareDevices(inv *devices.Inventory) (names []string) {
	for _, p := range inv.Providers() {
		if p.Name != verbs.SoftProvider {
			continue
		}
		for _, d := range p.Devices {
			names = append(names, d.Name)
		}
	}
	return names
}

func (c *call) printFinding(f devices.Finding) error {
	if c.json {
		return printJSON(c.Stdout, f)
	}
	text := fmt.Sprintf("%-5s %s: %s\n", f.Status, f.Check, line.Escape(f.Looked))
	if f.Status != devices.OK {
		text += fmt.Sprintf("      %s\n", line.Escape(f.Meaning))
	}
	if f.Next != "" {
		text += fmt.Sprintf("      next: %s\n", line.Escape(f.Next))
	}
	_, err := fmt.Fprint(c.Stdout, text)
	return err
}
