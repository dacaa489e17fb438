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
)

// explainWidth is the width of explanations; it fits a terminal of 80 columns.
const explainWidth = 79

// nearNames is how many similar names are suggested for an unknown word.
const nearNames = 4

func (c *call) explainCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain [WORD... | -]",
		Short: "explain a status, an event, an attribute, an error or a log",
		Long: "explain says what a name or number means, which side reports it, its usual causes, what to check and what to try.\n\n" +
			"It takes names, as C spells them or without the prefix; a call, whose errnos follow; a word of tutorials; a number after a word that says what it is; a verb and its errno; " +
			"two states; an attribute and its value; or lines of a log, in quotes or, with -, from standard input. It knows the logs of " +
			"NCCL, UCX, libfabric, MPI, perftest and the kernel, and prints the likeliest cause first. Without a word it lists what it can explain.",
		Example: "rdmatui explain RETRY_EXC_ERR\nrdmatui explain status 12\nrdmatui explain \"vendor_err 129\"\nrdmatui explain modify_qp EINVAL\n" +
			"rdmatui explain INIT RTR\nrdmatui explain timeout 14\nrdmatui explain ibv_post_send\nrdmatui explain zero copy\ndmesg | rdmatui explain -",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeNames,
		RunE:              func(cmd *cobra.Command, args []string) error { return c.explain(cmd.Context(), args) },
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return usagef("%w; write a negative number after --: rdmatui explain -- -22", err)
	})
	return cmd
}

// completeNames completes names in the case that the user began in; explain accepts any.
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
	text, answer := strings.Join(args, " "), explain.Answer{}
	if text == "-" {
		var err error
		if answer, err = c.readLog(ctx); err != nil {
			return err
		}
	} else {
		answer = explain.Read(text)
	}
	found := answer.Entries
	for i := range found {
		found[i] = explained.Asked(found[i])
	}
	switch {
	case len(found) == 0 && len(answer.Unknown) > 0:
		return unknownLine(answer.Unknown[0])
	case len(found) == 0 && text == "-":
		return errUnknownLog
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
		return c.printAnswer(found, "Also in this log:")
	case explain.Leads(found, text):
		return c.printAnswer(found, besideLead(found))
	}
	return c.listExplained(found)
}

// readLog explains standard input, which it reads to its end, or until ctx is done.
func (c *call) readLog(ctx context.Context) (explain.Answer, error) {
	if f, ok := c.Stdin.(*os.File); ok && xterm.IsTerminal(f.Fd()) {
		fmt.Fprintln(c.Stderr, "Paste the log, then press Ctrl-D.")
	}
	in := untilDone(ctx, c.Stdin)
	defer in.Close()
	counted := &countedReader{Reader: in}
	answer, err := explain.ReadFrom(counted)
	if err != nil {
		return answer, fmt.Errorf("reading standard input: %w", err)
	}
	if counted.n == 0 {
		return answer, usagef("standard input is empty; give explain - the lines of a log: dmesg | rdmatui explain -")
	}
	return answer, nil
}

// countedReader counts the bytes that were read.
type countedReader struct {
	io.Reader
	n int
}

// Read reads from the text, and counts.
func (r *countedReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.n += n
	return n, err
}

// besideLead is the heading of what is printed below the entry that was asked for.
func besideLead(found []explain.Entry) string {
	if found[1].Family == "verb_errno" {
		return "Its errors:"
	}
	return "See also:"
}

// printAnswer prints the first entry in full and, below a heading, one line for each other entry.
func (c *call) printAnswer(found []explain.Entry, beside string) error {
	if _, err := fmt.Fprint(c.Stdout, explained.Text(found[0], explainWidth)); err != nil || len(found) == 1 {
		return err
	}
	if _, err := fmt.Fprintf(c.Stdout, "\n%s\n", beside); err != nil {
		return err
	}
	return c.listExplained(found[1:])
}

// listExplained prints one line for each entry, with the command that explains it.
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

// quoted quotes a name for a shell where it must be quoted.
func quoted(name string) string {
	if strings.ContainsAny(name, "→'()*;&|") {
		return `"` + name + `"`
	}
	return name
}

func (c *call) listFamilies() error {
	var rows []row
	for _, f := range explain.Families() {
		word := f.Name
		if len(f.Words) > 0 {
			word = f.Words[0]
		}
		rows = append(rows, row{[]string{word + " " + f.Entries[0].Name, f.What, fmt.Sprint(len(f.Entries))},
			map[string]any{"family": f.Name, "what": f.What, "words": f.Words, "entries": len(f.Entries)}})
	}
	if err := c.list([]string{"ASK", "FOR", "ENTRIES"}, rows); err != nil || c.json {
		return err
	}
	_, err := fmt.Fprint(c.Stdout, "\nA number needs the first word: rdmatui explain status 12. Most names do not.\n")
	return err
}

// printExplained prints an entry as one JSON object.
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

// fewWords is the most words that a question has; more are a line of a log.
const fewWords = 5

// unknownLine is the error for a log of which no more is known than that something failed in a line.
func unknownLine(u explain.UnknownLine) error {
	said := fmt.Sprintf("line %d says that something failed, but is unknown here: %s", u.Line, line.Escape(u.Text))
	return usagef("%s; look for a line with a status, an errno or an event", said)
}

var errUnknownLog = usagef("nothing in this log is known; give the lines with a status, an errno, an event or the verb that failed")

// unknownText is the error for a text that cannot be explained: it names the first
// unknown word and similar names, or says which lines of a log are understood.
func unknownText(text string) error {
	if strings.Contains(text, "\n") || len(strings.Fields(text)) > fewWords {
		return errUnknownLog
	}
	word := explain.Unknown(text)
	if word == "" {
		word = text
	}
	const most = 60 // of a word that is repeated
	if short := []rune(word); len(short) > most {
		word = string(short[:most]) + "…"
	}
	said := fmt.Sprintf("%q is unknown", line.Escape(word))
	if near := explain.Nearest(word, nearNames); len(near) > 0 {
		return usagef("%s; did you mean %s?", said, strings.Join(near, ", "))
	}
	return usagef("%s; 'rdmatui explain' lists what can be explained", said)
}
