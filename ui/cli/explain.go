package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	xterm "github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"rdmatui/assets/explain"
	"rdmatui/ui/explained"
	"rdmatui/ui/widget/line"
	"rdmatui/verbs/format"
)

// explainWidth fits a terminal of 80 columns.
const explainWidth = 79

// nearNames is how many names are offered for a word that is not known.
const nearNames = 4

func (c *call) explainCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain [WORD... | -]",
		Short: "say what a status, an event, an attribute, an error or a log means",
		Long: "explain tells what a name or a number means, which side notices, what it mostly comes from, what to check and what\n" +
			"to try. It takes names as C spells them or without the prefix, numbers with a word before them, a verb with its\n" +
			"errno, two states, an attribute with its value, or lines of a log: in quotes, or with - from standard input.\n" +
			"NCCL, UCX, libfabric, MPI, perftest and the kernel are understood. Of a log the first answer is the likeliest\n" +
			"cause; the others follow. Without a word it lists what it knows.",
		Example: "rdmatui explain RETRY_EXC_ERR\nrdmatui explain status 12\nrdmatui explain \"vendor_err 129\"\nrdmatui explain modify_qp EINVAL\n" +
			"rdmatui explain INIT RTR\nrdmatui explain timeout 14\ndmesg | rdmatui explain -",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeNames,
		RunE:              func(cmd *cobra.Command, args []string) error { return c.explain(cmd.Context(), args) },
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

func (c *call) explain(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return c.listFamilies()
	}
	text := strings.Join(args, " ")
	if text == "-" {
		var err error
		if text, err = c.readLog(ctx); err != nil {
			return err
		}
	}
	answer := explain.Read(text)
	if answer.Cut {
		fmt.Fprintf(c.Stderr, "rdmatui: only the first %s of the log were read\n", format.Size(explain.MaxText))
	}
	found := answer.Entries
	for i := range found {
		found[i] = explained.Asked(found[i])
	}
	switch {
	case len(found) == 0:
		return unknownText(text)
	case c.json:
		for i := range found {
			if err := c.printExplained(found[i]); err != nil {
				return err
			}
		}
		return nil
	case len(found) == 1 || answer.Log:
		return c.printAnswer(found)
	}
	return c.listExplained(found)
}

// readLog reads standard input, to its end or until ctx ends.
func (c *call) readLog(ctx context.Context) (string, error) {
	if f, ok := c.Stdin.(*os.File); ok && xterm.IsTerminal(f.Fd()) {
		fmt.Fprintln(c.Stderr, "Paste the log, then press Ctrl-D.")
	}
	in := untilDone(ctx, c.Stdin)
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, explain.MaxText+1))
	if err != nil {
		return "", fmt.Errorf("reading standard input: %w", err)
	}
	if len(text) == 0 {
		return "", usagef("standard input is empty; explain - takes lines of a log: dmesg | rdmatui explain -")
	}
	return string(text), nil
}

// printAnswer prints the first entry in full, and a line of each other one that was
// found in the same log.
func (c *call) printAnswer(found []explain.Entry) error {
	if n := found[0].Line; n > 0 {
		if _, err := fmt.Fprintf(c.Stdout, "line %d: ", n); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprint(c.Stdout, explained.Text(found[0], explainWidth)); err != nil || len(found) == 1 {
		return err
	}
	if _, err := fmt.Fprint(c.Stdout, "\nAlso in this log:\n"); err != nil {
		return err
	}
	return c.listExplained(found[1:])
}

// listExplained prints one line of each, and how to ask for it alone.
func (c *call) listExplained(found []explain.Entry) error {
	rows := make([][]string, len(found))
	for i := range found {
		rows[i] = []string{"rdmatui explain " + quoted(found[i].Ask()), found[i].Short}
		if n := found[i].Line; n > 0 {
			rows[i] = append([]string{fmt.Sprintf("line %d", n)}, rows[i]...)
		}
	}
	return columns(c.Stdout, rows)
}

// quoted is a name as a shell takes it.
func quoted(name string) string {
	if strings.ContainsAny(name, "→'()*;&|") {
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

// fewWords is how many words a question may have whose first unknown word is named;
// more are a line of a log.
const fewWords = 5

// unknownText names the first word that means nothing, and what may have been meant;
// of a log it says what would be known.
func unknownText(text string) error {
	if strings.Contains(text, "\n") || len(strings.Fields(text)) > fewWords {
		return usagef("nothing known about this log; give the lines that tell a status, an errno, an event or the verb that failed")
	}
	word := explain.Unknown(text)
	if word == "" {
		word = text
	}
	const most = 60 // of a word that is told again
	if short := []rune(word); len(short) > most {
		word = string(short[:most]) + "…"
	}
	said := fmt.Sprintf("nothing known about %q", line.Escape(word))
	if near := explain.Nearest(word, nearNames); len(near) > 0 {
		return usagef("%s; near: %s", said, strings.Join(near, ", "))
	}
	return usagef("%s; 'rdmatui explain' lists what is", said)
}
