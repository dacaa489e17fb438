package program

import (
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rdmatui/session/bench"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// The benchmarks of this file run the built program and the stock one in turn and
// report both medians and their ratio: on a shared machine only the ratio is
// meaningful.

// pairs is how often both programs run for one result.
const pairs = 15

func report(b *testing.B, ours, stock []float64, unit string) {
	slices.Sort(ours)
	slices.Sort(stock)
	o, s := ours[len(ours)/2], stock[len(stock)/2]
	b.ReportMetric(o, "ours-"+unit)
	b.ReportMetric(s, "stock-"+unit)
	b.ReportMetric(o/s, "ratio")
	b.ReportMetric(0, "ns/op") // the time of the whole comparison is meaningless
}

// BenchmarkDevicesBesideDevinfo times whole processes: every attribute of rxe0.
func BenchmarkDevicesBesideDevinfo(b *testing.B) {
	vmtest.Need(b)
	ours, stock := vmtest.Binary(b), vmtest.Program(b, "ibv_devinfo")
	run := func(name string, args ...string) float64 {
		cmd := exec.Command(name, args...)
		cmd.Stdout = io.Discard
		begin := time.Now()
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
		return time.Since(begin).Seconds() * 1e3
	}
	for b.Loop() {
		var a, s []float64
		for i := range pairs + 1 {
			x, y := run(ours, "devices", "-v", device), run(stock, "-v", "-d", device)
			if i > 0 { // the first run fills the file cache
				a, s = append(a, x), append(s, y)
			}
		}
		report(b, a, s, "ms")
	}
}

var usecPerIter = regexp.MustCompile(`= ([0-9.]+) usec/iter`)

// BenchmarkPingpongBesideStock times 64-byte messages: both ends rdmatui, then both
// ends stock, polling and with completion events.
func BenchmarkPingpongBesideStock(b *testing.B) {
	vmtest.Need(b)
	ours, stock := vmtest.Binary(b), vmtest.Program(b, "ibv_rc_pingpong")
	run := func(name string, server, client []string, args ...string) float64 {
		port := freePort()
		common := append([]string{"-d", device, "-s", "64", "-n", "10000", "-p", port}, args...)
		s := start(b, name, slices.Concat(server, common)...)
		s.listening(port)
		c := start(b, name, slices.Concat(client, common, []string{address})...)
		bothDone(b, c, s)
		return figure(b, usecPerIter, c.out.String())
	}
	scenario, plain := []string{"scenario", "rc-pingpong"}, []string{"-g", "1"}
	for name, args := range map[string][]string{"polling": nil, "events": {"-e"}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				var a, s []float64
				for range pairs {
					a = append(a, run(ours, append(scenario, "--server"), scenario, args...))
					s = append(s, run(stock, plain, plain, args...))
				}
				report(b, a, s, "us/iter")
			}
		})
	}
}

// BenchmarkStreamBesidePerftest compares bandwidth, message rate and latency: both ends rdmatui, then both ends stock.
// Each figure is what the client prints.
func BenchmarkStreamBesidePerftest(b *testing.B) {
	vmtest.Need(b)
	const large, small, one = "-s 65536 -n 1000", "-s 64 -n 20000 -t 16", "-s 64 -n 5000"
	for _, m := range []struct{ test, flags, unit string }{
		{"write-bw", large, "MiB/s"}, {"read-bw", large, "MiB/s"},
		{"write-bw", small, "Mmsg/s"}, {"send-bw", small, "Mmsg/s"},
		{"send-lat", one, "us"}, {"write-lat", one, "us"}, {"read-lat", one, "us"},
	} {
		b.Run(m.test+strings.ReplaceAll(m.flags, " ", ""), func(b *testing.B) {
			streamsBeside(b, m.test, m.flags, m.unit)
		})
	}
}

// columns of a report: the average bandwidth, the rate, the typical latency.
var columns = map[string]int{"MiB/s": 3, "Mmsg/s": 4, "us": 4}

func streamsBeside(b *testing.B, name, flags, unit string) {
	test, err := bench.Named(name)
	if err != nil {
		b.Fatal(err)
	}
	run := func(command ...string) float64 {
		port := freePort()
		command = slices.Concat(command, []string{"-F", "-d", device, "-x", "1", "-p", port}, strings.Fields(flags))
		s := start(b, command[0], command[1:]...)
		s.listening(port)
		c := start(b, command[0], append(command[1:], address)...)
		bothDone(b, c, s)
		rows := reportsOf(c.out.String())
		if len(rows) != 1 || len(rows[0]) <= columns[unit] {
			b.Fatalf("no figure in %q", c.out.String())
		}
		return rows[0][columns[unit]]
	}
	for b.Loop() {
		var a, s []float64
		for range pairs {
			a = append(a, run(vmtest.Binary(b), "bench", name))
			s = append(s, run(vmtest.Program(b, test.Stock())))
		}
		report(b, a, s, unit)
	}
}

// figure returns a number from a program's output.
func figure(b *testing.B, pattern *regexp.Regexp, out string) float64 {
	m := pattern.FindStringSubmatch(out)
	if m == nil {
		b.Fatalf("no figure in %q", out)
	}
	f, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		b.Fatal(err)
	}
	return f
}
