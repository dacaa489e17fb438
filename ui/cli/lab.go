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
	"rdmatui/session/labrun"
	"rdmatui/session/script"
	"rdmatui/session/timeline"
	"rdmatui/ui/explained"
	"rdmatui/ui/widget/line"
	"rdmatui/ui/widget/pager"
)

func (c *call) labCommand() *cobra.Command {
	all, script := false, false
	at := lab.On("")
	cmd := &cobra.Command{
		Use:   "lab [NAME | --all]",
		Short: "make a failure on purpose, and see what the specification says of it",
		Long: "lab without a name lists the failures that can be made. With one it says what to expect, makes it between two queue\n" +
			"pairs of one device, holds what happened against the specification, explains it, and leads the queue pairs back\n" +
			"until they work again. Everything that was made is destroyed. What a device is known to do otherwise is said with\n" +
			"the reason. Without -d the device is the first with an ACTIVE port. Its exit status is 1 if something happened that\n" +
			"neither the specification nor that explains.",
		Example:           "rdmatui lab bad-rkey\nrdmatui lab no-recv -d rxe0\nrdmatui lab --all -d rxe0\nrdmatui lab flush --script | rdmatui run -",
		Args:              atMost(1),
		ValidArgsFunction: completeExperiments,
		RunE: func(cmd *cobra.Command, args []string) error {
			at.Device = c.device
			switch {
			case all && len(args) > 0:
				return usagef("--all makes every failure; leave out %q", args[0])
			case script && len(args) == 0:
				return usagef("--script prints the script of one failure: name it; 'rdmatui lab' lists them")
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
				return c.labScript(exp, at)
			}
			return c.lab(cmd.Context(), exp, at)
		},
	}
	cmd.Flags().IntVarP(&at.GIDIndex, "gid-index", "g", at.GIDIndex, "row of the GID table; -1: choose one")
	cmd.Flags().Uint8VarP(&at.PortNum, "ib-port", "i", at.PortNum, "port of the device, from 1; left out: the first that is ACTIVE")
	cmd.Flags().BoolVar(&all, "all", false, "make every failure, one after the other, and print one line of each")
	cmd.Flags().BoolVar(&script, "script", false, "print the script, for rdmatui run, in place of carrying it out")
	return cmd
}

func completeExperiments(_ *cobra.Command, args []string, begun string) (names []string, _ cobra.ShellCompDirective) {
	if len(args) == 0 {
		names = slices.DeleteFunc(lab.Names(), func(n string) bool { return !strings.HasPrefix(n, begun) })
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// outcomes are what of an experiment stands in a list.
var outcomes = []string{lab.Refused, lab.Requester, lab.Responder, lab.Event}

func (c *call) listLab() error {
	all, err := lab.Experiments()
	if err != nil {
		return err
	}
	on, err := c.deviceInfo()
	if err == nil {
		err = labrun.Lack(&on)
	}
	if err != nil {
		return err
	}
	rows := [][]string{{"NAME", "WHAT IS DONE", "WHAT IS SPECIFIED"}}
	for _, e := range all {
		specified := map[string]string{}
		var texts []string
		for _, of := range outcomes {
			if v := e.Specified(of); v != lab.None {
				specified[of] = v
				texts = append(texts, of+" "+v)
			}
		}
		if c.json {
			if err := printJSON(c.Stdout, map[string]any{"name": e.Name, "title": e.Title, "expect": e.Expect, "says": e.Says, "clause": e.Clause, "specified": specified}); err != nil {
				return err
			}
			continue
		}
		rows = append(rows, []string{e.Name, e.Title, strings.Join(texts, "; ")})
	}
	if c.json {
		return nil
	}
	return columns(c.Stdout, rows)
}

func (c *call) labScript(exp *lab.Experiment, at lab.Place) error {
	if err := c.refuseJSON("a script"); err != nil {
		return err
	}
	if at.Device == "" {
		at.Device = "soft0"
	}
	text, err := exp.Script(at)
	if err == nil {
		_, err = io.WriteString(c.Stdout, text)
	}
	return err
}

// lab makes one failure, with all that is known of it.
func (c *call) lab(ctx context.Context, exp *lab.Experiment, at lab.Place) error {
	return c.withLab(func(s *session.Session) error {
		p := &eventPrinter{out: c.Stdout, json: c.json}
		r, err := s.NewLabRun(exp.Name, at, p.print)
		if err != nil {
			return err
		}
		before := func(lab.Part, *script.Line) {}
		if !c.json {
			c.printExpected(exp, r.Device())
			before = c.partPrinter()
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

// verdictError is an error where something is not as it should be.
func verdictError(res *labrun.Result) error {
	switch {
	case res.Verdict == lab.NotRun:
		return fmt.Errorf("%s could not be made on %s: %s", res.Experiment, res.Device, res.Err)
	case res.Verdict == lab.Unexpected:
		return errors.New(res.String())
	}
	return nil
}

// withLab runs work on a session that makes nothing itself.
func (c *call) withLab(work func(*session.Session) error) error {
	providers, err := c.providers()
	if err != nil {
		return err
	}
	s := session.New(session.Options{Providers: providers})
	return errors.Join(work(s), s.Close())
}

// labelled writes a text beside its label, wrapped.
func (c *call) labelled(label, text string) {
	const width = 15
	if len(label) >= width {
		fmt.Fprintln(c.Stdout, label)
		label = ""
	}
	for _, l := range pager.Wrap(nil, line.Escape(text), explainWidth-width) {
		fmt.Fprintf(c.Stdout, "%-*s%s\n", width, label, l)
		label = ""
	}
}

func (c *call) printExpected(exp *lab.Experiment, device string) {
	c.labelled(exp.Name, exp.Title+", on "+device)
	c.labelled("to expect", exp.Expect)
	c.labelled("specification", exp.Says+" ("+exp.Clause+")")
}

// partPrinter says what each line is for, and where the next part begins.
func (c *call) partPrinter() func(lab.Part, *script.Line) {
	now := lab.Part(-1)
	return func(p lab.Part, l *script.Line) {
		if p != now {
			fmt.Fprintf(c.Stdout, "\n── %s\n", p)
			now = p
		}
		if l.Why != "" {
			fmt.Fprintf(c.Stdout, "# %s\n", line.Escape(l.Why))
		}
	}
}

func (c *call) printCompared(res *labrun.Result) error {
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

// explainTold says of each thing that was told what it means, once.
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

// labAll makes every failure. Its error is that of the first that is unexpected.
func (c *call) labAll(ctx context.Context, at lab.Place) error {
	return c.withLab(func(s *session.Session) error {
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
			fmt.Fprintf(c.Stdout, "%d as specified, %d differ as known, %d unexpected, %d not run\n",
				counts[lab.AsSpecified], counts[lab.Differs], counts[lab.Unexpected], counts[lab.NotRun])
		}
		if len(unexpected) > 0 {
			return fmt.Errorf("unexpected: %s", strings.Join(unexpected, ", "))
		}
		return nil
	})
}

// printOutcome prints a line of a result, and one for each reason.
func (c *call) printOutcome(res *labrun.Result) error {
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
			reasons = append(reasons, strings.TrimRight(f.Label()+" "+f.Happened+", specified is "+f.Specified+": "+f.Reason, ": "))
		}
	}
	if res.Err != "" {
		reasons = []string{res.Err}
	}
	if res.Verdict == lab.Unexpected {
		reasons = append(reasons, res.Recovery())
	}
	_, err := fmt.Fprintf(c.Stdout, "%-18s %-17s %s\n", res.Experiment, res.Verdict, line.Escape(strings.Join(happened, "; ")))
	for _, r := range reasons {
		fmt.Fprintf(c.Stdout, "    %s\n", line.Escape(r))
	}
	return err
}
