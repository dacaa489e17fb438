package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rdmatui/session"
	"rdmatui/session/lab"
	"rdmatui/session/script"
	"rdmatui/session/timeline"
	"rdmatui/ui/explained"
	"rdmatui/ui/widget"
	"rdmatui/ui/widget/line"
)

func (c *call) labCommand() *cobra.Command {
	all, script := false, false
	var rules rulesOptions
	at := lab.On("")
	cmd := &cobra.Command{
		Use:   "lab [NAME | --all | --rules [AREA | AREA/NAME]]",
		Short: "cause a failure on purpose and compare it with the specification",
		Long: "lab without a name lists the experiments, each of which causes one failure. With a name it says what to expect, " +
			"causes the failure between two queue pairs of one device, compares the outcome with the specification, explains it, and recovers " +
			"the queue pairs until they work again. It destroys everything that it created. Where a device is known to differ from " +
			"the specification, lab gives the reason.\n\n" +
			"With --rules it tries what the specification says, each sentence by a short script of its own: all rules, those of an area such as mr, " +
			"or one, which it shows with its lines. A rule is kept, known to differ on this driver, broken, not offered by the device, or not run.\n\n" +
			"Without -d it uses the first device with an ACTIVE port. The exit status is 1 if an outcome is neither specified " +
			"nor a known difference, or a rule is broken.",
		Example: "rdmatui lab bad-rkey\nrdmatui lab no-recv -d rxe0\nrdmatui lab --all -d rxe0\nrdmatui lab flush --script | rdmatui run -\n" +
			"rdmatui lab --rules -d rxe0\nrdmatui lab --rules mr\nrdmatui lab --rules --markdown -d rxe0 > rules.md",
		Args:              atMost(1),
		ValidArgsFunction: completeExperiments,
		RunE: func(cmd *cobra.Command, args []string) error {
			at.Device = c.device
			switch {
			case rules.on:
				rules.script = script
				return rules.run(cmd.Context(), &ruleCard{call: c, markdown: rules.markdown}, args, all, at)
			case rules.markdown || rules.list:
				return usagef("--markdown and --list are for --rules")
			case all && len(args) > 0:
				return usagef("--all runs every experiment; leave out %q", args[0])
			case script && len(args) == 0:
				return usagef("--script needs the name of an experiment; 'rdmatui lab' lists them")
			case all:
				return c.labAll(cmd.Context(), at)
			case len(args) == 0:
				return c.listLab()
			}
			exp, err := lab.Find(args[0])
			if err != nil {
				return usageError{err}
			}
			if script {
				return c.labScript(exp.Script, at)
			}
			return c.lab(cmd.Context(), exp, at)
		},
	}
	cmd.Flags().IntVarP(&at.GIDIndex, "gid-index", "g", at.GIDIndex, "use this row of the GID table; -1: choose one")
	cmd.Flags().Uint8VarP(&at.PortNum, "ib-port", "i", at.PortNum,
		"use this port of the device, from 1; default: the first ACTIVE port")
	cmd.Flags().BoolVar(&all, "all", false, "run every experiment and print one line for each")
	cmd.Flags().BoolVar(&script, "script", false,
		"print the experiment, or with --rules the rule, as a script for 'rdmatui run' instead of running it")
	rules.flags(cmd.Flags())
	return cmd
}

func completeExperiments(cmd *cobra.Command, args []string, begun string) (names []string, _ cobra.ShellCompDirective) {
	if len(args) == 0 {
		names = lab.Names()
		if on, _ := cmd.Flags().GetBool("rules"); on {
			names = slices.Concat(lab.Areas(), lab.RuleNames())
		}
		names = slices.DeleteFunc(names, func(n string) bool { return !strings.HasPrefix(n, begun) })
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// outcomes are the parts of an experiment's outcome that a list shows.
var outcomes = []string{lab.Refused, lab.Requester, lab.Responder, lab.Event}

func (c *call) listLab() error {
	all, err := lab.Experiments()
	if err != nil {
		return err
	}
	on, err := c.deviceInfo()
	if err == nil {
		err = lab.Lack(&on)
	}
	if err != nil {
		return err
	}
	var rows []row
	for _, e := range all {
		specified := map[string]string{}
		var texts []string
		for _, of := range outcomes {
			if v := e.Specified(of); v != lab.None {
				specified[of] = v
				texts = append(texts, of+" "+v)
			}
		}
		rows = append(rows, row{[]string{e.Name, e.Title, strings.Join(texts, "; ")}, map[string]any{"name": e.Name,
			"title": e.Title, "expect": e.Expect, "says": e.Says, "clause": e.Clause, "specified": specified}})
	}
	return c.list([]string{"NAME", "WHAT IT DOES", "SPECIFIED OUTCOME"}, rows)
}

func (c *call) labScript(script func(lab.Place) (string, error), at lab.Place) error {
	if err := c.refuseJSON("a script"); err != nil {
		return err
	}
	if at.Device == "" {
		at.Device = "soft0"
	}
	text, err := script(at)
	if err == nil {
		_, err = io.WriteString(c.Stdout, text)
	}
	return err
}

// lab runs one experiment and prints everything that is known about it.
func (c *call) lab(ctx context.Context, exp *lab.Experiment, at lab.Place) error {
	return c.withSession(session.Options{}, func(s *session.Session) error {
		p := &eventPrinter{out: c.Stdout, json: c.json}
		r, err := s.NewLabRun(exp.Name, at, p.print)
		if err != nil {
			return err
		}
		var before func(*script.Line) error
		if !c.json {
			c.printExpected(exp, r.Device())
			before = c.partPrinter(r)
		}
		res, err := r.Run(ctx, before)
		if err = errors.Join(err, p.err); err != nil {
			return err
		}
		if c.json {
			err = printJSON(c.Stdout, &res)
		} else {
			err = c.printCompared(&res)
		}
		return errors.Join(err, verdictError(&res))
	})
}

// verdictError returns an error if the experiment could not run or its outcome was
// unexpected.
func verdictError(res *lab.Result) error {
	switch {
	case res.Verdict == lab.NotRun:
		return fmt.Errorf("%s could not run on %s: %s", res.Experiment, res.Device, res.Err)
	case res.Verdict == lab.Unexpected:
		return errors.New(res.String())
	}
	return nil
}

// labelled writes a text beside its label, wrapped.
func (c *call) labelled(label, text string) {
	const width = 15
	if len(label) >= width {
		fmt.Fprintln(c.Stdout, label)
		label = ""
	}
	for _, l := range widget.Wrap(nil, line.Escape(text), explainWidth-width) {
		fmt.Fprintf(c.Stdout, "%-*s%s\n", width, label, l)
		label = ""
	}
}

func (c *call) printExpected(exp *lab.Experiment, device string) {
	c.labelled(exp.Name, exp.Title+", on "+device)
	c.labelled("expect", exp.Expect)
	c.labelled("specification", exp.Says+" ("+exp.Clause+")")
}

// labRun is an experiment or a rule that is carried out.
type labRun interface {
	Again() bool
	PartOf(l *script.Line) lab.Part
}

// partPrinter returns a function that prints the heading of each part, and the purpose
// of each line.
func (c *call) partPrinter(r labRun) func(*script.Line) error {
	now := lab.Part(-1)
	return func(l *script.Line) error {
		if r.Again() {
			return nil
		}
		if p := r.PartOf(l); p != now {
			fmt.Fprintf(c.Stdout, "\n── %s\n", p)
			now = p
		}
		if l.Why != "" {
			fmt.Fprintf(c.Stdout, "# %s\n", line.Escape(l.Why))
		}
		return nil
	}
}

func (c *call) printCompared(res *lab.Result) error {
	fmt.Fprintln(c.Stdout)
	rows := [][]string{{"", "SPECIFIED", "HAPPENED", ""}}
	for i := range res.Findings {
		f := &res.Findings[i]
		rows = append(rows, []string{f.Label(), f.Specified, f.Happened, f.Verdict.String()})
	}
	if err := columns(c.Stdout, rows); err != nil {
		return err
	}
	fmt.Fprintln(c.Stdout)
	for i := range res.Findings {
		if f := &res.Findings[i]; f.Reason != "" {
			c.labelled(res.Driver+" differs", f.Label()+" "+f.Happened+": "+f.Reason)
		}
	}
	for _, w := range res.Completions {
		if w.VendorErr != 0 {
			c.labelled("vendor_err", fmt.Sprintf("0x%x of wr_id %d of %s", w.VendorErr, w.WRID, w.QP))
		}
	}
	c.explainTold(res.Told)
	c.labelled("recovery", res.Back)
	c.labelled("verdict", res.Verdict.String())
	return nil
}

// explainTold explains each status and event that was reported, once.
func (c *call) explainTold(told []timeline.Event) {
	var seen []string
	for i := range told {
		for _, e := range explained.Event(&told[i], "", &session.Snapshot{}) {
			if slices.Contains(seen, e.Name) {
				continue
			}
			seen = append(seen, e.Name)
			c.labelled(e.Name, e.Short+". "+e.Means)
		}
	}
}

// labAll runs every experiment. Its error names those with an unexpected outcome.
func (c *call) labAll(ctx context.Context, at lab.Place) error {
	return c.withSession(session.Options{}, func(s *session.Session) error {
		counts := map[lab.Verdict]int{}
		var unexpected []string
		for _, name := range lab.Names() {
			res, err := s.RunLab(ctx, name, at)
			if err != nil {
				return err
			}
			if counts[res.Verdict]++; res.Verdict == lab.Unexpected {
				unexpected = append(unexpected, name)
			}
			if err := c.printOutcome(&res); err != nil {
				return err
			}
		}
		if !c.json {
			fmt.Fprintf(c.Stdout, "%d as specified, %d known differences, %d unexpected, %d not run\n",
				counts[lab.AsSpecified], counts[lab.Differs], counts[lab.Unexpected], counts[lab.NotRun])
		}
		if len(unexpected) > 0 {
			return fmt.Errorf("unexpected: %s", strings.Join(unexpected, ", "))
		}
		return nil
	})
}

// printOutcome prints one line for a result, and one for each reason.
func (c *call) printOutcome(res *lab.Result) error {
	if c.json {
		return printJSON(c.Stdout, res)
	}
	var happened, reasons []string
	for i := range res.Findings {
		f := &res.Findings[i]
		if slices.Contains(outcomes, f.Of) && f.Happened != lab.None {
			happened = append(happened, f.Of+" "+f.Happened)
		}
		if f.Verdict != lab.AsSpecified {
			reasons = append(reasons,
				strings.TrimRight(f.Label()+" "+f.Happened+", specified: "+f.Specified+": "+f.Reason, ": "))
		}
	}
	if res.Err != "" {
		reasons = []string{res.Err}
	}
	if res.Verdict == lab.Unexpected {
		reasons = append(reasons, res.Recovery())
	}
	_, err := fmt.Fprintf(c.Stdout, "%-18s %-17s %s\n", res.Experiment, res.Verdict,
		line.Escape(strings.Join(happened, "; ")))
	for _, r := range reasons {
		fmt.Fprintf(c.Stdout, "    %s\n", line.Escape(r))
	}
	return err
}
