package incident

import (
	"fmt"
	"strings"
	"unicode"
)

// Title says what failed, in one line: "wr_id 7 of a failed with REM_ACCESS_ERR".
func (in *Incident) Title() string {
	c := &in.Completion
	what := "wr_id " + fmt.Sprint(c.WC.WRID)
	if c.QP != "" {
		what += " of " + c.QP
	}
	return fmt.Sprintf("%s failed with %s", what, c.WC.Status)
}

// Certainty says how certain the cause is, and introduces the list of General causes.
func (in *Incident) Certainty() string {
	switch c := in.Completion.Cause; {
	case c.Text == "":
		return "Cause unknown. Possible causes:"
	case !c.Sure:
		return "Inferred, not certain. Other possible causes:"
	case c.Open:
		return "This is certain, but not what led to it. Possible causes:"
	}
	return "This is certain."
}

// Markdown formats the incident as a Markdown document. Text from outside is escaped.
func (in *Incident) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", escape(in.Title()))
	if text := in.Completion.Cause.Text; text != "" {
		fmt.Fprintf(&b, "**Cause:** %s\n\n", escape(text))
	}
	fmt.Fprintf(&b, "%s\n", in.Certainty())
	for i, text := range in.General {
		if i == 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "- %s\n", escape(text))
	}
	fmt.Fprintf(&b, "\nIncident %d, at %s. %s\n", in.Number, seconds(in.T), in.After())
	for i := range in.Parts {
		in.Parts[i].WriteMarkdown(&b)
	}
	return b.String()
}

// WriteMarkdown writes the heading and the rows. Text from outside is escaped.
func (p *Part) WriteMarkdown(b *strings.Builder) {
	fmt.Fprintf(b, "\n## %s\n\n", p.Head)
	writeRows(b, p.Rows)
}

// After says how many requests were flushed after the failure.
func (in *Incident) After() string {
	switch in.Flushed {
	case 0:
		return "No request was flushed after it."
	case 1:
		return "1 request was flushed after it."
	}
	return fmt.Sprintf("%d requests were flushed after it.", in.Flushed)
}

// writeRows writes rows as a list, or as a table if they have more than two columns.
func writeRows(b *strings.Builder, rows [][]string) {
	width := 0
	for _, row := range rows {
		width = max(width, len(row))
	}
	for _, row := range rows {
		switch width {
		case 1:
			fmt.Fprintf(b, "- %s\n", escape(row[0]))
		case 2:
			fmt.Fprintf(b, "- %s: %s\n", escape(row[0]), escape(row[1]))
		}
	}
	if width <= 2 {
		return
	}
	head := make([]string, width)
	if rows[0][0] == "" { // it names the columns
		copy(head, rows[0])
		rows = rows[1:]
	}
	cells := func(row []string) {
		for i := range width {
			text := ""
			if i < len(row) {
				text = escape(row[i])
			}
			fmt.Fprintf(b, "| %s ", text)
		}
		b.WriteString("|\n")
	}
	cells(head)
	b.WriteString(strings.Repeat("|---", width) + "|\n")
	for _, row := range rows {
		cells(row)
	}
}

var special = strings.NewReplacer("\\", "\\\\", "|", "\\|", "*", "\\*", "_", "\\_", "`", "\\`", "<",
	"&lt;", "&", "&amp;", "[", "\\[")

// escape escapes text from outside for Markdown and replaces control characters.
func escape(text string) string {
	return special.Replace(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text))
}
