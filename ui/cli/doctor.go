package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"rdmatui/devices"
	"rdmatui/ui/widget/line"
)

func (c *call) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "say what keeps RDMA from working here, and what to do",
		Long: "doctor looks at kernel modules, the library, device files, permissions, limits, ports and GIDs.\n" +
			"Its exit status is 1 if a check failed, 0 otherwise.",
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
	findings := inv.Diagnose(cmd.Context())
	for _, f := range findings {
		if err := c.printFinding(f); err != nil {
			return err
		}
	}
	if err := cmd.Context().Err(); err != nil {
		return err
	}
	if devices.Worst(findings) == devices.Fail {
		return fmt.Errorf("a check failed; the lines marked 'fail' say what to do")
	}
	return nil
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
