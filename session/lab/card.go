package lab

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"rdmatui/session/core"
	"rdmatui/session/incident"
)

// Card is what came of several rules on a device.
type Card []RuleResult

// TryRules tries rules one after another. told is called with each result; it may be nil. The error
// is that of RuleRun.Run, or of told; the card has what came before.
func TryRules(ctx context.Context, s *core.Session, rules []*Rule, at Place,
	told func(*RuleResult) error) (card Card, err error) {
	for _, rule := range rules {
		res, err := DoRule(ctx, s, rule, at)
		if err != nil {
			return card, err
		}
		card = append(card, res)
		if told == nil {
			continue
		}
		if err := told(&res); err != nil {
			return card, err
		}
	}
	return card, nil
}

// Of returns the results with a verdict.
func (c Card) Of(v RuleVerdict) Card {
	return slices.DeleteFunc(slices.Clone(c), func(r RuleResult) bool { return r.Verdict != v })
}

// Counts says how many rules have each verdict: "178 kept, 0 broken".
func (c Card) Counts() string {
	var texts []string
	for _, v := range ruleCounts {
		texts = append(texts, fmt.Sprintf("%d %s", len(c.Of(v)), v))
	}
	return strings.Join(texts, ", ")
}

// Err names the rules that are broken; nil if none is.
func (c Card) Err() error {
	broken := c.Of(Broken)
	if len(broken) == 0 {
		return nil
	}
	names := make([]string, len(broken))
	for i := range broken {
		names[i] = broken[i].Rule
	}
	return fmt.Errorf("broken: %s", strings.Join(names, ", "))
}

// Markdown is the card as a document: the counts, the deviations with their reasons, and all rules.
func (c Card) Markdown() string {
	var b strings.Builder
	b.WriteString("# Rules of the specification\n\n")
	if len(c) > 0 {
		fmt.Fprintf(&b, "On %s: ", c[0].On())
	}
	fmt.Fprintf(&b, "%s.\n", c.Counts())
	for _, v := range deviations {
		part := incident.Part{Head: v.String(), Rows: [][]string{{"", "says", "source", "line", "seen", "why"}}}
		for _, r := range c.Of(v) {
			part.Rows = append(part.Rows, []string{r.Rule, r.Says, r.Source, r.At(), r.Seen, r.Why})
		}
		if len(part.Rows) > 1 {
			part.WriteMarkdown(&b)
		}
	}
	all := incident.Part{Head: "all rules", Rows: [][]string{{"", "verdict", "says", "source"}}}
	for i := range c {
		all.Rows = append(all.Rows, []string{c[i].Rule, c[i].Verdict.String(), c[i].Says, c[i].Source})
	}
	all.WriteMarkdown(&b)
	return b.String()
}

// Deviations are the results other than kept: the broken first, then the known differences.
func (c Card) Deviations() (all Card) {
	for _, v := range deviations {
		all = append(all, c.Of(v)...)
	}
	return all
}

// tryRules carries out lab with an area or a rule. The result names what deviates.
func tryRules(c *core.Call, rules []*Rule, at Place) error {
	card, err := TryRules(c.Ctx, c.S, rules, at, nil)
	if err != nil {
		return err
	}
	c.Done.Result = card.Counts()
	for _, r := range card.Deviations() {
		c.Done.Result += "; " + r.Rule + ": " + r.Verdict.String()
	}
	return card.Err()
}
