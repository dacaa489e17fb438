package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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

// TestToldCountsEachRun checks that a test that runs again in a later stage counts again there.
func TestToldCountsEachRun(t *testing.T) {
	for _, c := range []struct {
		name    string
		streams []string
		want    int
	}{
		{"once", []string{machineEvents}, 3},
		{"twice", []string{machineEvents, machineEvents}, 6},
	} {
		if got := record(t, c.streams...).told; got != c.want {
			t.Errorf("%s: %d tests told, want %d", c.name, got, c.want)
		}
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

func TestNeedMachine(t *testing.T) {
	need := record(t, hostEvents).needMachine(feature{})
	if got := slices.Sorted(maps.Keys(need)); len(got) != 1 || !slices.Equal(need["m/a"], []string{"TestTable"}) {
		t.Errorf("needMachine(no feature) = %v", need)
	}
	if need := record(t, hostEvents, machineEvents).needMachine(feature{}); len(need) != 0 {
		t.Errorf("after the machine: %v", need)
	}
}

// TestNeedMachineWith checks that tests that need Soft-iWARP or a second machine run only in the guest that has it.
func TestNeedMachineWith(t *testing.T) {
	r := newTally()
	r.set(key{"m/a", "TestConnect"}, skipped, "a_test.go:7: "+vmtest.SkipMessage+" (make vm-test)")
	r.set(key{"m/a", "TestWarp/one"}, skipped, "a_test.go:8: "+vmtest.SIWMessage+" (make vm-test)")
	r.set(key{"m/a", "TestWire"}, skipped, "a_test.go:9: "+vmtest.PairMessage+" (make vm-test)")
	for f, want := range map[feature]string{{}: "TestConnect", siw: "TestWarp", pair: "TestWire"} {
		if got := r.needMachine(f); len(got) != 1 || !slices.Equal(got["m/a"], []string{want}) {
			t.Errorf("%q: %v, want %s", f.name, got, want)
		}
	}
}

func TestStrayOutput(t *testing.T) {
	stray, err := recordEvents(strings.NewReader(hostEvents), newTally())
	if err != nil || stray != "go: a complaint\n" {
		t.Errorf("stray output %q, %v", stray, err)
	}
}

func TestFuzzTargets(t *testing.T) {
	list := `{"Action":"output","Package":"m/a","Output":"FuzzOne\n"}
{"Action":"output","Package":"m/a","Output":"ok  \tm/a\t0.1s\n"}
{"Action":"output","Package":"m/b","Output":"FuzzTwo\n"}
`
	want := []key{{"m/a", "FuzzOne"}, {"m/b", "FuzzTwo"}}
	if got := fuzzTargets(list); !slices.Equal(got, want) {
		t.Errorf("fuzzTargets = %v, want %v", got, want)
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

// TestChosenGuests checks that the results of a selected guest replace the skips on the host, and that other tests are
// not required.
func TestChosenGuests(t *testing.T) {
	const (
		plainSkip = `{"Action":"output","Package":"m/a","Test":"TestPlain","Output":"    a_test.go:7: ` + vmtest.SkipMessage + `\n"}
{"Action":"skip","Package":"m/a","Test":"TestPlain"}
`
		warpSkip = `{"Action":"output","Package":"m/a","Test":"TestWarp","Output":"    a_test.go:8: ` + vmtest.SIWMessage + `\n"}
{"Action":"skip","Package":"m/a","Test":"TestWarp"}
`
		wireSkip = `{"Action":"output","Package":"m/a","Test":"TestWire","Output":"    a_test.go:9: ` + vmtest.PairMessage + `\n"}
{"Action":"skip","Package":"m/a","Test":"TestWire"}
`
		plainRun = "=== RUN   TestPlain\n--- PASS: TestPlain (0.00s)\nPASS\n"
		warpRun  = "=== RUN   TestWarp\n--- PASS: TestWarp (0.00s)\nPASS\n"
		wireRun  = "=== RUN   TestWire\n--- PASS: TestWire (0.00s)\nPASS\n"
	)
	own, trixie, warp, two := guest{}, guest{suite: "trixie"}, guest{"trixie", siw}, guest{with: pair}
	for _, c := range []struct {
		name   string
		guests []guest
		left   map[guest]string // the transcript of each guest
		want   string
	}{
		{"all", guests, map[guest]string{own: plainRun, trixie: plainRun, warp: warpRun, two: wireRun},
			"4 passed, 0 failed, 0 skipped"},
		{"trixie", []guest{trixie, warp}, map[guest]string{trixie: plainRun, warp: warpRun},
			"2 passed, 0 failed, 0 skipped"},
		{"own kernel", []guest{own, two}, map[guest]string{own: plainRun, two: wireRun},
			"2 passed, 0 failed, 0 skipped"},
		{"a guest that leaves a test out", []guest{trixie}, map[guest]string{trixie: "PASS\n"},
			"0 passed, 0 failed, 1 skipped"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &run{ctx: t.Context(), tally: record(t, plainSkip, warpSkip, wireSkip)}
			e := effort{rounds: 1, guests: c.guests}
			r.tally.leaveOutAllBut(e)
			for g, text := range c.left {
				j := job{pkg: "m/a", binary: "a.test"}
				tr := &trial{guest: g, jobs: []job{j}, left: t.TempDir()}
				for file, content := range map[string]string{j.transcript("1"): text, j.status("1"): "0\n"} {
					if err := os.WriteFile(filepath.Join(tr.left, file), []byte(content), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				tr.record(r, e)
			}
			var out strings.Builder
			r.tally.report(&out, true)
			if got := lastLine(out.String()); got != c.want {
				t.Errorf("%s\nwant %s", out.String(), c.want)
			}
		})
	}
}
