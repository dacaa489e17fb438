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
		Short: "say what keeps RDMA from working here, and what to do",
		Long: "doctor looks at kernel modules, the library, device files, permissions, limits, ports and GIDs, with -d those of\n" +
			"one device only.\n" +
			"It answers why the host has no RDMA device, or why one cannot be used: its exit status is 1 if something stands\n" +
			"in the way of the host's devices, marked 'fail', and 0 otherwise, whatever is marked 'warn'. The software device\n" +
			"needs none of this; with --provider soft or -d soft0 nothing about the host makes it fail.",
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

// verdict is the error that ends the doctor, nil where the host's devices can
// be used or are not asked for.
func (c *call) verdict(inv *devices.Inventory, findings []devices.Finding) error {
	if all := toOpen(inv.Providers(), false); c.device != "" && !slices.Contains(all, c.device) {
		return fmt.Errorf("there is no device %q; 'rdmatui devices' lists those there are", c.device)
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

// softwareDevices names the devices that need nothing of the host.
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
