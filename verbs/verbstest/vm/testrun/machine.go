package main

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	vmtest "rdmatui/verbs/verbstest/vm"
)

// job is one package's tests for the machine.
type job struct {
	pkg    string
	dir    string // where the tests run, as under go test
	binary string
	tests  []string
}

// guest is what a virtual machine runs: a kernel with RDMA programs and devices.
type guest struct {
	suite string // the Debian suite of kernel and programs; "": the host's own
	with  feature
}

// feature is something that only some guests have. Such a guest runs only the tests that need it.
type feature struct {
	option  string // of the runner
	message string // with which tests skip without it
	name    string // in reports
}

var (
	siw      = feature{"-i", vmtest.SIWMessage, "with Soft-iWARP"}
	pair     = feature{"-2", vmtest.PairMessage, "with a second machine"}
	features = []feature{siw, pair}
)

// guests lists the guests in which the tests run. At the time of writing the host's own has kernel 6.1 and rdma-core
// 44, trixie has 6.12 and 56.
var guests = []guest{{}, {with: pair}, {suite: "trixie"}, {"trixie", siw}}

// newest are the guests with the newest kernel, as User-Mode Linux.
var newest = []guest{{suite: "newest"}, {"newest", siw}, {"newest", pair}}

// args returns the arguments of the runner.
func (g guest) args(more ...string) (args []string) {
	if g.suite != "" {
		args = append(args, "-w", g.suite)
	}
	if g.with.option != "" {
		args = append(args, g.with.option)
	}
	return append(args, more...)
}

// String names the guest in reports: "trixie with Soft-iWARP".
func (g guest) String() string {
	return strings.TrimSpace(cmp.Or(g.suite, "this machine's own kernel") + " " + g.with.name)
}

// transcript returns the name of the file with the job's output of a round, in /out in the guest and in the guest's
// directory on the host.
func (j job) transcript(round string) string { return filepath.Base(j.binary) + "." + round + ".txt" }

// status returns the name of the file with the exit status of the job's tests.
func (j job) status(round string) string { return filepath.Base(j.binary) + "." + round + ".status" }

// effort is how often the machine runs the tests, and under which load.
type effort struct {
	rounds int
	load   bool   // two busy loops run in parallel
	limit  string // of the whole machine in seconds
	guests []guest
}

// runs reports whether one of the guests runs the tests that need the feature or, for the zero value, none.
func (e effort) runs(f feature) bool {
	return slices.ContainsFunc(e.guests, func(g guest) bool { return g.with == f })
}

// in returns the name under which a package's results in a guest are recorded. In the first guest that runs such tests
// the name is that of the package, so that the results replace the skips on the host.
func (e effort) in(g guest, pkg string) string {
	first := slices.IndexFunc(e.guests, func(o guest) bool { return o.with == g.with })
	if e.guests[first] == g {
		return pkg
	}
	return pkg + " on " + g.suite
}

// machine runs the tests that need a real kernel in the machine. The stage unit has recorded them as
// skipped; without it, this stage runs them on the host first.
func machine(r *run) {
	if len(r.tally.needMachine(feature{})) == 0 {
		r.askWhoNeedsMachine("")
	}
	r.runInMachine(effort{rounds: 1, limit: "3000", guests: guests})
}

// repeat runs the same tests, or those that TESTS matches, COUNT times in one machine; with LOAD=1
// under load, and with SUITE only in that suite's guests. A test that fails once has failed.
func repeat(r *run) {
	rounds, err := strconv.Atoi(cmp.Or(os.Getenv("COUNT"), "50"))
	if err != nil || rounds < 1 {
		r.tally.fail("repeat", fmt.Sprintf("COUNT is %q, want a number of rounds of at least 1", os.Getenv("COUNT")))
		return
	}
	in := guests
	if suite, set := os.LookupEnv("SUITE"); set {
		in = slices.DeleteFunc(slices.Concat(guests, newest), func(g guest) bool { return g.suite != suite })
		if len(in) == 0 {
			r.tally.fail("repeat", fmt.Sprintf("SUITE is %q, want one of %q", suite, suites()))
			return
		}
	}
	e := effort{rounds, isTrue(os.Getenv("LOAD")), strconv.Itoa(2400 * rounds), in}
	r.askWhoNeedsMachine(os.Getenv("TESTS"))
	r.tally.leaveOutAllBut(e)
	r.runInMachine(e)
}

// suites lists the values of SUITE; "" is the host's own kernel.
func suites() (names []string) {
	for _, g := range slices.Concat(guests, newest) {
		names = append(names, g.suite)
	}
	return slices.Compact(names)
}

func (r *run) runInMachine(e effort) {
	tests, err := filepath.Abs(testRunner)
	if err != nil {
		r.tally.fail("virtual machine", err.Error())
		return
	}
	var env []string
	if binary, ok := r.buildProgram(); ok {
		env = append(env, vmtest.BinaryVariable+"="+binary)
	}
	built := map[feature][]job{}
	for _, f := range append([]feature{{}}, features...) { // before results of a guest replace the skips
		built[f] = r.buildJobs(r.tally.needMachine(f))
	}
	var trials []*trial
	for _, g := range e.guests {
		if jobs := built[g.with]; len(jobs) > 0 {
			trials = append(trials, &trial{guest: g, jobs: jobs, left: filepath.Join(r.scratch, "out", g.String())})
		}
	}
	r.prepare(trials)
	var running sync.WaitGroup
	running.Go(func() {
		free := make(chan struct{}, max(1, atOnce))
		for _, t := range trials {
			if t.cannot == "" {
				free <- struct{}{}
				running.Go(func() {
					t.run(r, script(t.jobs, tests, e), e.limit, env)
					<-free
				})
			}
		}
	})
	if atOnce > 1 {
		r.meanwhile()
	}
	running.Wait()
	for _, t := range trials {
		t.record(r, e)
	}
}

// atOnce is how many machines run at a time. Each has two processors, which are threads here. With more threads than
// the host has processors they wait for one another while those are not running, and a test takes far longer.
var atOnce = runtime.NumCPU() / 2

// trial is a run of jobs in one guest.
type trial struct {
	guest  guest
	jobs   []job
	left   string // the directory for the guest's files
	cannot string // why it cannot run
	failed string // the runner's message if it failed
	took   time.Duration
}

// prepare installs what the guests need, one after another.
func (r *run) prepare(trials []*trial) {
	for _, t := range trials {
		start := time.Now()
		if out, err := (command{name: runner, args: t.guest.args("-p")}).output(r); err != nil {
			t.cannot = cmp.Or(lastLine(out), err.Error())
		}
		fmt.Printf("        %s: prepared in %v\n", t.guest, time.Since(start).Round(time.Second))
	}
}

// setUpFailed is in the runner's message if a machine failed before any test began.
const setUpFailed = "inside the machine: "

func (t *trial) run(r *run, script, limit string, env []string) {
	start := time.Now()
	call := command{runner, t.guest.args("-t", limit, "bash", "-c", script), append(slices.Clone(env), "OUT="+t.left)}
	out, err := call.output(r)
	if err != nil && strings.Contains(out, setUpFailed) { // seen once: a second machine that did not answer
		fmt.Printf("        %s: %s; it is started again\n", t.guest, lastLine(out))
		out, err = call.output(r)
	}
	if err != nil {
		t.failed = cmp.Or(out, err.Error())
	}
	t.took = time.Since(start)
}

func (t *trial) record(r *run, e effort) {
	name := "virtual machine: " + t.guest.String()
	if t.cannot != "" {
		r.cannot(name, t.cannot)
		return
	}
	if t.failed != "" {
		r.tally.fail(name, t.failed)
	}
	for round := range e.rounds {
		for _, j := range t.jobs {
			r.recordJob(j, t, e.in(t.guest, j.pkg), strconv.Itoa(round+1))
		}
	}
	fmt.Printf("        %s: ran for %v\n", t.guest, t.took.Round(time.Second))
}

// askWhoNeedsMachine runs on the host the packages whose tests may need the machine, to record those
// that skip. It ignores other packages that do not build: other stages report them. pattern selects
// tests like go test's -run; "" selects all.
func (r *run) askWhoNeedsMachine(pattern string) {
	const marker = `{{$p := .ForTest}}{{range .Deps}}{{if eq . "` + modulePath +
		`/verbs/verbstest/vm"}}{{$p}} {{end}}{{end}}`
	out, err := goTool("list", "-e", "-test", "-f", marker, "./...").stdout(r)
	if err != nil {
		r.tally.fail("list of tests for the machine", err.Error())
		return
	}
	packages := strings.Fields(out)
	slices.Sort(packages)
	if packages = slices.Compact(packages); len(packages) > 0 {
		r.goTest(append([]string{"test", "-json", "-count=1", "-run=" + pattern}, packages...)...)
	}
}

const modulePath = "rdmatui"

// buildJobs compiles the test binaries on the host: in the machine, without acceleration, it would
// take minutes. Like the program, they need no cgo.
func (r *run) buildJobs(need map[string][]string) (jobs []job) {
	for _, pkg := range slices.Sorted(maps.Keys(need)) {
		dir, err := goTool("list", "-f", "{{.Dir}}", pkg).output(r)
		j := job{
			pkg: pkg, dir: dir,
			binary: filepath.Join(r.scratch, strings.ReplaceAll(pkg, "/", "-")+".test"), tests: need[pkg],
		}
		out := dir
		if err == nil {
			out, err = goTool("test", "-c", "-o", j.binary, pkg).with("CGO_ENABLED=0").output(r)
		}
		if err != nil {
			r.tally.fail("build for the machine "+pkg, out)
			continue
		}
		jobs = append(jobs, j)
	}
	return jobs
}

// buildProgram builds rdmatui itself for tests that start it.
func (r *run) buildProgram() (path string, ok bool) {
	if _, err := os.Stat("main.go"); err != nil {
		return "", false
	}
	path = r.scratch + "/rdmatui"
	out, err := goTool("build", "-o", path, ".").with("CGO_ENABLED=0").output(r)
	if err != nil {
		r.tally.fail("build rdmatui for the machine", out)
	}
	return path, err == nil
}

// script runs the jobs one after another, because they share one rxe0. A test that hangs does not prevent
// the next from running.
func script(jobs []job, runner string, e effort) string {
	var b strings.Builder
	if e.load {
		b.WriteString("for i in 1 2; do while :; do :; done & done\n")
	}
	fmt.Fprintf(&b, "for round in {1..%d}; do\n", e.rounds)
	for _, j := range jobs {
		fmt.Fprintf(&b, "cd %s && %s %s %s /out/%s; echo $? >/out/%s\n", quote(j.dir), quote(runner), quote(j.binary),
			quote("^("+strings.Join(j.tests, "|")+")$"), j.transcript("$round"), j.status("$round"))
	}
	return b.String() + "done\n"
}

// quote returns s as one word of bash.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// recordJob records the results of the tests in a guest under the package pkg, instead of the results on the host or in
// addition to them.
func (r *run) recordJob(j job, t *trial, pkg, round string) {
	text, err := os.ReadFile(filepath.Join(t.left, j.transcript(round)))
	if err != nil {
		r.tally.fail("machine "+pkg, "left no transcript")
		return
	}
	cmd := goTool("tool", "test2json", "-p", pkg).start(r)
	cmd.Stdin = bytes.NewReader(text)
	events, err := cmd.Output()
	if err != nil {
		r.tally.fail("machine "+pkg, err.Error())
		return
	}
	failures := r.tally.count(failed)
	if _, err := recordEvents(bytes.NewReader(events), r.tally); err != nil {
		r.tally.fail("machine "+pkg, err.Error())
	}
	// Tests that exit or are killed leave a transcript without a result.
	status, _ := os.ReadFile(filepath.Join(t.left, j.status(round)))
	if got := strings.TrimSpace(string(status)); got != "0" && r.tally.count(failed) == failures {
		r.tally.fail("machine "+pkg, fmt.Sprintf("ended with status %q:\n%s", got, text))
	}
	fmt.Printf("ran     %s in the machine (%s): %s%s\n", j.pkg, t.guest, lastLine(string(text)),
		r.newFailures(failures))
}

// newFailures describes how many results failed since an earlier count.
func (r *run) newFailures(before int) string {
	if n := r.tally.count(failed) - before; n > 0 {
		return fmt.Sprintf("; %d failed for the first time", n)
	}
	return ""
}
