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
}

func goTool(args ...string) command { return command{name: "go", args: args} }

func (c command) with(env ...string) command {
	c.env = append(c.env, env...)
	return c
}

// start prepares the program so that an interrupted run ends it. The run first asks it to end, because
// the program must clean up its own children (a machine, a compiler).
func (c command) start(r *run) *exec.Cmd {
	cmd := exec.CommandContext(r.ctx, c.name, c.args...)
	cmd.Env = append(os.Environ(), c.env...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

func (c command) output(r *run) (string, error) {
	out, err := c.start(r).CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// stdout returns the standard output; the error contains the standard error.
func (c command) stdout(r *run) (string, error) {
	out, err := c.start(r).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%w: %s", err, exit.Stderr)
	}
	return string(out), err
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
