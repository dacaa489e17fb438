package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// command is one call of a program; env is added to the environment.
type command struct {
	name string
	args []string
	env  []string
	dir  string // where it runs; "": the module's root
}

func goTool(args ...string) command { return command{name: "go", args: args} }

// noCgo builds as the program is built. What one stage compiles so serves the others.
const noCgo = "CGO_ENABLED=0"

// goTest prepares the run of tests. Stage lint has vetted them.
func goTest(args ...string) command {
	return goTool(append([]string{"test", "-json", "-vet=off", "-timeout=20m"}, args...)...)
}

func (c command) with(env ...string) command {
	c.env = append(c.env, env...)
	return c
}

// start prepares the program so that an interrupted run ends it. The run first asks it to end, because the program must
// clean up its own children (a machine, a compiler); the go command does so only at an interrupt.
func (c command) start(r *run) *exec.Cmd {
	cmd := exec.CommandContext(r.ctx, c.name, c.args...)
	cmd.Dir = c.dir
	// without the folder's path in what is compiled, clones share it
	cmd.Env = append(os.Environ(), "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -trimpath"))
	cmd.Env = append(cmd.Env, c.env...)
	cmd.Cancel = func() error {
		if c.name == "go" {
			return cmd.Process.Signal(os.Interrupt)
		}
		return cmd.Process.Signal(syscall.SIGTERM)
	}
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

func (c command) output(r *run) (string, error) {
	cmd := c.start(r)
	out, err := cmd.CombinedOutput()
	r.used(cmd)
	return strings.TrimSpace(string(out)), err
}

// stdout returns the standard output; the error contains the standard error.
func (c command) stdout(r *run) (string, error) {
	cmd := c.start(r)
	out, err := cmd.Output()
	r.used(cmd)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%w: %s", err, exit.Stderr)
	}
	return string(out), err
}

// used adds to the stage the processor time of a program that has ended, with its children.
func (r *run) used(cmd *exec.Cmd) {
	if s := cmd.ProcessState; s != nil {
		r.cpu.Add(int64(s.UserTime() + s.SystemTime()))
	}
}

// check runs a command that prints nothing and exits 0 on success, and records it under a name.
func (r *run) check(name string, c command) {
	out, err := c.output(r)
	var exit *exec.ExitError
	switch {
	case err == nil && out == "":
		r.tally.pass(name)
		fmt.Printf("ok      %s\n", name)
		return
	case err != nil && !errors.As(err, &exit):
		out = err.Error()
	case out == "":
		out = err.Error()
	}
	r.tally.fail(name, out)
	fmt.Printf("FAILED  %s\n", name)
}

// cannot records that a check could not run.
func (r *run) cannot(name, reason string) {
	r.tally.skip(name, reason)
	fmt.Printf("absent  %s: %s\n", name, reason)
}
