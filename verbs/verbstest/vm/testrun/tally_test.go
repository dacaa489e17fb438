package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	vmtest "rdmatui/verbs/verbstest/vm"
)

const hostEvents = `{"Action":"start","Package":"m/a"}
{"Action":"output","Package":"m/a","Test":"TestPlain","Output":"=== RUN   TestPlain\n"}
{"Action":"pass","Package":"m/a","Test":"TestPlain"}
{"Action":"pass","Package":"m/a","Test":"TestTable/one"}
{"Action":"output","Package":"m/a","Test":"TestTable/two","Output":"    a_test.go:7: needs the virtual machine (make vm-test)\n"}
{"Action":"skip","Package":"m/a","Test":"TestTable/two"}
{"Action":"pass","Package":"m/a","Test":"TestTable"}
{"Action":"output","Package":"m/a","Test":"TestTmux","Output":"    a_test.go:9: no tmux\n"}
{"Action":"skip","Package":"m/a","Test":"TestTmux"}
{"Action":"pass","Package":"m/a","Test":"TestHalf/one"}
{"Action":"output","Package":"m/a","Test":"TestHalf","Output":"    a_test.go:11: no more\n"}
{"Action":"skip","Package":"m/a","Test":"TestHalf"}
{"Action":"pass","Package":"m/a"}
{"ImportPath":"m/b","Action":"build-output","Output":"b.go:1: syntax error\n"}
{"Action":"output","Package":"m/b","Output":"FAIL m/b [build failed]\n"}
{"Action":"fail","Package":"m/b"}
{"Action":"output","Package":"m/c","Test":"TestBad/sub","Output":"    c_test.go:3: wrong\n"}
{"Action":"fail","Package":"m/c","Test":"TestBad/sub"}
{"Action":"fail","Package":"m/c","Test":"TestBad"}
{"Action":"fail","Package":"m/c"}
go: a complaint
`

const machineEvents = `{"Action":"pass","Package":"m/a","Test":"TestTable/two"}
{"Action":"pass","Package":"m/a","Test":"TestTable"}
{"Action":"pass","Package":"m/c","Test":"TestBad/sub"}
`

func record(t *testing.T, streams ...string) *tally {
	t.Helper()
	tally := newTally()
	for _, stream := range streams {
		if _, err := recordEvents(strings.NewReader(stream), tally); err != nil {
			t.Fatal(err)
		}
	}
	return tally
}

// TestPanicIsTold checks that the report shows what a package printed that ended in the middle of a test.
func TestPanicIsTold(t *testing.T) {
	var out strings.Builder
	record(t, `{"Action":"run","Package":"m/a","Test":"TestDone"}
{"Action":"output","Package":"m/a","Test":"TestDone","Output":"all is well\n"}
{"Action":"pass","Package":"m/a","Test":"TestDone"}
{"Action":"run","Package":"m/a","Test":"TestCut"}
{"Action":"output","Package":"m/a","Test":"TestCut","Output":"panic: index out of range\n"}
{"Action":"output","Package":"m/a","Output":"FAIL\tm/a\t1s\n"}
{"Action":"fail","Package":"m/a"}
`).report(&out, false)
	for _, part := range []string{"FAILED m/a\n", "TestCut has not ended", "panic: index out of range",
		"1 passed, 1 failed"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("report lacks %q:\n%s", part, out.String())
		}
	}
	if strings.Contains(out.String(), "all is well") {
		t.Errorf("report shows a test that passed:\n%s", out.String())
	}
}

func TestCounts(t *testing.T) {
	for _, c := range []struct {
		name    string
		streams []string
		want    string
	}{
		{"host alone", []string{hostEvents}, "3 passed, 2 failed, 3 skipped"},
		{"machine takes the place of a skip, not of a failure", []string{hostEvents, machineEvents},
			"4 passed, 2 failed, 2 skipped"},
		{"a skip does not take the place of the machine's result", []string{machineEvents, hostEvents},
			"4 passed, 2 failed, 2 skipped"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			if record(t, c.streams...).report(&out, false) {
				t.Error("a run with failures was reported as successful")
			}
			if got := lastLine(out.String()); got != c.want {
				t.Errorf("%s\nwant %s", out.String(), c.want)
			}
			for _, part := range []string{"FAILED m/b\n", "build failed", "FAILED m/c TestBad/sub\n", "wrong",
				"DID NOT RUN m/a TestTmux: a_test.go:9: no tmux", "DID NOT RUN m/a TestHalf: a_test.go:11: no more"} {
				if !strings.Contains(out.String(), part) {
					t.Errorf("report lacks %q:\n%s", part, out.String())
				}
			}
		})
	}
}

func TestVerdict(t *testing.T) {
	skip := func(t *tally) { t.skip("staticcheck", "no network") }
	fail := func(t *tally) { t.fail("gofmt", "x.go") }
	pass := func(t *tally) { t.pass("gofmt") }
	for _, c := range []struct {
		name        string
		act         []func(*tally)
		local, inCI bool
	}{
		{"all pass", []func(*tally){pass}, true, true},
		{"a skip counts in CI", []func(*tally){pass, skip}, true, false},
		{"a failure counts everywhere", []func(*tally){fail}, false, false},
		{"a failure stays", []func(*tally){fail, pass}, false, false},
	} {
		tally := newTally()
		for _, act := range c.act {
			act(tally)
		}
		var out strings.Builder
		if local, inCI := tally.report(&out, false), tally.report(&out, true); local != c.local || inCI != c.inCI {
			t.Errorf("%s: good=%v, in CI %v; want %v, %v", c.name, local, inCI, c.local, c.inCI)
		}
	}
}

// TestLeaveOut checks that only skips for want of a machine are left out.
func TestLeaveOut(t *testing.T) {
	r := record(t, hostEvents)
	var out strings.Builder
	n, good := r.leaveOut(), r.report(&out, false)
	if n != 1 || good || lastLine(out.String()) != "3 passed, 2 failed, 2 skipped" {
		t.Errorf("%d are left out:\n%s", n, out.String())
	}
}

func TestStrayOutput(t *testing.T) {
	got, err := recordEvents(strings.NewReader(hostEvents), newTally())
	if want := (told{tests: 9, failed: 3, stray: "go: a complaint\n"}); err != nil || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
}

func TestScriptQuotes(t *testing.T) {
	jobs := []job{{pkg: "m/a", dir: "/it's/here", binary: "/s/0.test", tests: []string{"TestA", "TestB"}}}
	got := script(jobs, "/m/runtests", effort{rounds: 2, load: true})
	want := `for i in 1 2; do while :; do :; done & done
for round in {1..2}; do
cd '/it'\''s/here' && '/m/runtests' '/s/0.test' '^(TestA|TestB)$' /out/0.test.$round.txt; echo $? >/out/0.test.$round.status
done
`
	if got != want {
		t.Errorf("script:\n%s\nwant:\n%s", got, want)
	}
}

// TestChosenGuests checks which tests a guest runs, and under which name its results are recorded.
func TestChosenGuests(t *testing.T) {
	all := needs{
		{}: {"rdmatui/verbs/native": {"TestConformance", "TestConformancePlainCalls", "TestMore"},
			"rdmatui/ui/program": {"TestShapes", "TestTune"}},
		siw:  {"rdmatui/ui/program": {"TestOverIWARP"}},
		pair: {"rdmatui/ui/program": {"TestBothMachinesFindLoss"}},
	}
	newest, own, trixie := guest{suite: newestSuite}, guest{part: "kernel"}, guest{suite: "trixie"}
	warp := guest{suite: "trixie", with: siw, part: "kernel"}
	e := effort{guests: []guest{newest, own, trixie, warp}}
	for _, tt := range []struct {
		g    guest
		want map[string][]string
		name string
	}{
		{newest, all[feature{}], "m/a"},
		{own, map[string][]string{"rdmatui/verbs/native": {"TestConformance", "TestMore"},
			"rdmatui/ui/program": {"TestShapes"}}, "m/a on this machine's own kernel"},
		{trixie, all[feature{}], "m/a on trixie"},
		{warp, all[siw], "m/a"},
		{guest{suite: newestSuite, part: "quick"},
			map[string][]string{"rdmatui/verbs/native": {"TestConformance"}}, ""},
	} {
		if got := tt.g.tests(all); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.g, got, tt.want)
		}
		if tt.name != "" && e.in(tt.g, "m/a") != tt.name {
			t.Errorf("%s: recorded as %q, want %q", tt.g, e.in(tt.g, "m/a"), tt.name)
		}
	}
}

// TestRecordGuest checks that the results of a guest replace the skips on the host, and that a test that it leaves out
// is still reported.
func TestRecordGuest(t *testing.T) {
	const skip = `{"Action":"output","Package":"m/a","Test":"TestPlain","Output":"    a_test.go:7: ` + vmtest.SkipMessage + `\n"}
{"Action":"skip","Package":"m/a","Test":"TestPlain"}
`
	for _, tt := range []struct{ transcript, status, want string }{
		{"=== RUN   TestPlain\n--- PASS: TestPlain (2.50s)\nPASS\n", "0", "1 passed, 0 failed, 0 skipped"},
		{"=== RUN   TestPlain\n--- FAIL: TestPlain (0.00s)\nFAIL\n", "1", "0 passed, 1 failed, 0 skipped"},
		{"PASS\n", "0", "0 passed, 0 failed, 1 skipped"},
		{"", "2", "0 passed, 1 failed, 1 skipped"},
	} {
		g, j := guest{suite: "trixie"}, job{pkg: "m/a", binary: "a.test"}
		r := &run{ctx: t.Context(), tally: record(t, skip)}
		tr := &trial{guest: g, jobs: []job{j}, left: t.TempDir()}
		left := map[string]string{j.transcript("1"): tt.transcript, j.status("1"): tt.status + "\n"}
		for file, content := range left {
			if err := os.WriteFile(filepath.Join(tr.left, file), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		tr.record(r, effort{rounds: 1, guests: []guest{g}})
		var out strings.Builder
		r.tally.report(&out, true)
		if got := lastLine(out.String()); got != tt.want {
			t.Errorf("%s\nwant %s", out.String(), tt.want)
		}
		slow := strings.Contains(tt.transcript, "2.50s")
		for _, k := range []key{{"m/a", "TestPlain"}, {"m/a in trixie", ""}} {
			if took := r.tally.took[k]; slow != (took == 2500*time.Millisecond) {
				t.Errorf("%s took %v in\n%s", k, took, tt.transcript)
			}
		}
	}
}
