package main

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestLanes checks that the stages of a lane run in order, the lanes side by side, and none after an interruption.
func TestLanes(t *testing.T) {
	for _, interrupted := range []bool{false, true} {
		ctx, stop := context.WithCancel(t.Context())
		if interrupted {
			stop()
		}
		var mu sync.Mutex
		var ran []string
		note := func(name string) {
			mu.Lock()
			defer mu.Unlock()
			ran = append(ran, name)
		}
		met := make(chan struct{})
		r := &run{ctx: ctx, tally: newTally()}
		r.all([]stage{
			{name: "a", run: func(*run) { <-met; note("a") }},
			{name: "machines", run: func(*run) { note("machines"); close(met) }, lane: inMachines},
			{name: "b", run: func(*run) { note("b") }},
		})
		want := []string{"machines", "a", "b"}
		if interrupted {
			want = nil
		}
		if !slices.Equal(ran, want) {
			t.Errorf("interrupted %t: %q ran, want %q", interrupted, ran, want)
		}
		stop()
	}
}

func TestChoose(t *testing.T) {
	for _, tt := range []struct {
		words, stages, unknown string
		fuzzRuns               string
		strict                 bool
	}{
		{"", "lint cross unit world harm fuzz vm", "", "20000x", false},
		{"test", "lint cross unit world harm fuzz vm", "", "20000x", false},
		{"quick", "lint quickunit vm", "", "", false},
		{"all", "lint cross unit world harm fuzz release mutants vm", "", "100000x", true},
		{"fuzz", "fuzz", "", "100000x", false},
		{"unit vm", "unit vm", "", "100000x", false},
		{"unit none", "", "none", "100000x", false},
	} {
		p, chosen, unknown := choose(strings.Fields(tt.words))
		var names []string
		for _, s := range chosen {
			names = append(names, s.name)
		}
		if got := strings.Join(names, " "); got != tt.stages || unknown != tt.unknown || p.fuzzRuns != tt.fuzzRuns ||
			p.strict != tt.strict {
			t.Errorf("%q: %q, unknown %q, %+v", tt.words, got, unknown, p)
		}
	}
}

// TestOthers: a package that has other files on the other platform, or is there alone, is vetted there.
func TestOthers(t *testing.T) {
	first := []string{"m/a [a.go a_linux.go] [] [] []", "m/b [b.go] [] [b_test.go] []", "m/c [c.go] [] [] []"}
	there := []string{
		"m/a [a.go a_darwin.go] [] [] []", "m/b [b.go] [] [] []", "m/c [c.go] [] [] []", "m/d [d.go] [] [] []",
	}
	if got := others(first, there); !slices.Equal(got, []string{"m/a", "m/b", "m/d"}) {
		t.Errorf("%q", got)
	}
	if got := others(first, first); got != nil {
		t.Errorf("the same platform: %q", got)
	}
}

// TestTimes checks which packages, tests and stages are listed, and what happens to a stage over its budget.
func TestTimes(t *testing.T) {
	for _, strict := range []bool{false, true} {
		r := record(t, `{"Action":"pass","Package":"m/a","Test":"TestSlow/sub","Elapsed":9}
{"Action":"pass","Package":"m/a","Test":"TestSlow","Elapsed":9.5}
{"Action":"pass","Package":"m/a","Test":"TestQuick","Elapsed":0.25}
{"Action":"pass","Package":"m/a","Elapsed":10}
`)
		r.spent(stage{name: "unit", budget: time.Minute}, 61*time.Second, 90*time.Second)
		r.spent(stage{name: "lint", budget: time.Minute}, 60*time.Second, time.Second)
		var out strings.Builder
		r.times(&out, strict)
		const want = `the slowest packages:
       10s m/a
the slowest tests:
      9.5s m/a TestSlow
     250ms m/a TestQuick
the stages:
      1m1s unit, 1m30s of processors, longer than its budget of 1m0s
      1m0s lint, 1s of processors
`
		if out.String() != want {
			t.Errorf("%s\nwant:\n%s", out.String(), want)
		}
		if got := r.report(&out, false); got == strict {
			t.Errorf("strict %t: the run passes: %t", strict, got)
		}
	}
}

// TestPlaces: one more machine runs when the stages of the host have ended.
func TestPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &run{hostDone: make(chan struct{})}
		places := r.places()
		synctest.Wait()
		beside := len(places)
		close(r.hostDone)
		synctest.Wait()
		if beside != atOnce || len(places) != atOnce+1 {
			t.Errorf("%d machines beside the host's stages and %d alone, want %d and %d", beside, len(places),
				atOnce, atOnce+1)
		}
	})
}

// TestKernelEnds: after a panic the packages that had not ended run once more, and no others; a second panic fails.
func TestKernelEnds(t *testing.T) {
	const panics = `echo "vm/run: the machine stopped early: Kernel panic - not syncing: here"; exit 125`
	for _, tt := range []struct{ name, first, again, failed, want string }{
		{"once", "echo 0 >$OUT/first.1.status; " + panics, "echo 0 >$OUT/second.1.status", "", "first second, second"},
		{"twice", panics, panics, "Kernel panic", "first second, first second"},
		{"no panic", "exit 1", "", "exit status 1", "first second"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := os.MkdirAll(filepath.Dir(runner), 0o700); err != nil {
				t.Fatal(err)
			}
			fake := `#!/bin/sh
mkdir -p $OUT
for p in first second; do case $* in *$p.*) echo $p >>$OUT/ran;; esac; done
echo , >>$OUT/ran
if [ -e $OUT/again ]; then ` + cmp.Or(tt.again, ":") + `; exit; fi
: >$OUT/again
` + tt.first + "\n"
			if err := os.WriteFile(runner, []byte(fake), 0o700); err != nil {
				t.Fatal(err)
			}
			tr := &trial{left: filepath.Join(t.TempDir(), "out"), jobs: []job{{binary: "first"}, {binary: "second"}}}
			tr.run(&run{ctx: t.Context(), cpu: new(atomic.Int64)}, "runtests", effort{rounds: 1, limit: "9"}, nil)
			ran, err := os.ReadFile(filepath.Join(tr.left, "ran"))
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(strings.Fields(strings.TrimSuffix(strings.TrimSpace(string(ran)), ",")), " ")
			if got = strings.ReplaceAll(got, " ,", ","); got != tt.want {
				t.Errorf("ran %q, want %q", got, tt.want)
			}
			if tt.failed == "" && tr.failed != "" || !strings.Contains(tr.failed, tt.failed) {
				t.Errorf("failed with %q, want %q", tr.failed, tt.failed)
			}
		})
	}
}
