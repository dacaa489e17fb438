package program

import (
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

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
// ends stock.
func BenchmarkPingpongBesideStock(b *testing.B) {
	vmtest.Need(b)
	ours, stock := vmtest.Binary(b), vmtest.Program(b, "ibv_rc_pingpong")
	run := func(name string, server, client []string) float64 {
		common := []string{"-d", device, "-s", "64", "-n", "10000", "-p", freePort()}
		port := common[len(common)-1]
		s := start(b, name, slices.Concat(server, common)...)
		s.listening(port)
		out := start(b, name, slices.Concat(client, common, []string{address})...).done()
		s.done()
		m := usecPerIter.FindStringSubmatch(out)
		if m == nil {
			b.Fatalf("no figure in %q", out)
		}
		t, _ := strconv.ParseFloat(m[1], 64)
		return t
	}
	scenario := []string{"scenario", "rc-pingpong"}
	for b.Loop() {
		var a, s []float64
		for range pairs {
			a = append(a, run(ours, append(scenario, "--server"), scenario))
			s = append(s, run(stock, []string{"-g", "1"}, []string{"-g", "1"}))
		}
		report(b, a, s, "us/iter")
	}
}
