package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	vmtest "rdmatui/verbs/verbstest/vm"
)

// machineLimit bounds the whole machine in seconds, testLimit one package's tests inside it.
const (
	machineLimit = "2400"
	testLimit    = "25m"
)

// job is one package's tests for the machine.
type job struct {
	pkg    string
	dir    string // where the tests run, as under go test
	binary string
	tests  []string
}

// transcript is where the machine leaves the job's output, below /out there and scratch here.
func (j job) transcript() string { return filepath.Base(j.binary) + ".txt" }

// status is where the exit status of the job's tests is left.
func (j job) status() string { return filepath.Base(j.binary) + ".status" }

// machine runs on a real kernel the tests that asked for one. Which these are, the host's run has
// told; alone, the stage asks first.
func machine(r *run) {
	if len(r.tally.needMachine()) == 0 {
		r.askWhoNeedsMachine()
	}
	jobs := r.buildJobs()
	if len(jobs) == 0 {
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
	out, err := command{runner, []string{"-t", machineLimit, "bash", "-c", script(jobs)}, env}.output(r)
	if err != nil {
		r.tally.fail("virtual machine", out)
	}
	for _, j := range jobs {
		r.recordJob(j)
	}
}

// askWhoNeedsMachine runs on the host the packages whose tests can ask for the machine. A package
// elsewhere that does not build is no reason to stop here: the other stages report it.
func (r *run) askWhoNeedsMachine() {
	const marker = `{{$p := .ForTest}}{{range .Deps}}{{if eq . "` + modulePath + `/verbs/verbstest/vm"}}{{$p}} {{end}}{{end}}`
	out, err := goTool("list", "-e", "-test", "-f", marker, "./...").stdout(r)
	if err != nil {
		r.tally.fail("list of tests for the machine", err.Error())
		return
	}
	packages := strings.Fields(out)
	slices.Sort(packages)
	if packages = slices.Compact(packages); len(packages) > 0 {
		r.goTest(append([]string{"test", "-json", "-count=1"}, packages...)...)
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

// script runs the jobs one after another: they share one rxe0. A package that fails, or hangs to its
// limit, does not keep the next from running.
func script(jobs []job) string {
	var b strings.Builder
	for _, j := range jobs {
		fmt.Fprintf(&b, "cd %s && %s -test.v=test2json -test.timeout=%s -test.run=%s >/out/%s 2>&1; echo $? >/out/%s\n",
			quote(j.dir), quote(j.binary), testLimit, quote("^("+strings.Join(j.tests, "|")+")$"), j.transcript(), j.status())
	}
	return b.String() + "true\n"
}

// quote makes one word of bash.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// recordJob records what the tests said in the machine, in place of what they said on the host.
func (r *run) recordJob(j job) {
	text, err := os.ReadFile(filepath.Join(r.scratch, "out", j.transcript()))
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
	status, _ := os.ReadFile(filepath.Join(r.scratch, "out", j.status()))
	if got := strings.TrimSpace(string(status)); got != "0" && r.tally.count(failed) == failures {
		r.tally.fail("machine "+j.pkg, fmt.Sprintf("ended with status %q:\n%s", got, text))
	}
	fmt.Printf("ran     %s in the machine: %s\n", j.pkg, lastLine(string(text)))
}
