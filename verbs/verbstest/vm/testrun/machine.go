package main

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	vmtest "rdmatui/verbs/verbstest/vm"
)

// job is one package's tests for the machine.
type job struct {
	pkg    string
	dir    string // where the tests run, as under go test
	binary string
	tests  []string
}

// transcript is where the machine leaves the job's output of a round, below /out there and scratch
// here.
func (j job) transcript(round string) string { return filepath.Base(j.binary) + "." + round + ".txt" }

// status is where the exit status of the job's tests is left.
func (j job) status(round string) string { return filepath.Base(j.binary) + "." + round + ".status" }

// effort is how often the machine runs the tests, and beside what.
type effort struct {
	rounds int
	load   bool   // two busy loops run beside them
	limit  string // of the whole machine in seconds
}

// machine runs on a real kernel the tests that asked for one. Which these are, the host's run has
// told; alone, the stage asks first.
func machine(r *run) {
	if len(r.tally.needMachine()) == 0 {
		r.askWhoNeedsMachine("")
	}
	r.runInMachine(effort{rounds: 1, limit: "2400"})
}

// repeat runs the same tests, or those that TESTS matches, COUNT times in one machine; with LOAD=1
// beside a load. What fails once has failed.
func repeat(r *run) {
	rounds, err := strconv.Atoi(cmp.Or(os.Getenv("COUNT"), "50"))
	if err != nil || rounds < 1 {
		r.tally.fail("repeat", fmt.Sprintf("COUNT is %q; it is a number of rounds from 1", os.Getenv("COUNT")))
		return
	}
	r.askWhoNeedsMachine(os.Getenv("TESTS"))
	r.runInMachine(effort{rounds: rounds, load: isTrue(os.Getenv("LOAD")), limit: strconv.Itoa(2400 * rounds)})
}

func (r *run) runInMachine(e effort) {
	jobs := r.buildJobs()
	if len(jobs) == 0 {
		fmt.Println("none    of the tests needs the machine")
		return
	}
	if out, err := (command{name: runner, args: []string{"-p"}}).output(r); err != nil {
		r.cannot("virtual machine", lastLine(out))
		return
	}
	env := []string{"OUT=" + r.scratch + "/out"}
	if binary, ok := r.buildProgram(); ok {
		env = append(env, vmtest.BinaryVariable+"="+binary)
	}
	tests, err := filepath.Abs(testRunner)
	if err != nil {
		r.tally.fail("virtual machine", err.Error())
		return
	}
	out, err := command{runner, []string{"-t", e.limit, "bash", "-c", script(jobs, tests, e)}, env}.output(r)
	if err != nil {
		r.tally.fail("virtual machine", out)
	}
	for round := range e.rounds {
		for _, j := range jobs {
			r.recordJob(j, strconv.Itoa(round+1))
		}
	}
}

// askWhoNeedsMachine runs on the host the packages whose tests can ask for the machine. A package
// elsewhere that does not build is no reason to stop here: the other stages report it. pattern
// chooses among the tests as go test's -run does; "" is all.
func (r *run) askWhoNeedsMachine(pattern string) {
	const marker = `{{$p := .ForTest}}{{range .Deps}}{{if eq . "` + modulePath + `/verbs/verbstest/vm"}}{{$p}} {{end}}{{end}}`
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

// buildJobs compiles the test binaries here: inside, without acceleration, it would take minutes.
// They need no cgo, as the program needs none.
func (r *run) buildJobs() (jobs []job) {
	need := r.tally.needMachine()
	for i, pkg := range slices.Sorted(maps.Keys(need)) {
		dir, err := goTool("list", "-f", "{{.Dir}}", pkg).output(r)
		j := job{pkg: pkg, dir: dir, binary: fmt.Sprintf("%s/%d.test", r.scratch, i), tests: need[pkg]}
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

// script runs the jobs one after another: they share one rxe0. A test that hangs does not keep the
// next from running.
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

// quote makes one word of bash.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// recordJob records what the tests said in the machine, in place of what they said on the host.
func (r *run) recordJob(j job, round string) {
	text, err := os.ReadFile(filepath.Join(r.scratch, "out", j.transcript(round)))
	if err != nil {
		r.tally.fail("machine "+j.pkg, "left no transcript")
		return
	}
	cmd := goTool("tool", "test2json", "-p", j.pkg).start(r)
	cmd.Stdin = bytes.NewReader(text)
	events, err := cmd.Output()
	if err != nil {
		r.tally.fail("machine "+j.pkg, err.Error())
		return
	}
	failures := r.tally.count(failed)
	if _, err := recordEvents(bytes.NewReader(events), r.tally); err != nil {
		r.tally.fail("machine "+j.pkg, err.Error())
	}
	// Tests that exit, or are cut off, leave a transcript without a verdict.
	status, _ := os.ReadFile(filepath.Join(r.scratch, "out", j.status(round)))
	if got := strings.TrimSpace(string(status)); got != "0" && r.tally.count(failed) == failures {
		r.tally.fail("machine "+j.pkg, fmt.Sprintf("ended with status %q:\n%s", got, text))
	}
	fmt.Printf("ran     %s in the machine: %s%s\n", j.pkg, lastLine(string(text)), r.newFailures(failures))
}

// newFailures says how many results have failed since there were so many.
func (r *run) newFailures(before int) string {
	if n := r.tally.count(failed) - before; n > 0 {
		return fmt.Sprintf("; %d failed for the first time", n)
	}
	return ""
}
