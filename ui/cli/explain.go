package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rdmatui/assets/explain"
	"rdmatui/ui/explained"
	"rdmatui/ui/widget/line"
)

// explainWidth fits a terminal of 80 columns.
const explainWidth = 79

// nearNames is how many names are offered for a word that is not known.
const nearNames = 4

func (c *call) explainCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain [WORD...]",
		Short: "say what a status, an event, an attribute or an error means",
		Long: "explain tells what a name or a number means, which side notices, what it mostly comes from, what to check and what\n" +
			"to try. It takes names as C spells them or without the prefix, numbers with a word before them, a verb with its\n" +
			"errno, two states, an attribute with its value, or a line of a log in quotes. Without a word it lists what it knows.",
		Example: "rdmatui explain RETRY_EXC_ERR\nrdmatui explain status 12\nrdmatui explain \"vendor_err 129\"\nrdmatui explain modify_qp EINVAL\n" +
			"rdmatui explain INIT RTR\nrdmatui explain timeout 14",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeNames,
		RunE:              func(_ *cobra.Command, args []string) error { return c.explain(args) },
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return usagef("%w; a number below 0 comes after --: rdmatui explain -- -22", err)
	})
	return cmd
}

// completeNames offers names in the case in which one was begun: what is meant is found in any.
func completeNames(_ *cobra.Command, _ []string, begun string) (names []string, _ cobra.ShellCompDirective) {
	spell := strings.ToUpper
	switch begun {
	case "":
		spell = strings.Clone
	case strings.ToLower(begun):
		spell = strings.ToLower
	}
	for _, n := range explain.Names() {
		if n = spell(n); !strings.ContainsAny(n, " →") && strings.HasPrefix(n, begun) && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func (c *call) explain(args []string) error {
	if len(args) == 0 {
		return c.listFamilies()
	}
	found := explain.Lookup(args...)
	switch {
	case len(found) == 0:
		return unknownWord(args)
	case c.json:
		for i := range found {
			if err := c.printExplained(explained.Asked(found[i])); err != nil {
				return err
			}
		}
		return nil
	case len(found) == 1:
		_, err := fmt.Fprint(c.Stdout, explained.Text(explained.Asked(found[0]), explainWidth))
		return err
	}
	return c.listExplained(found)
}

// listExplained prints one line of each, and how to ask for it alone.
func (c *call) listExplained(found []explain.Entry) error {
	rows := make([][]string, len(found))
	for i := range found {
		rows[i] = []string{"rdmatui explain " + quoted(found[i].Ask()), found[i].Short}
	}
	return columns(c.Stdout, rows)
}

// quoted is a name as a shell takes it.
func quoted(name string) string {
	if strings.ContainsAny(name, "→") {
		return `"` + name + `"`
	}
	return name
}

func (c *call) listFamilies() error {
	rows := [][]string{{"ASK", "FOR", "ENTRIES"}}
	for _, f := range explain.Families() {
		word := f.Name
		if len(f.Words) > 0 {
			word = f.Words[0]
		}
		if c.json {
			err := printJSON(c.Stdout, map[string]any{"family": f.Name, "what": f.What, "words": f.Words, "entries": len(f.Entries)})
			if err != nil {
				return err
			}
			continue
		}
		rows = append(rows, []string{word + " " + f.Entries[0].Name, f.What, fmt.Sprint(len(f.Entries))})
	}
	if c.json {
		return nil
	}
	if err := columns(c.Stdout, rows); err != nil {
		return err
	}
	_, err := fmt.Fprint(c.Stdout, "\nThe first word can mostly be left out before a name, and must stand before a number: rdmatui explain status 12\n")
	return err
}

// printExplained prints an entry as one object.
func (c *call) printExplained(e explain.Entry) error {
	o := struct {
		explain.Entry
		Number *int64 `json:"number,omitempty"`
	}{Entry: e}
	if v, ok := e.Value(); ok {
		o.Number = &v
	}
	return printJSON(c.Stdout, o)
}

// unknownWord names the first word that means nothing, and what may have been meant.
func unknownWord(args []string) error {
	word := explain.Unknown(args...)
	if word == "" {
		word = strings.Join(args, " ")
	}
	const most = 60 // of a word that is told again
	if short := []rune(word); len(short) > most {
		word = string(short[:most]) + "…"
	}
	text := fmt.Sprintf("nothing is known of %q", line.Escape(word))
	if near := explain.Nearest(word, nearNames); len(near) > 0 {
		return usagef("%s; near: %s", text, strings.Join(near, ", "))
	}
	return usagef("%s; 'rdmatui explain' lists what is", text)
}
