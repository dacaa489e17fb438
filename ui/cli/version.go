package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

func (c *call) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print the version",
		Args:  noArgs("an argument"),
		RunE: func(*cobra.Command, []string) error {
			if c.json {
				return printJSON(c.Stdout, struct {
					Version string `json:"version"`
					Go      string `json:"go"`
					OS      string `json:"os"`
					Arch    string `json:"arch"`
				}{c.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH})
			}
			_, err := fmt.Fprintf(c.Stdout, "rdmatui %s (%s %s/%s)\n", c.Version, runtime.Version(), runtime.GOOS,
				runtime.GOARCH)
			return err
		},
	}
}
