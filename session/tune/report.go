package tune

import (
	"fmt"
	"math"
	"strings"
)

// Result is the outcome of an experiment.
type Result struct {
	Name    string   `json:"experiment"`
	Title   string   `json:"technique"`
	Verdict Verdict  `json:"verdict"`
	Unit    string   `json:"unit"`
	Turns   int      `json:"turns,omitempty"`
	Without Side     `json:"without"`
	With    Side     `json:"with"`
	Change  *Summary `json:"change,omitempty"` // of the ratios with/without, minus 1
	Reason  string   `json:"reason"`
	Advice  string   `json:"advice,omitempty"`
	Why     string   `json:"why,omitempty"` // the experiment is not available or failed

	unit *unit
}

// Side is what one variant measured.
type Side struct {
	Label string `json:"variant"`
	*Summary
	CPU float64 `json:"cpu_percent,omitempty"` // of one CPU, by the whole process
}

// Heading returns the beginning of a report in Markdown.
func (p *Place) Heading() string {
	return fmt.Sprintf("# Tuning report: %s\n\n%s of provider %s, port %d, active MTU %d bytes, %d CPUs. Both ends "+
		"run in this process.\n\n%s\n",
		p.Device, p.Device, p.Provider, p.Port, p.ActiveMTU, p.CPUs, Rule)
}

// Markdown returns the section of the report about an experiment.
func (r *Result) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s: %s\n\n", r.Name, r.Title)
	if r.Change == nil {
		fmt.Fprintf(&b, "**%s**: %s.\n\n%s\n", r.Verdict, r.Why, r.Reason)
		return b.String()
	}
	fmt.Fprintf(&b, "| | variant | median | quartiles | CPU |\n|---|---|---|---|---|\n")
	for _, row := range []struct {
		name string
		side *Side
	}{{"without", &r.Without}, {"with", &r.With}} {
		s := row.side
		fmt.Fprintf(&b, "| %s | %s | %s | %s to %s | %.0f %% |\n", row.name, cell(s.Label), r.unit.text(s.Median),
			strings.TrimSuffix(r.unit.text(s.LowerQuartile), " "+r.unit.name), r.unit.text(s.UpperQuartile), s.CPU)
	}
	fmt.Fprintf(&b, "\n**%s**: %s (quartiles %s to %s) in %d turns. %s\n\n%s\n", r.Verdict, percent(r.Change.Median),
		percent(r.Change.LowerQuartile), percent(r.Change.UpperQuartile), r.Turns, r.Advice, r.Reason)
	return b.String()
}

// Summing returns the end of a report in Markdown: what to use in a program.
func Summing(results []Result) string {
	var b strings.Builder
	b.WriteString("\n## What to use\n\n| experiment | verdict | difference | advice |\n|---|---|---|---|\n")
	for i := range results {
		r := &results[i]
		change, advice := "", r.Advice
		if r.Change != nil {
			change = percent(r.Change.Median)
		} else {
			advice = cell(r.Why)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.Name, r.Verdict, change, advice)
	}
	return b.String()
}

// percent formats a relative change.
func percent(change float64) string {
	n := int(math.RoundToEven(100 * change)) // an int has no -0
	if n == 0 {
		return "0 %"
	}
	return strings.ReplaceAll(fmt.Sprintf("%+d %%", n), "-", "−")
}

// cell keeps a text from ending the cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
