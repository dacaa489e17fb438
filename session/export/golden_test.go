package export

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rdmatui/session/command"
)

var update = flag.Bool("update", false, "write the golden files anew")

// recordingOf returns the recording of a script as if it had run; change sets the outcome of each line.
func recordingOf(t testing.TB, lines []string, change func(n int, s *Step)) Recording {
	t.Helper()
	var r Recording
	into := []*[]*Step{&r.Steps}
	for n, line := range lines {
		if strings.HasPrefix(line, "#") || line == "" {
			continue
		}
		step := stepOf(t, line)
		change(n, step)
		last := into[len(into)-1]
		*last = append(*last, step)
		switch step.Cmd.Spec {
		case command.Loop, command.Try:
			into = append(into, &step.Inner)
		case command.End:
			into = into[:len(into)-1]
		}
	}
	return r
}

// TestGolden exports a line of each command, in the variants succeeded, failed and skipped. Read the diff of -update:
// users compile and replay it.
func TestGolden(t *testing.T) {
	text, err := os.ReadFile("testdata/variants.rdma")
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]Recording{
		"examples": everyExample(t),
		"variants": recordingOf(t, strings.Split(string(text), "\n"), func(int, *Step) {}),
		"failing":  recordingOf(t, strings.Split(string(text), "\n"), fail),
		"refused":  recordingOf(t, strings.Split(string(text), "\n"), refuse),
		"loops":    recordingOf(t, strings.Split(string(text), "\n"), inRounds),
	} {
		r.Rest = "the end of " + name
		for kind, write := range map[string]func(Recording) string{"c": C, "rdma": Script} {
			got, path := write(r), filepath.Join("testdata", name+".golden."+kind)
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
				continue
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s differs: %s", path, firstDifference(string(want), got))
			}
		}
	}
}

// fail makes most lines fail: in the provider, in our own check, or because they were never reached.
func fail(n int, s *Step) {
	switch n % 4 {
	case 0:
		s.Done.Err, s.Done.Errno, s.Asked = "it was refused", "EINVAL", true
	case 1:
		s.Done.Err, s.Done.Check = "it cannot be", "the name is taken"
	case 2:
		s.Ran = false
	}
}

// refuse makes all lines fail except those that make objects: the provider refuses each.
func refuse(_ int, s *Step) {
	makes := func(a command.Arg) bool { return a.Type == command.NewName }
	if s.is(command.OpenDevice) || slices.ContainsFunc(s.Cmd.Spec.Args, makes) {
		return
	}
	s.Done.Err, s.Done.Errno, s.Asked = "it was refused", "EINVAL", true
}

// inRounds makes lines succeed several times and then fail, with completions taken live in between.
func inRounds(n int, s *Step) {
	s.Times, s.Why = uint64(n%3), "line "+strings.Repeat("I", n%5)
	if n%7 == 0 {
		s.Came = map[string]uint64{"cq": uint64(n%4 + 1)}
	}
	if n%5 == 0 {
		later := *s
		later.Done.Err, later.Done.Errno, later.Asked = "the queue is full", "ENOMEM", true
		s.Later = &later
	}
	if n%11 == 0 {
		s.Stopped, s.Ran = true, false
	}
	s.Done.Result, s.Done.Took = "so it was", time.Duration(n%2)*time.Millisecond
}

func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return "want\n" + w[i] + "\ngot\n" + g[i]
		}
	}
	return "one ends before the other"
}

// TestGoldenCompiles: the golden files compile without a warning.
func TestGoldenCompiles(t *testing.T) {
	files, err := filepath.Glob("testdata/*.golden.c")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		compiles(t, string(text), false)
	}
}
