package cli

import (
	"github.com/spf13/cobra"

	"rdmatui/session/agent"
)

func agentCommand(c *call) *cobra.Command {
	return &cobra.Command{
		Use:   "agent",
		Short: "let 'rdmatui pair' look at this host over standard input and output",
		Long: "agent is the far end of 'rdmatui pair', which starts it. It answers JSON-RPC 2.0, one message per line, on standard " +
			"input and output: facts of this host, and the commands of a session that a test of the connection needs. It opens no " +
			"port, reads and writes no file and runs no program. It ends with its input, and then destroys everything it has made.",
		Args: noArgs("an argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			providers, err := c.providers()
			if err != nil {
				return err
			}
			if c.provider == "auto" && c.soft != "" {
				providers = providers[1:] // whoever gives the software devices addresses means them
			}
			return agent.Serve(cmd.Context(), c.Stdin, c.Stdout, agent.Options{
				Version: c.Version, Providers: providers, Host: c.Host, Device: c.device})
		},
	}
}
