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
	"rdmatui/session/tune"
	"rdmatui/ui/widget/line"
)

func tuneCommand(c *call) *cobra.Command {
	all, list := false, false
	cmd := &cobra.Command{
		Use:   "tune [--all | --list | EXPERIMENT ...]",
		Short: "measure which techniques make a program faster on a device",
		Long: "tune measures the same work without and with a technique, in turns, between queue pairs of one device, " +
			"and reports which " +
			"techniques to use in a program on this host. Without arguments it lists the experiments. The report is " +
			"in Markdown; " +
			"with --json each experiment is an object on its own line. A technique that the device or the host lacks " +
			"is one line of the " +
			"report, not an error.\n\n" + tune.Rule + "\n\n" +
			"All experiments together take about a minute, two on a slow host. Keep the host idle meanwhile: under " +
			"load, experiments of two threads, such as polling, measure the load. Without -d it uses the first " +
			"device with an " +
			"ACTIVE port. The exit status is 1 if a measurement failed.",
		Example: "rdmatui tune --all -d rxe0 > report.md\nrdmatui tune inline unsignalled -d soft0",
		ValidArgsFunction: func(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			names := slices.DeleteFunc(tune.Names(), func(n string) bool {
				return !strings.HasPrefix(n, begun) ||
					slices.Contains(args, n)
			})
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case all && len(args) > 0:
				return usagef("--all runs every experiment; leave out %q", args[0])
			case list && (all || len(args) > 0):
				return usagef("--list runs no experiment; leave out the rest")
			case !all && len(args) == 0:
				return listTune(c)
			}
			for _, name := range args {
				if _, err := tune.Find(name); err != nil {
					return usageError{err}
				}
			}
			return runTune(cmd.Context(), c, args)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "run every experiment")
	cmd.Flags().BoolVar(&list, "list", false, "list the experiments")
	return cmd
}

func listTune(c *call) error {
	rows := [][]string{{"NAME", "TECHNIQUE"}}
	for i := range tune.Experiments {
		e := &tune.Experiments[i]
		if c.json {
			if err := printJSON(c.Stdout, map[string]string{"experiment": e.Name, "technique": e.Title,
				"reason": e.Reason}); err != nil {
				return err
			}
		}
		rows = append(rows, []string{e.Name, e.Title})
	}
	if c.json {
		return nil
	}
	return columns(c.Stdout, rows)
}

// runTune runs experiments and prints the report as it grows.
func runTune(ctx context.Context, c *call, names []string) (err error) {
	providers, err := c.providers()
	if err != nil {
		return err
	}
	s := session.New(session.Options{Providers: providers})
	defer func() { err = errors.Join(err, s.Close()) }()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	report := tuneReport{call: c, stop: cancel}
	run, err := s.NewTune(tune.Options{Device: c.device, Experiments: names}, tune.Watcher{Opened: report.opened,
		Measured: report.measured})
	if err != nil {
		return usageError{err}
	}
	if err := run.Do(ctx); err != nil {
		return err
	}
	return report.end()
}

// tuneReport prints the report.
type tuneReport struct {
	*call
	stop    context.CancelCauseFunc // ends the run if the output fails
	results []tune.Result
}

func (r *tuneReport) print(text string) {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = line.Escape(lines[i])
	}
	if _, err := io.WriteString(r.Stdout, strings.Join(lines, "\n")); err != nil {
		r.stop(err)
	}
}

func (r *tuneReport) opened(p tune.Place) {
	if !r.json {
		r.print(p.Heading())
	} else if err := printJSON(r.Stdout, p); err != nil {
		r.stop(err)
	}
}

func (r *tuneReport) measured(res tune.Result) {
	r.results = append(r.results, res)
	if !r.json {
		r.print(res.Markdown())
	} else if err := printJSON(r.Stdout, &res); err != nil {
		r.stop(err)
	}
}

// end prints the summary. Its error names the experiments that failed.
func (r *tuneReport) end() error {
	if !r.json {
		r.print(tune.Summing(r.results))
	}
	var failed []string
	for i := range r.results {
		if r.results[i].Verdict == tune.Failed {
			failed = append(failed, r.results[i].Name)
		}
	}
	if len(failed) > 0 {
		return fmt.Errorf("failed: %s", strings.Join(failed, ", "))
	}
	return nil
}
