package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"rdmatui/assets/explain"
	"rdmatui/session/command"
)

// helpCommand knows the program's own commands and those of the command
// language, whose text is made from their table.
func (c *call) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "help for a command, or for a command of a session",
		Long: "help alone shows how rdmatui is called. 'help commands' lists the commands that a session takes,\n" +
			"in the console and in scripts; 'help modify_qp' explains one of them.",
		RunE: c.help,
	}
}

func (c *call) help(cmd *cobra.Command, args []string) error {
	root := cmd.Root()
	if len(args) == 0 {
		return root.Help()
	}
	if args[0] == "commands" {
		_, err := fmt.Fprint(c.Stdout, command.HelpAll())
		return err
	}
	if sub, _, err := root.Find(args); err == nil && sub != root {
		sub.InitDefaultHelpFlag()
		sub.InheritedFlags() // takes up the global flags, which --help lists, too
		return sub.Help()
	}
	name := strings.Join(args, " ")
	if text := command.HelpFor(name); text != "" {
		_, err := fmt.Fprint(c.Stdout, text)
		return err
	}
	if len(explain.Lookup(name)) > 0 {
		return usagef("%q is no command; 'rdmatui explain %s' says what it means", name, name)
	}
	return usagef("there is no command %q; see 'rdmatui help' and 'rdmatui help commands'", name)
}
