package main

import (
	"fmt"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
)

// unit runs every package's tests afresh: a cached result does not notice a changed kernel, library
// or file elsewhere in the tree.
func unit(r *run) {
	installHostPackages(r)
	args := []string{"-count=1", "-p=" + packagesAtOnce}
	if _, err := exec.LookPath("gcc"); err != nil {
		r.cannot("race detector", "no C compiler")
	} else {
		args = append(args, "-race")
	}
	r.runTests(goTest(append(args, "./...")...).with(shortRest))
}

// shortRest shortens how long a program with the race detector waits at its end for races in what still runs: otherwise
// it is a second for each package and each program that a test starts.
const shortRest = "GORACE=atexit_sleep_ms=100"

// packagesAtOnce is how many packages are tested at a time: more than the host has processors, since many tests wait
// most of the time.
var packagesAtOnce = strconv.Itoa(2 * runtime.NumCPU())

// quickUnit runs the tests of packages that have changed since their last run, without the race detector.
func quickUnit(r *run) { r.runTests(goTest("-p="+packagesAtOnce, "./...").with(noCgo)) }

// runTests runs one `go test -json` and records its tests.
func (r *run) runTests(tests command) {
	cmd := tests.start(r)
	var complaints strings.Builder
	cmd.Stderr = &complaints
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		r.tally.fail("go test", err.Error())
		return
	}
	told, readErr := recordEvents(stdout, r.tally)
	err = cmd.Wait()
	r.used(cmd)
	if readErr != nil {
		r.tally.fail("go test", readErr.Error())
	}
	// go test exits 1 for failures that its events report. Without such failures it could not start the tests.
	if err != nil && told.failed == 0 {
		r.tally.fail("go test", err.Error()+"\n"+told.stray+complaints.String())
	}
	fmt.Printf("ran     %d tests, %d failed\n", told.tests, told.failed)
}
