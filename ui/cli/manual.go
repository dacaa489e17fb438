package cli

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"rdmatui/assets"
	"rdmatui/ui/manual"
)

func manualCommand(c *call) *cobra.Command {
	return &cobra.Command{
		Use:   "manual [PAGE]",
		Short: "read the manual",
		Long: "manual without a name lists the pages; with the name of a page it prints that page. On the screen, " +
			":manual does the same, and m in the help (?) shows the page of the screen.",
		Example:   "rdmatui manual\nrdmatui manual wire",
		ValidArgs: assets.PageNames(),
		RunE: func(_ *cobra.Command, args []string) error {
			text := manual.List()
			if len(args) > 0 {
				var err error
				if text, err = manual.Find(strings.Join(args, " "), explainWidth); err != nil {
					return usageError{err}
				}
			}
			_, err := io.WriteString(c.Stdout, text)
			return err
		},
	}
}
