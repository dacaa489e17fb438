package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"rdmatui/session"
	"rdmatui/session/lab"
	"rdmatui/ui/widget/line"
)

// rulesOptions are the flags of lab --rules.
type rulesOptions struct{ on, script, markdown, list bool }

func (o *rulesOptions) flags(f *pflag.FlagSet) {
	f.BoolVar(&o.on, "rules", false, "try the rules of the specification on a device, all or those of an area, or one")
	f.BoolVar(&o.markdown, "markdown", false, "with --rules: print the result as Markdown, for a ticket")
	f.BoolVar(&o.list, "list", false, "with --rules: list the rules and their sources instead of trying them")
}

// labRules carries out lab --rules.
func (c *call) labRules(ctx context.Context, args []string, all bool, at lab.Place, o *rulesOptions) error {
	find := lab.Rules
	if len(args) > 0 {
		find = func() ([]*lab.Rule, error) { return lab.FindRules(args[0]) }
	}
	rules, err := find()
	one := len(args) > 0 && strings.Contains(args[0], "/")
	switch {
	case err != nil:
		return usageError{err}
	case all && len(args) > 0:
		return usagef("--all tries every rule; leave out %q", args[0])
	case o.script && !one:
		return usagef("--script needs the name of a rule, AREA/NAME; 'rdmatui lab --rules --list' lists them")
	case o.markdown && (c.json || o.list || o.script):
		return usagef("--markdown, --json, --list and --script exclude each other")
	case o.script:
		return c.labScript(rules[0].Script, at)
	case o.list:
		return c.listRules(rules)
	}
	return c.withSession(session.Options{}, func(s *session.Session) error {
		if one && !c.json && !o.markdown {
			return c.rule(ctx, s, rules[0], at)
		}
		return c.card(ctx, s, rules, at, o.markdown)
	})
}

func (c *call) listRules(rules []*lab.Rule) error {
	var rows []row
	for _, r := range rules {
		rows = append(rows, row{[]string{r.Name, r.Says, r.Source},
			map[string]any{"rule": r.Name, "says": r.Says, "source": r.Source}})
	}
	return c.list([]string{"RULE", "WHAT IT SAYS", "SOURCE"}, rows)
}

// rule tries one rule and shows its lines as they run.
func (c *call) rule(ctx context.Context, s *session.Session, rule *lab.Rule, at lab.Place) error {
	p := &eventPrinter{out: c.Stdout}
	r, err := s.NewRuleRun(rule, at, p.print)
	if err != nil {
		return err
	}
	c.labelled("rule", rule.Says)
	c.labelled("source", rule.Source)
	c.labelled("device", r.Device())
	res, err := r.Run(ctx, c.partPrinter(r))
	if err = errors.Join(err, p.err); err != nil {
		return err
	}
	fmt.Fprintln(c.Stdout)
	if res.Line != "" && res.Verdict != lab.NotOffered {
		c.labelled("line", fmt.Sprintf("%d: %s", res.LineN, res.Line))
	}
	if res.Why != "" {
		c.labelled("why", res.Why)
	}
	c.labelled("verdict", res.Verdict.String())
	return brokenError([]lab.RuleResult{res})
}

// brokenError names the rules that are broken; nil if none is.
func brokenError(results []lab.RuleResult) error {
	var broken []string
	for i := range results {
		if results[i].Verdict == lab.Broken {
			broken = append(broken, results[i].Rule)
		}
	}
	if broken == nil {
		return nil
	}
	return fmt.Errorf("broken: %s", strings.Join(broken, ", "))
}

// card tries rules and prints a line for each, then what deviates.
func (c *call) card(ctx context.Context, s *session.Session, rules []*lab.Rule, at lab.Place, markdown bool) error {
	var results []lab.RuleResult
	area := ""
	for _, rule := range rules {
		res, err := s.RunRule(ctx, rule, at)
		if err != nil {
			return err
		}
		results = append(results, res)
		switch {
		case c.json:
			if err := printJSON(c.Stdout, &res); err != nil {
				return err
			}
		case !markdown:
			if res.Area() != area {
				area = res.Area()
				fmt.Fprintf(c.Stdout, "── %s\n", area)
			}
			fmt.Fprintf(c.Stdout, "%-17s %s\n", res.Verdict, line.Escape(rule.Name))
		}
	}
	switch {
	case markdown:
		c.printMarkdown(results)
	case !c.json:
		c.printDeviations(results)
	}
	return brokenError(results)
}

// counts is how many rules have each verdict, in words.
func counts(results []lab.RuleResult) string {
	n := map[lab.RuleVerdict]int{}
	for i := range results {
		n[results[i].Verdict]++
	}
	var texts []string
	for _, v := range lab.RuleVerdicts {
		texts = append(texts, fmt.Sprintf("%d %s", n[v], v))
	}
	return strings.Join(texts, ", ")
}

func (c *call) printDeviations(results []lab.RuleResult) {
	for i := range results {
		res := &results[i]
		if res.Verdict == lab.Kept {
			continue
		}
		fmt.Fprintln(c.Stdout)
		c.labelled(res.Verdict.String(), res.Rule)
		c.labelled("rule", res.Says+" ("+res.Source+")")
		if res.Line != "" && res.Verdict != lab.NotOffered {
			c.labelled(fmt.Sprintf("line %d", res.LineN), res.Line)
		}
		c.labelled("why", res.Why)
	}
	fmt.Fprintf(c.Stdout, "\n%s\n", counts(results))
}

func (c *call) printMarkdown([]lab.RuleResult) {}
