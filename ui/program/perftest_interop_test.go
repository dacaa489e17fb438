package program

import (
	"fmt"
	"math"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"rdmatui/session/bench"
	vmtest "rdmatui/verbs/verbstest/vm"
)

// measurement is a test of perftest between rdmatui and the stock program, which is
// on rxe0.
type measurement struct {
	test    string
	flags   string // the same at both ends
	weServe bool
}

func (m measurement) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s, server %v", m.test, m.flags, m.weServe))
}

// play runs both programs and compares their reports. Times of a loaded machine prove
// nothing; only figures that one end tells the other must agree.
func (m measurement) play(t *testing.T, us side) {
	m.playOn(t, us, device, "-x", rowOf("0000:ffff:0a09:0001"))
}

// playOn is play with the stock program on another device, and flags for it alone.
func (m measurement) playOn(t *testing.T, us side, device string, more ...string) {
	test, err := bench.Named(m.test)
	if err != nil {
		t.Fatal(err)
	}
	stock := side{append([]string{vmtest.Program(t, test.Stock()), "-F", "-d", device}, more...), device, address}
	our := us
	our.command = slices.Concat(us.command, []string{"-d", us.device, "bench", m.test})
	server, client, toServer := stock, our, stock.address
	if m.weServe {
		server, client, toServer = our, stock, us.address
	}
	c, s := m.run(t, server, client, toServer)
	ours, theirs := reportsOf(c.out.String()), reportsOf(s.out.String())
	if m.weServe {
		ours, theirs = theirs, ours
	}
	serverMeasures := !test.Latency || !test.OneSided()
	if len(ours) == 0 && (serverMeasures || !m.weServe) || len(theirs) == 0 && (serverMeasures || m.weServe) {
		t.Fatalf("a report is missing:\n%s\n%s", c.out.String(), s.out.String())
	}
	shared := !test.Latency && (test.OneSided() || strings.Contains(m.flags, "-b"))
	if shared && !agree(ours, theirs) {
		t.Errorf("rdmatui reports %v, %s %v", ours, test.Stock(), theirs)
	}
}

// run runs both programs to their end, and again where a run proves nothing: on a busy machine the stock program may
// fail to tell the CPU's frequency (all its bandwidths are 0 then, below any limit), and Soft-iWARP may lose the first
// message.
func (m measurement) run(t *testing.T, server, client side, toServer string) (c, s *program) {
	t.Helper()
	const attempts = 3
	for i := 1; ; i++ {
		port := freePort()
		flags := append(strings.Fields(m.flags), "-p", port)
		s = server.start(t, flags...)
		if strings.Contains(m.flags, "-R") {
			eventually(t, s.name+" does not listen", func() bool {
				out, _ := exec.Command("rdma", "resource", "show", "cm_id").Output() // of any device
				return strings.Contains(string(out), "LISTEN")
			})
		} else {
			s.listening(port)
		}
		c = client.start(t, append(flags, toServer)...)
		err := bothEnded(c, s)
		if err == nil {
			return c, s
		}
		lost := m.weServe && client.device == iwarp && firstMessageUnread.MatchString(err.Error())
		if i == attempts || !lost && !noFrequency.MatchString(err.Error()) {
			t.Fatal(err)
		}
		t.Logf("attempt %d proves nothing: %v", i, err)
	}
}

// noFrequency is what the stock program reports where it cannot tell the CPU's frequency and has a limit.
var noFrequency = regexp.MustCompile(`(?s) 0\.00 +0\.00.*BW result is below bw limit`)

// firstMessageUnread is what our server reports where Soft-iWARP does not read what the peer has sent: siw_accept sends
// its MPA reply before siw_qp_socket_assoc installs the socket's data_ready (drivers/infiniband/sw/siw/siw_cm.c). A
// message that comes between the two wakes nobody, and since the peer then waits for an answer, no other follows.
var firstMessageUnread = regexp.MustCompile(`the peer did not send its version within`)

// reportLine is a line of figures. Where the stock program cannot tell the CPU's frequency, its times are "inf".
var reportLine = regexp.MustCompile(`(?m)^ \d+ +\d+ +[\di].*$`)

// reportsOf returns the figures of all lines of a report.
func reportsOf(out string) (rows [][]float64) {
	for _, text := range reportLine.FindAllString(out, -1) {
		var row []float64
		for _, word := range strings.Fields(text) {
			v, _ := strconv.ParseFloat(word, 64)
			row = append(row, v)
		}
		rows = append(rows, row)
	}
	return rows
}

// agree reports whether the last lines have the same figures, within 5 %.
func agree(a, b [][]float64) bool {
	return slices.EqualFunc(a[len(a)-1], b[len(b)-1], func(x, y float64) bool {
		return x == y || math.Abs(x-y) <= 0.05*math.Max(x, y)
	})
}

// benchTests lists the tests with flags that keep them short.
func benchTests() (all []measurement) {
	for _, test := range bench.Tests {
		flags := "-n 60 -s 4096"
		if test.Latency || test.Verb == bench.Atomic {
			flags = "-n 60"
		}
		for _, weServe := range []bool{false, true} {
			all = append(all, measurement{test.String(), flags, weServe})
		}
	}
	return all
}

// TestPerftest plays every test in both roles against its stock program, both on the
// kernel's device.
func TestPerftest(t *testing.T) {
	vmtest.Need(t)
	for _, m := range benchTests() {
		t.Run(m.String(), func(t *testing.T) { m.play(t, kernelSide(t)) })
	}
	nothingLeft(t)
}

// TestPerftestFlags plays flags that change what both ends exchange, or how they move
// data.
func TestPerftestFlags(t *testing.T) {
	vmtest.Need(t)
	for _, m := range []measurement{
		{"write-bw", "-n 60 -s 1024 -q 3", false}, {"write-bw", "-n 60 -s 1024 -b", true},
		{"send-bw", "-n 60 -s 1024 -b", false},
		{"read-bw", "-n 60 -s 1024 -e -o 4", false}, {"send-lat", "-n 60 -e", true},
		{"send-bw", "-n 60 -s 512 -c UD", false},
		{"send-lat", "-n 60 -c UD", true}, {"write-bw", "-n 60 -s 1024 -c UC -l 4", false},
		{"write-lat", "-n 60 -c UC -m 512", false},
		{"send-bw", "-a -n 5 -c UD", true}, {"write-bw", "-D 4 -s 1024 --report_gbits", false},
		{"send-bw", "-D 4 -s 1024", true},
		{"write-lat", "-D 4", false}, {"atomic-bw", "-n 60 -A CMP_AND_SWAP", false},
		{"write-bw", "-n 60 -s 1024 -R", false}, {"read-bw", "-n 60 -s 1024 -R -q 2", true},
		{"send-lat", "-n 60 -R", true}, {"write-lat", "-n 60 -R", false},
		{"send-bw", "-n 60 -s 512 -R -c UD", false}, {"send-bw", "-n 60 -s 512 -R -c UD", true},
		{"send-lat", "-n 60 -R -c UD", false}, {"send-lat", "-n 60 -R -c UD", true},
		{"send-bw", "-n 60 -s 512 -R -c UD -b -q 2", false}, {"send-bw", "-n 60 -s 512 -R -c UD -b -q 2", true},
		{"write-bw", "-n 60 -s 1024 -R -u 16 -T 32", true}, {"write-bw", "-n 60 -s 1024 -R -T 32", false},
		{"send-lat", "-n 60 -H -U", false}, {"read-lat", "-n 60 -H", false},
		{"send-bw", "-n 60 -s 1024 -e -X 0 -w 0.001 -y 0.000001", true},
		{"write-bw", "-n 60 -s 1024 --pkey_index=0", false}, {"send-bw", "-n 60 -s 1024 --use-srq -q 2", true},
		{"send-lat", "-n 60 --use-srq", false}, {"send-bw", "-n 60 -s 1024 --use-srq -b -R", false},
	} {
		t.Run(m.String(), func(t *testing.T) { m.play(t, kernelSide(t)) })
	}
	nothingLeft(t)
}

// TestPerftestHugePages: the buffers are not a multiple of a huge page, in both programs.
func TestPerftestHugePages(t *testing.T) {
	vmtest.Need(t)
	refusal := "sysctl vm.nr_hugepages="
	if !hasHugePages() {
		refusal = noHugePages
	}
	us, port := kernelSide(t), freePort()
	bench := []string{"-d", device, "bench", "write-bw", "--use_hugepages", "-p", port}
	server := us.start(t, bench...)
	server.listening(port)
	for _, p := range []*program{us.start(t, append(bench, address)...), server} {
		if _ = p.cmd.Wait(); !strings.Contains(p.out.String(), refusal) {
			t.Errorf("without huge pages: %s", p.out.String())
		}
	}
	if !hasHugePages() {
		nothingLeft(t)
		return
	}
	keepHugePages(t, 16)
	for _, weServe := range []bool{false, true} {
		m := measurement{"write-bw", "-n 60 -s 1024 --use_hugepages", weServe}
		t.Run(m.String(), func(t *testing.T) { m.play(t, us) })
	}
	nothingLeft(t)
}

// TestPerftestOverIWARP plays the tests that iWARP can do.
func TestPerftestOverIWARP(t *testing.T) {
	vmtest.NeedSIW(t)
	onlyIWARP(t)
	us := kernelSide(t)
	us.device = iwarp
	for _, test := range []string{"write-bw", "write-lat", "read-bw", "read-lat", "send-lat"} {
		for _, weServe := range []bool{false, true} {
			m := measurement{test, "-n 60 -R", weServe}
			t.Run(m.String(), func(t *testing.T) { m.playOn(t, us, iwarp) })
		}
	}
	for test, want := range map[string]string{"atomic-bw": "no atomic operations", "send-bw -c UD": "RC only",
		"send-bw": "not supported"} {
		p := us.start(t, append([]string{"-d", iwarp, "bench"}, strings.Fields(test+" -R "+address)...)...)
		if _ = p.cmd.Wait(); p.cmd.ProcessState.ExitCode() != 1 || !strings.Contains(p.out.String(), want) {
			t.Errorf("%s: %s, want %q", test, p.out.String(), want)
		}
	}
	if out, err := exec.Command("rdma", "resource", "show", iwarp).Output(); !strings.Contains(string(out),
		"qp 0 cm_id 0 mr 0") {
		t.Errorf("objects are left: %s, %v", out, err)
	}
}

// TestPerftestSoft plays every test with rdmatui on the software device.
func TestPerftestSoft(t *testing.T) {
	vmtest.Need(t)
	for _, m := range benchTests() {
		t.Run(m.String(), func(t *testing.T) { m.play(t, softSide(t, peerAddress)) })
	}
	nothingLeft(t)
}
