package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"rdmatui/ui/widget/line"
)

// textOnly names what the commands without a JSON form print, by command.
var textOnly = map[string]string{
	"rdmatui": "the screen", "help": "help", "completion": "a completion script", "man": "the manual page",
	"manual": "the manual", "report": "an archive", "agent": "the protocol of an agent",
}

// textOf names what a command without a JSON form prints; "" if it has one.
// Subcommands of completion count as completion.
func textOf(cmd *cobra.Command) string {
	for cmd.HasParent() && cmd.Parent().HasParent() {
		cmd = cmd.Parent()
	}
	return textOnly[cmd.Name()]
}

// refuseJSON refuses --json for a command that prints only text, which what names; "":
// the command has a JSON form.
func (c *call) refuseJSON(what string) error {
	if !c.json || what == "" {
		return nil
	}
	return usagef("%s has no JSON form; leave out --json", what)
}

// printJSON writes one object on a line of its own.
func printJSON(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(harmless(b), '\n'))
	return err
}

// harmless writes the characters that JSON does not escape but a terminal may act on,
// C1 controls and directional overrides, as \u sequences. Outside strings JSON is
// ASCII, so the value stays the same.
func harmless(b []byte) []byte {
	if isASCII(b) {
		return b
	}
	out := make([]byte, 0, len(b)+16)
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if s := string(b[:n]); r >= 0x80 && r <= 0xffff && line.Escape(s) != s {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			out = append(out, s...)
		}
		b = b[n:]
	}
	return out
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// row is a line of a list: the cells of its text, and its JSON object.
type row struct {
	cells  []string
	object any
}

// list prints a table below its heads, or with --json one object a row.
func (c *call) list(heads []string, rows []row) error {
	table := [][]string{heads}
	for _, r := range rows {
		if table = append(table, r.cells); !c.json {
			continue
		}
		if err := printJSON(c.Stdout, r.object); err != nil {
			return err
		}
	}
	if c.json {
		return nil
	}
	return columns(c.Stdout, table)
}

// columns aligns the cells of rows. Cells are escaped.
func columns(w io.Writer, rows [][]string) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for i := range row {
			row[i] = line.Escape(row[i])
		}
		if _, err := io.WriteString(tw, strings.Join(row, "\t")+"\n"); err != nil {
			return err
		}
	}
	return tw.Flush()
}
