package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"rdmatui/session"
	"rdmatui/session/lab"
)

// rulesOptions are the flags of lab --rules.
type rulesOptions struct{ on, script, markdown, list bool }

func (o *rulesOptions) flags(f *pflag.FlagSet) {
	f.BoolVar(&o.on, "rules", false, "try the rules of the specification on a device, all or those of an area, or one")
	f.BoolVar(&o.markdown, "markdown", false, "with --rules: print the result as Markdown, for a ticket")
	f.BoolVar(&o.list, "list", false, "with --rules: list the rules and their sources instead of trying them")
}

// run carries out lab --rules.
func (o *rulesOptions) run(ctx context.Context, c *ruleCard, args []string, all bool, at lab.Place) error {
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
		return c.list(rules)
	}
	return c.withSession(session.Options{}, func(s *session.Session) error {
		if one && !c.json && !o.markdown {
			return c.show(ctx, s, rules[0], at)
		}
		return c.try(ctx, s, rules, at)
	})
}

// ruleCard prints the card of several rules.
type ruleCard struct {
	*call
	markdown bool
	area     string // of the last rule that was printed
}

// try tries the rules and prints a line for each, then what deviates.
func (c *ruleCard) try(ctx context.Context, s *session.Session, rules []*lab.Rule, at lab.Place) error {
	card, err := s.TryRules(ctx, rules, at, c.told)
	if err != nil {
		return err
	}
	switch {
	case c.markdown:
		_, err = io.WriteString(c.Stdout, card.Markdown())
	case !c.json:
		c.deviations(card)
	}
	return errors.Join(err, card.Err())
}

func (c *ruleCard) told(res *lab.RuleResult) error {
	switch {
	case c.json:
		return printJSON(c.Stdout, res)
	case c.markdown:
		return nil
	case res.Area() != c.area:
		c.area = res.Area()
		fmt.Fprintf(c.Stdout, "── %s\n", c.area)
	}
	_, err := fmt.Fprintf(c.Stdout, "%-17s %s\n", res.Verdict, res.Rule)
	return err
}

func (c *ruleCard) deviations(card lab.Card) {
	for _, res := range card.Deviations() {
		fmt.Fprintln(c.Stdout)
		c.labelled(res.Rule, res.Says+" ("+res.Source+")")
		c.ended(&res)
	}
	fmt.Fprintf(c.Stdout, "\n%s\n", card.Counts())
}

// ended prints the line that ended a rule, what it saw, and the verdict.
func (c *ruleCard) ended(res *lab.RuleResult) {
	for _, l := range [][2]string{
		{"line", res.At()}, {"seen", res.Seen}, {"why", res.Why}, {"verdict", res.Verdict.String()},
	} {
		if l[1] != "" {
			c.labelled(l[0], l[1])
		}
	}
}

// show tries one rule and shows its lines as they run.
func (c *ruleCard) show(ctx context.Context, s *session.Session, rule *lab.Rule, at lab.Place) error {
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
	c.ended(&res)
	return lab.Card{res}.Err()
}

// list prints the rules and their sources.
func (c *ruleCard) list(rules []*lab.Rule) error {
	var rows []row
	for _, r := range rules {
		rows = append(rows, row{[]string{r.Name, r.Says, r.Source},
			map[string]any{"rule": r.Name, "says": r.Says, "source": r.Source}})
	}
	return c.call.list([]string{"RULE", "WHAT IT SAYS", "SOURCE"}, rows)
}
