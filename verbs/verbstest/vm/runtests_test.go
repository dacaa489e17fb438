package vmtest_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// hangs simulates a test binary whose second test hangs in a subtest and whose third ends the process.
const hangs = `#!/usr/bin/env bash
[ -z "$(trap -p INT QUIT)" ] || exit 3 # they are ignored
for word; do
  case $word in -test.skip=*) skip=${word#*=} ;; esac
done
for name in TestA TestB TestC TestD; do
  [[ $name =~ $skip ]] && continue
  printf '\026=== RUN   %s\n' $name
  if [ $name = TestB ]; then
    printf '\026=== RUN   TestB/sub\nunfinished'
    trap 'echo goroutine 1; exit 2' ABRT
    setsid sleep 60 &
    echo $! >"$0.child"
    wait
  fi
  [ $name != TestC ] || exit 9
  printf '\026--- PASS: %s (0.00s)\n' $name
done
printf '\026PASS\n'
`

// TestRunnerEndsWhatHangs checks that a hung test fails with its stacks, one that ends the process with its exit
// status, and that the tests after them run.
func TestRunnerEndsWhatHangs(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the runner is for Linux")
	}
	dir := t.TempDir()
	binary, transcript := filepath.Join(dir, "binary"), filepath.Join(dir, "transcript")
	if err := os.WriteFile(binary, []byte(hangs), 0o700); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "./runtests", "-s", "1", binary, "x", transcript).CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 124 {
		t.Errorf("%v, want exit status 124\n%s", err, out)
	}
	text, err := os.ReadFile(transcript)
	if err != nil {
		t.Fatal(err)
	}
	convert := exec.CommandContext(t.Context(), "go", "tool", "test2json", "-p", "m/a")
	convert.Stdin = bytes.NewReader(text)
	events, err := convert.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"pass",.*"TestA"}`, `"fail",.*"TestB"}`, `"fail",.*"TestB/sub"}`, `"fail",.*"TestC"}`, `"pass",.*"TestD"}`,
		`"TestB/sub".*nothing was printed for 1 s`, `"TestB/sub".*thread \d+: wchan `, `"TestB/sub".*goroutine 1`,
		`"TestC".*ended with status 9`,
	} {
		if !regexp.MustCompile(want).Match(events) {
			t.Errorf("no event matches %s", want)
		}
	}
	child, err := os.ReadFile(binary + ".child")
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().
		Add(5 * time.Second); isRunning(strings.TrimSpace(string(child))); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("a child process of the hung test is still running")
		}
	}
	if n := strings.Count(string(text), "RUN   TestA"); n != 1 {
		t.Errorf("TestA ran %d times", n)
	}
	if t.Failed() {
		t.Logf("%s\n%s", text, events)
	}
}

func isRunning(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

// TestRunnerPassesTheStatusOn checks that a binary whose tests end runs once, and that the runner returns its status.
func TestRunnerPassesTheStatusOn(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the runner is for Linux")
	}
	dir := t.TempDir()
	binary, transcript := filepath.Join(dir, "binary"), filepath.Join(dir, "transcript")
	if err := os.WriteFile(binary, []byte("#!/bin/sh\necho once \"$2\"\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	err := exec.CommandContext(t.Context(), "./runtests", binary, "^(TestA)$", transcript).Run()
	var exit *exec.ExitError
	if text, _ := os.ReadFile(transcript); !errors.As(err, &exit) || exit.ExitCode() != 1 ||
		!strings.HasPrefix(string(text), "once ") {
		t.Errorf("%v, want exit status 1; %q", err, text)
	}
}
