package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// verdict is what became of a mutant.
type verdict uint8

const (
	survived verdict = iota
	noticed
	hung
	refused // it does not compile
	broken  // the tests could not run
)

// memoryLimit is the address space of a test process, in bytes: a mutant may ask for all there is.
const memoryLimit = 16 << 30

// try runs the tests until one notices.
func (m *mutant) try(ctx context.Context, limit time.Duration) verdict {
	dir, err := os.MkdirTemp("", "rdmatui-mutate-")
	if err != nil {
		return broken
	}
	defer os.RemoveAll(dir)
	overlay, err := m.overlay(dir)
	if err != nil {
		return broken
	}
	own := "./" + filepath.ToSlash(filepath.Dir(m.path))
	for _, pkg := range append([]string{own}, m.group.then...) {
		if v := test(ctx, overlay, pkg, limit); v != survived {
			return v
		}
	}
	return survived
}

// overlay writes the changed file, and the list that lays it over the tree.
func (m *mutant) overlay(dir string) (string, error) {
	path, err := filepath.Abs(m.path)
	if err != nil {
		return "", err
	}
	changed, list := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]map[string]string{"Replace": {path: changed}})
	if err == nil {
		err = os.WriteFile(changed, m.changed(), 0o600)
	}
	if err == nil {
		err = os.WriteFile(list, text, 0o600)
	}
	return list, err
}

// test runs one package's tests on a changed tree.
func test(ctx context.Context, overlay, pkg string, limit time.Duration) verdict {
	args := []string{"test", "-vet=off", "-failfast", "-timeout", limit.String(), "-overlay", overlay}
	if path, err := exec.LookPath("prlimit"); err == nil {
		args = append(args, "-exec", fmt.Sprintf("%s --as=%d", path, uint64(memoryLimit)))
	}
	cmd := exec.CommandContext(ctx, "go", append(args, pkg)...)
	// The test binary is a grandchild: the whole group ends with the time.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.CombinedOutput()
	switch {
	case err == nil:
		return survived
	case bytes.Contains(out, []byte("[build failed]")), bytes.Contains(out, []byte("[setup failed]")):
		return refused
	case bytes.Contains(out, []byte("panic: test timed out")):
		return hung
	}
	return noticed
}
