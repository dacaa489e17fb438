package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"rdmatui/session"
	"rdmatui/session/bench"
	"rdmatui/session/timeline"
	"rdmatui/ui/widget/line"
)

func benchCommand(c *call) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench TEST [HOST]",
		Short: "measure bandwidth or latency, against perftest or another rdmatui",
		Long: "bench runs one end of a test of perftest: ib_write_bw is 'bench write-bw', and so on. The peer is perftest's program of " +
			"that name, version 4.5 or later, or another rdmatui. Without HOST it serves one client, which must connect to an address " +
			"of the device's interface or to 127.0.0.1; --bind chooses another, or any. The flags have the letters and " +
			"the meaning that they have in perftest; give both ends the same.\n\n" +
			"The figures have perftest's units: MiB/s (perftest before 24.07 calls it MB/sec), or Gbit/s with --report_gbits, and " +
			"microseconds of one way for SEND and WRITE, of the round trip for READ and atomic operations.",
		Example: "rdmatui bench write-bw -d rxe0              # the server\nrdmatui bench write-bw -d rxe0 10.9.0.1     # the client; or: ib_write_bw -d rxe0 10.9.0.1",
		Args:    noArgs("a test"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usagef("bench: the test is missing; see '%s --help'", cmd.CommandPath())
		},
	}
	for _, t := range bench.Tests {
		cmd.AddCommand(benchTest(c, t))
	}
	return cmd
}

// run runs one end of a test and prints its reports.
func (v *benchFlags) run(ctx context.Context, c *call, p bench.Params) (err error) {
	providers, err := c.providers()
	if err != nil {
		return err
	}
	s := session.New(session.Options{Providers: providers, Out: func(e timeline.Event) {
		if e.Note != nil && e.Note.Level == timeline.LevelWarn { // such as a client that was refused
			fmt.Fprintln(c.Stderr, "rdmatui: "+line.Escape(e.Note.Text))
		}
	}})
	defer func() {
		if cerr := s.Close(); err == nil {
			err = cerr
		}
	}()
	report := &benchReport{call: c, flags: v}
	run, err := s.NewBench(p, bench.Watcher{
		Waiting: report.waiting, Connected: report.connected, Measured: report.measured,
	})
	if err != nil {
		return usageError{err}
	}
	report.run = run
	if err := run.Do(ctx); err != nil {
		return err
	}
	report.end()
	return report.err
}

// benchReport prints the reports of a test.
type benchReport struct {
	*call
	flags *benchFlags
	run   *bench.Run
	info  bench.Info
	last  []byte
	err   error // the first
}

func (r *benchReport) print(format string, args ...any) {
	if !r.json && r.flags.output == "" {
		r.keep(fmt.Fprintf(r.Stdout, format, args...))
	}
}

func (r *benchReport) keep(_ int, err error) {
	if err != nil && r.err == nil {
		r.err = err
	}
}

func (r *benchReport) waiting(port uint16, at string) {
	r.print("waiting for a client on TCP port %d of %s\n", port, at)
}

func (r *benchReport) connected(info bench.Info) {
	r.info = info
	r.print("%s", info.Text())
}

func (r *benchReport) measured(res bench.Result) {
	p := &r.info.Params
	if p.Test.Latency && p.Duration == 0 {
		r.samples()
	}
	r.print("%s\n", res.Row(p))
	if figure := r.figure(&res); r.flags.output != "" && !r.json {
		r.keep(fmt.Fprintf(r.Stdout, "%f\n", figure))
	}
	r.keep(0, r.flags.tooSlow(&res))
	r.last = r.info.JSON(&res)
	if r.json {
		r.err = printJSON(r.Stdout, json.RawMessage(r.last))
	}
	if !p.ReportBoth || res.Local == nil {
		return
	}
	for _, side := range []struct {
		name   string
		report *bench.Report
	}{{"Local", res.Local}, {"Remote", res.Remote}} {
		r.print("%s\n %s results:\n%s\n%s\n", bench.Rule, side.name, bench.Columns(p, r.info.MiB),
			side.report.Row(p))
	}
}

// figure returns what --output names.
func (r *benchReport) figure(res *bench.Result) float64 {
	switch {
	case res.Latency != nil:
		return res.Latency.Average
	case r.flags.output == "message_rate":
		return res.Report.Rate
	}
	return res.Report.Average
}

// tooSlow reports a result below the limits.
func (v *benchFlags) tooSlow(res *bench.Result) error {
	switch rep := &res.Report; {
	case res.Latency != nil:
	case rep.Average < v.leastBW:
		return fmt.Errorf("the average bandwidth is %.2f, below -w %g", rep.Average, v.leastBW)
	case rep.Rate < v.leastRate:
		return fmt.Errorf("the message rate is %.6f Mpps, below -y %g", rep.Rate, v.leastRate)
	}
	return nil
}

// samples prints all times of a latency test as perftest does. Sorted, it leaves out the two longest.
func (r *benchReport) samples() {
	const longest = 2
	p := &r.info.Params
	times := r.run.Samples(nil, 0)
	list := func(times []time.Duration) {
		r.print("#, usec\n")
		for i, t := range times {
			r.print("%d, %.6g\n", i+1, float64(t)/1e3/float64(p.Test.Ways()))
		}
	}
	if r.flags.unsorted {
		list(times)
	}
	if r.flags.sorted {
		slices.Sort(times)
		list(times[:max(len(times)-longest, 0)])
	}
	if r.flags.sorted || r.flags.unsorted {
		r.print("%s\n%s\n", bench.Rule, bench.Columns(p, r.info.MiB))
	}
}

// end prints the end of the table and writes the file of --out_json. As with perftest
// it has the last message size.
func (r *benchReport) end() {
	r.print("%s\n", bench.Rule)
	if r.flags.json && r.last != nil && r.err == nil {
		r.err = os.WriteFile(r.flags.jsonFile, r.last, 0o644)
	}
}
