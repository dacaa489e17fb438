package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	xterm "github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"rdmatui/assets/explain"
	"rdmatui/session/command"
)

// helpCommand shows help for the program's own commands, and for the session
// commands, whose text is generated from their table.
func (c *call) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "show help for a command or a session command",
		Long: "help alone shows the usage of rdmatui. 'help commands' lists the session commands, which the console and " +
			"scripts take; 'help modify_qp' explains one of them; 'help scenario ping' shows the flags of one scenario.",
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
	if sub, rest, err := root.Find(args); err == nil && sub != root {
		sub.InitDefaultHelpFlag()
		sub.InheritedFlags() // adds the global flags, which --help lists
		sub.HelpFunc()(sub, rest)
		return nil
	}
	name := strings.Join(args, " ")
	if text := command.HelpFor(name); text != "" {
		_, err := fmt.Fprint(c.Stdout, text)
		return err
	}
	if len(explain.Lookup(name)) > 0 {
		return usagef("%q is not a command; 'rdmatui explain %s' says what it means", name, name)
	}
	return usagef("no command %q; see 'rdmatui help' and 'rdmatui help commands'", name)
}

// helpWriter returns the writer for help: w itself if it is a terminal, otherwise one
// that drops the blanks with which help is padded to the width of the screen.
func helpWriter(w io.Writer) io.Writer {
	if f, ok := w.(*os.File); ok && xterm.IsTerminal(f.Fd()) {
		return w
	}
	return &trimWriter{out: w}
}

// trimWriter drops the blanks at the ends of lines.
type trimWriter struct {
	out   io.Writer
	blank []byte // blanks that were written last: they go out before another character of the line
}

// Write writes p without blanks before a newline. It keeps blanks at the end of p
// until it knows what follows.
func (t *trimWriter) Write(p []byte) (int, error) {
	var b []byte
	for _, c := range p {
		switch c {
		case ' ':
			t.blank = append(t.blank, c)
			continue
		case '\n':
		default:
			b = append(b, t.blank...)
		}
		b, t.blank = append(b, c), t.blank[:0]
	}
	if _, err := t.out.Write(b); err != nil {
		return 0, err
	}
	return len(p), nil
}
