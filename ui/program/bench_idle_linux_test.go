package program

import (
	"bytes"
	"flag"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rdmatui/ui/screen"
	"rdmatui/ui/uitest"
)

// idleTime is how long one measurement of an idle program's CPU time lasts:
//
//	go test -run '^$' -bench IdleScreen -timeout 0 ./ui/program -idle 1m
var idleTime = flag.Duration("idle", 30*time.Second, "how long BenchmarkIdleScreen measures each screen, three times")

const (
	idleQuiet = 10 * time.Second // between the last key and the first measurement
	idleLooks = 3
)

// idleCases are what a program may have open while the user does nothing.
var idleCases = []struct {
	name  string
	args  []string
	lines []string // typed in the console
}{
	{"nothing", nil, nil},
	{"device", []string{"-d", "soft0"}, nil},
	{"pair", []string{"-d", "soft0"}, pairLines("create_cq cq cqe=64")},
	{"channel", []string{"-d", "soft0"},
		append(pairLines("create_comp_channel ch", "create_cq cq cqe=64 channel=ch"), "cq_mode cq mode=blocking")},
}

// pairLines connect two queue pairs and move a message between them.
func pairLines(queue ...string) []string {
	return slices.Concat([]string{"alloc_pd pd", "reg_mr mr pd=pd length=4096 access=LOCAL_WRITE"}, queue, []string{
		"create_qp a pd=pd send_cq=cq recv_cq=cq", "create_qp b pd=pd send_cq=cq recv_cq=cq", "connect_qps a b",
		"post_recv b sge=mr:0:64", "post_send a SEND sge=mr:64:64 send_flags=SIGNALED",
	})
}

// BenchmarkIdleScreen reports what fraction of a core the program uses while it shows
// one screen and nothing happens, for each screen and each case: the median of three
// measurements. The goal is less than 0.5 percent everywhere.
func BenchmarkIdleScreen(b *testing.B) {
	for _, c := range idleCases {
		b.Run(c.name, func(b *testing.B) {
			var shown [screen.Count]*uitest.Terminal // one program each, running side by side
			for id := range shown {
				shown[id] = idleProgram(b, c.args, c.lines, screen.ID(id))
			}
			time.Sleep(idleQuiet)
			looks := lookAtIdle(b, shown[:])
			for id, name := range screen.Names {
				slices.Sort(looks[id])
				b.Run(name, func(b *testing.B) {
					b.ReportMetric(looks[id][len(looks[id])/2], "%core")
					b.ReportMetric(0, "ns/op")
				})
			}
		})
	}
}

// idleProgram starts a program, types lines into its console and shows a screen.
func idleProgram(b *testing.B, args, lines []string, shows screen.ID) *uitest.Terminal {
	b.Helper()
	tm := open(b, 120, 40, terminalEnv(), args...)
	tm.Until("soft0", "GID ")
	for i, line := range lines {
		if i == 0 {
			tm.Keys(":")
		}
		tm.Type(line + "\r")
		tm.Until(line)
	}
	if len(lines) > 0 {
		tm.Keys("esc")
		tm.Until("2 QP", "1 CQ", "2 ok")
	}
	tm.Keys(strconv.Itoa(int(shows)))
	return tm
}

// lookAtIdle returns percentages of a core, for each program and measurement.
func lookAtIdle(b *testing.B, shown []*uitest.Terminal) [][]float64 {
	b.Helper()
	looks := make([][]float64, len(shown))
	for range idleLooks {
		before, begin := make([]time.Duration, len(shown)), time.Now()
		for i, tm := range shown {
			before[i] = processTime(b, tm.PID())
		}
		time.Sleep(*idleTime)
		for i, tm := range shown {
			used := processTime(b, tm.PID()) - before[i]
			looks[i] = append(looks[i], 100*used.Seconds()/time.Since(begin).Seconds())
		}
	}
	return looks
}

// processTime is the CPU time of a process, user and kernel; proc_pid_stat(5).
func processTime(b *testing.B, pid int) time.Duration {
	b.Helper()
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		b.Fatal(err)
	}
	const tick = 10 * time.Millisecond // USER_HZ is 100 wherever Linux runs this program
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+2:]))
	var ticks int
	for _, f := range fields[11:13] { // utime and stime
		n, err := strconv.Atoi(f)
		if err != nil {
			b.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * tick
}
