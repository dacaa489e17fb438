package program

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"rdmatui/session/bench"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// costs is what an operation takes of the kernel. Unlike time, it hardly depends on the machine.
type costs struct {
	calls            map[string]float64 // by name
	switches, faults float64
}

func (c costs) String() string {
	names := slices.SortedFunc(maps.Keys(c.calls), func(a, b string) int { return cmp.Compare(c.calls[b], c.calls[a]) })
	var b strings.Builder
	fmt.Fprintf(&b, "%.3f calls (", c.allCalls())
	for _, name := range names {
		if c.calls[name] >= 0.01 {
			fmt.Fprintf(&b, " %s %.3f", name, c.calls[name])
		}
	}
	fmt.Fprintf(&b, " ) %.3f switches %.3f faults", c.switches, c.faults)
	return b.String()
}

func (c costs) allCalls() (sum float64) {
	for _, n := range c.calls {
		sum += n
	}
	return sum
}

// duel is what one program does in a row of the table: both its ends, for a number of operations.
type duel struct {
	server, client []string // server nil: one runs already, at the program's usual port
}

// costRow compares the costs of one operation.
type costRow struct {
	name        string
	ours, stock func(n int) duel
	few, many   int // operations of a run: the difference leaves out the start and the end
}

// slower is by how much the traced runs are shorter.
const slower = 10

// costPairs is how often both programs run for the counts that vary.
const costPairs = 3

// BenchmarkCostsBesideStock prints, for an operation of each kind, what both ends together take of the kernel: system
// calls and futex calls as strace counts them, context switches and page faults without it.
func BenchmarkCostsBesideStock(b *testing.B) {
	vmtest.Need(b)
	for _, row := range costRows(b) {
		b.Run(row.name, func(b *testing.B) {
			for b.Loop() {
				ours, stock := perOperation(b, row, row.ours), perOperation(b, row, row.stock)
				b.Logf("ours  %v", ours)
				b.Logf("stock %v", stock)
				b.ReportMetric(ours.allCalls(), "ours-calls")
				b.ReportMetric(stock.allCalls(), "stock-calls")
				b.ReportMetric(ours.calls["futex"], "ours-futex")
				b.ReportMetric(ours.switches, "ours-switches")
				b.ReportMetric(stock.switches, "stock-switches")
				b.ReportMetric(0, "ns/op")
			}
		})
	}
}

func costRows(b *testing.B) (rows []costRow) {
	for _, way := range []struct{ name, flags string }{{"pingpong-polling", ""}, {"pingpong-events", "-e"}} {
		rows = append(rows, costRow{way.name,
			func(n int) duel {
				args := append([]string{vmtest.Binary(b), "scenario", "rc-pingpong"}, pingpongFlags(n, way.flags)...)
				return duel{append(slices.Clone(args), "--server"), append(slices.Clone(args), address)}
			},
			func(n int) duel {
				args := append([]string{vmtest.Program(b, "ibv_rc_pingpong"), "-g", "1"},
					pingpongFlags(n, way.flags)...)
				return duel{args, append(slices.Clone(args), address)}
			}, 1000, 11000})
	}
	for _, m := range []struct {
		test, flags string
		few, many   int
	}{
		{"write-bw", "-s 64 -t 16", 2000, 22000}, {"send-bw", "-s 64 -t 16", 2000, 22000},
		{"write-bw", "-s 65536", 200, 2200}, {"read-bw", "-s 65536", 200, 2200},
		{"send-lat", "-s 64", 1000, 11000}, {"write-lat", "-s 64", 1000, 11000}, {"read-lat", "-s 64", 1000, 11000},
	} {
		test, err := bench.Named(m.test)
		if err != nil {
			b.Fatal(err)
		}
		both := func(command ...string) func(int) duel {
			return func(n int) duel {
				args := slices.Concat(command, []string{"-F", "-d", device, "-x", "1", "-n", strconv.Itoa(n)},
					strings.Fields(m.flags))
				return duel{args, append(slices.Clone(args), address)}
			}
		}
		rows = append(rows, costRow{m.test + strings.ReplaceAll(m.flags, " ", ""),
			both(vmtest.Binary(b), "bench", m.test), both(vmtest.Program(b, test.Stock())), m.few, m.many})
	}
	if !plainCmtime() {
		b.Log("no row for connect: " + noPlainCmtime)
		return rows
	}
	return append(rows, connectRow(b))
}

func pingpongFlags(n int, more string) []string {
	return append([]string{"-d", device, "-s", "64", "-n", strconv.Itoa(n)}, strings.Fields(more)...)
}

// connectRow connects to a server that runs already; ours is this test binary, see connectMain.
func connectRow(b *testing.B) costRow {
	cmtime := vmtest.Program(b, "cmtime")
	server := start(b, cmtime, "-b", address)
	b.Cleanup(func() {
		server.cmd.Process.Kill()
		server.cmd.Wait()
	})
	eventually(b, "cmtime does not listen", func() bool { return strings.Contains(connections(b), "LISTEN") })
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	return costRow{"connect", func(n int) duel {
		return duel{client: []string{"env", connectVariable + "=" + strconv.Itoa(n), self}}
	}, func(n int) duel {
		return duel{client: []string{cmtime, "-s", address, "-c", strconv.Itoa(n)}}
	}, 50, 250}
}

// perOperation returns the difference of a long and a short run, for one operation.
func perOperation(b *testing.B, row costRow, of func(int) duel) (c costs) {
	b.Helper()
	each := float64(row.many - row.few)
	var switches, faults []float64
	for range costPairs {
		few, many := of(row.few).usage(b), of(row.many).usage(b)
		switches = append(switches, (many.switches-few.switches)/each)
		faults = append(faults, (many.faults-few.faults)/each)
	}
	calls, few := of(row.many/slower).traced(b), of(row.few/slower).traced(b)
	for name := range few {
		calls[name] -= few[name]
	}
	for name := range calls {
		calls[name] /= each / slower
	}
	return costs{calls, median(switches), median(faults)}
}

func median(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}

// play runs both ends, each after the words of prefix, which contain its number.
func (d duel) play(b *testing.B, prefix func(end int) []string) (ends []*program) {
	b.Helper()
	run := func(command []string, more ...string) *program {
		command = slices.Concat(prefix(len(ends)), command, more)
		p := start(b, command[0], command[1:]...)
		ends = append(ends, p)
		return p
	}
	if d.server == nil {
		run(d.client).done()
		return ends
	}
	port := freePort()
	s := run(d.server, "-p", port)
	s.listening(port)
	bothDone(b, run(d.client, "-p", port), s)
	return ends
}

// usage adds up the context switches and page faults of both ends.
func (d duel) usage(b *testing.B) (c costs) {
	b.Helper()
	for _, p := range d.play(b, func(int) []string { return nil }) {
		u := p.cmd.ProcessState.SysUsage().(*syscall.Rusage)
		c.switches += float64(u.Nvcsw + u.Nivcsw)
		c.faults += float64(u.Minflt + u.Majflt)
	}
	return c
}

// traced adds up the system calls of both ends, by name. Tracing takes time, so what a program does by the clock, as
// Go's monitor does, counts more than it should.
func (d duel) traced(b *testing.B) (calls map[string]float64) {
	b.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		b.Fatal("strace is not installed")
	}
	dir := b.TempDir()
	calls = map[string]float64{}
	file := func(end int) string { return filepath.Join(dir, strconv.Itoa(end)) }
	ends := d.play(b, func(end int) []string {
		return []string{strace, "-f", "-c", "-U", "calls,name", "-o", file(end)}
	})
	for i := range ends {
		text, err := os.ReadFile(file(i))
		if err != nil {
			b.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var count float64
			var name string
			if n, _ := fmt.Sscan(line, &count, &name); n == 2 && name != "total" {
				calls[name] += count
			}
		}
	}
	return calls
}
