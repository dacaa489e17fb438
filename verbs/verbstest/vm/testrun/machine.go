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

// job is one package's tests for a machine.
type job struct {
	pkg    string
	dir    string // where the tests run, as under go test
	binary string
	tests  []string
}

// transcript returns the name of the file with the job's output of a round, in /out in the guest and in the guest's
// directory on the host.
func (j job) transcript(round string) string { return filepath.Base(j.binary) + "." + round + ".txt" }

// status returns the name of the file with the exit status of the job's tests.
func (j job) status(round string) string { return filepath.Base(j.binary) + "." + round + ".status" }

// effort is how often the machines run the tests, and under which load.
type effort struct {
	rounds int
	load   bool   // two busy loops run in parallel
	limit  string // of the whole machine in seconds
	guests []guest
	tests  string // a pattern of names; "": all
}

// in returns the name under which a package's results in a guest are recorded. In the first guest that runs such tests
// the name is that of the package, so that the results replace the skips on the host.
func (e effort) in(g guest, pkg string) string {
	first := slices.IndexFunc(e.guests, func(o guest) bool { return o.with == g.with })
	if e.guests[first] == g {
		return pkg
	}
	return pkg + " on " + cmp.Or(g.suite, "this machine's own kernel")
}

// machine runs in machines the tests that need a real kernel. On the host they are skipped.
func machine(r *run) {
	r.runInMachine(effort{rounds: 1, limit: "3000", guests: r.plan.guests})
}

// repeat runs the same tests, or those that TESTS matches, COUNT times in one machine of each kind; with LOAD=1
// under load, and with SUITE only in that suite's guests. A test that fails once has failed.
func repeat(r *run) {
	rounds, err := strconv.Atoi(cmp.Or(os.Getenv("COUNT"), "50"))
	if err != nil || rounds < 1 {
		r.tally.fail("repeat", fmt.Sprintf("COUNT is %q, want a number of rounds of at least 1", os.Getenv("COUNT")))
		return
	}
	suite := newestSuite
	if named, set := os.LookupEnv("SUITE"); set {
		suite = named
	}
	in := slices.DeleteFunc(slices.Concat(inNewest, inQEMU), func(g guest) bool { return g.suite != suite })
	if len(in) == 0 {
		r.tally.fail("repeat", fmt.Sprintf("SUITE is %q, want one of %q", suite, suites()))
		return
	}
	r.runInMachine(effort{rounds, isTrue(os.Getenv("LOAD")), strconv.Itoa(2400 * rounds), in, os.Getenv("TESTS")})
}

func (r *run) runInMachine(e effort) {
	runner, err := filepath.Abs(testRunner)
	if err != nil {
		r.tally.fail("virtual machine", err.Error())
		return
	}
	all, err := r.findNeeds(e.tests)
	if err != nil {
		r.tally.fail("list of tests for the machine", err.Error())
		return
	}
	var env []string
	if binary, ok := r.buildProgram(); ok {
		env = append(env, vmtest.BinaryVariable+"="+binary)
	}
	built := r.buildJobs(all)
	trials := r.trials(&e, all, built)
	var running sync.WaitGroup
	places := r.places()
	for _, t := range trials {
		if t.cannot == "" {
			<-places
			running.Go(func() {
				t.run(r, runner, e, env)
				t.record(r, e)
				places <- struct{}{}
			})
		} else {
			r.cannot("virtual machine: "+t.guest.String(), t.cannot)
		}
	}
	running.Wait()
}

// places has a value for each machine that may start now: atOnce, and one more when the stages of the host have ended.
func (r *run) places() chan struct{} {
	places := make(chan struct{}, atOnce+1)
	for range atOnce {
		places <- struct{}{}
	}
	go func() {
		<-r.hostDone
		places <- struct{}{}
	}()
	return places
}

// trials prepares the guests and gives each its jobs. If the newest kernel cannot be had, the guests of qemu run all
// tests.
func (r *run) trials(e *effort, all needs, built map[string]job) []*trial {
	trials := r.prepare(*e, all, built)
	lacking := func(t *trial) bool { return t.guest.suite == newestSuite && t.cannot != "" }
	others := func(g guest) bool { return g.suite != newestSuite }
	if !slices.ContainsFunc(trials, lacking) || !slices.ContainsFunc(e.guests, others) {
		return trials
	}
	fmt.Println("        the newest kernel cannot be had here, so all tests run in qemu")
	e.guests = inQEMU
	return r.prepare(*e, all, built)
}

// prepare installs what the guests need, one after another.
func (r *run) prepare(e effort, all needs, built map[string]job) (trials []*trial) {
	for _, g := range e.guests {
		t := &trial{guest: g, left: filepath.Join(r.scratch, "out", g.String())}
		tests := g.tests(all)
		for _, pkg := range slices.Sorted(maps.Keys(tests)) {
			if j, ok := built[pkg]; ok {
				j.tests = tests[pkg]
				t.jobs = append(t.jobs, j)
			}
		}
		if len(t.jobs) == 0 {
			continue
		}
		start := time.Now()
		out, err := (command{name: runner, args: g.args("-p")}).output(r)
		if err != nil {
			t.cannot = cmp.Or(lastLine(out), err.Error())
		}
		fmt.Printf("        %s: prepared in %v: %s\n", g, time.Since(start).Round(time.Second), lastLine(out))
		trials = append(trials, t)
	}
	return trials
}

// atOnce is how many machines run beside the stages of the host. Each has two processors, which are threads here. With
// more threads than the host has processors they wait for one another while those are not running.
var atOnce = max(1, runtime.NumCPU()/2)

// trial is a run of jobs in one guest.
type trial struct {
	guest  guest
	jobs   []job
	left   string // the directory for the guest's files
	cannot string // why it cannot run
	failed string // the runner's message if it failed
	took   time.Duration
}

// What the runner's message has if no test is to blame: the machine failed before any began, or its kernel ended under
// them, which no program may cause. Linux 6.12 was seen to panic in an interrupt under a ping-pong over rxe, once.
const (
	setUpFailed = "inside the machine: "
	kernelEnded = "Kernel panic"
)

// run runs the jobs, those that had not ended once more if the machine is to blame.
func (t *trial) run(r *run, testRunner string, e effort, env []string) {
	start := time.Now()
	env = append(slices.Clone(env), "OUT="+t.left)
	begin := func(jobs []job) (string, error) {
		args := t.guest.args("-t", e.limit, "bash", "-c", script(jobs, testRunner, e))
		return command{name: runner, args: args, env: env}.output(r)
	}
	out, err := begin(t.jobs)
	if err != nil && (strings.Contains(out, setUpFailed) || strings.Contains(out, kernelEnded)) {
		jobs := t.unfinished(e.rounds)
		fmt.Printf("        %s: %s\n        it is started again for %d of %d packages\n",
			t.guest, strings.TrimSpace(out), len(jobs), len(t.jobs))
		out, err = begin(jobs)
	}
	if err != nil {
		t.failed = cmp.Or(out, err.Error())
	}
	t.took = time.Since(start)
}

// unfinished returns the jobs that left no exit status in some round.
func (t *trial) unfinished(rounds int) []job {
	return slices.DeleteFunc(slices.Clone(t.jobs), func(j job) bool {
		for round := range rounds {
			if _, err := os.Stat(filepath.Join(t.left, j.status(strconv.Itoa(round+1)))); err != nil {
				return false
			}
		}
		return true
	})
}

func (t *trial) record(r *run, e effort) {
	if t.failed != "" {
		r.tally.fail("virtual machine: "+t.guest.String(), t.failed)
	}
	for round := range e.rounds {
		for _, j := range t.jobs {
			r.recordJob(j, t, e.in(t.guest, j.pkg), strconv.Itoa(round+1))
		}
	}
	fmt.Printf("        %s: ran for %v\n", t.guest, t.took.Round(time.Second))
}

const modulePath = "rdmatui"

// buildJobs compiles the test binaries on the host: in an emulated machine it would take minutes. Like the program,
// they need no cgo.
func (r *run) buildJobs(all needs) map[string]job {
	jobs := map[string]job{}
	for _, pkg := range all.packages() {
		dir, err := goTool("list", "-f", "{{.Dir}}", pkg).output(r)
		j := job{pkg: pkg, dir: dir, binary: filepath.Join(r.scratch, strings.ReplaceAll(pkg, "/", "-")+".test")}
		out := dir
		if err == nil {
			out, err = goTool("test", "-c", "-vet=off", "-ldflags=-s -w", "-o", j.binary, pkg).with(noCgo).output(r)
		}
		if err != nil {
			r.tally.fail("build for the machine "+pkg, out)
			continue
		}
		jobs[pkg] = j
	}
	return jobs
}

// buildProgram builds rdmatui itself for tests that start it.
func (r *run) buildProgram() (path string, ok bool) {
	if _, err := os.Stat("main.go"); err != nil {
		return "", false
	}
	path = r.scratch + "/rdmatui"
	out, err := goTool("build", "-ldflags=-s -w", "-o", path, ".").with(noCgo).output(r)
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
	cmd := goTool("tool", "test2json", "-t", "-p", pkg).start(r) // without -t it leaves out how long tests took
	cmd.Stdin = bytes.NewReader(text)
	events, err := cmd.Output()
	if err != nil {
		r.tally.fail("machine "+pkg, err.Error())
		return
	}
	told, err := recordEvents(bytes.NewReader(events), r.tally)
	if err != nil {
		r.tally.fail("machine "+pkg, err.Error())
	}
	r.tally.time(key{pkg: j.pkg + " in " + t.guest.String()}, told.took)
	// Tests that exit or are killed leave a transcript without a result.
	status, _ := os.ReadFile(filepath.Join(t.left, j.status(round)))
	if got := strings.TrimSpace(string(status)); got != "0" && told.failed == 0 {
		r.tally.fail("machine "+pkg, fmt.Sprintf("ended with status %q:\n%s", got, text))
	}
	fmt.Printf("ran     %s in the machine (%s): %d tests, %d failed: %s\n", j.pkg, t.guest, told.tests, told.failed,
		lastLine(string(text)))
}
