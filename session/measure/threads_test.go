package measure

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"rdmatui/session/bench"
)

// stat is a line of a thread's stat file.
func stat(tid int, name string, user, sys uint64, cpu int) *fstest.MapFile {
	return &fstest.MapFile{Data: fmt.Appendf(nil, "%d (%s) R 1 1 1 0 -1 4194304 136 0 0 0 %d %d 0 0 20 0 9 0 406715 "+
		"3133440 390 18446744073709551615 1 1 1 0 0 0 0 0 0 0 0 0 17 %d 0 0 0 0 0 1 1 1 1 1 1 1 0\n",
		tid, name, user, sys, cpu)}
}

// TestThreads compares the times of threads: busy ones, idle ones, new ones, and files that cannot be read.
func TestThreads(t *testing.T) {
	start := time.Unix(1000, 0)
	r := &threadReader{task: fstest.MapFS{"7/stat": stat(7, "rdmatui", 100, 50, 0),
		"8/stat": stat(8, "a) b (", 10, 0, 0), "9/stat": stat(9, "rdmatui", 500, 500, 1)},
		at: start, on: map[int]map[string]bool{}}
	r.last = r.times()
	r.task = fstest.MapFS{"7/stat": stat(7, "rdmatui", 250, 80, 1), "8/stat": stat(8, "a) b (", 60, 50, 1),
		"9/stat": stat(9, "rdmatui", 501, 500, 1), "10/stat": stat(10, "mlx5", 0, 2, 0),
		"20/stat": stat(20, "", 0, 200, 0), "21/stat": stat(21, "", 100, 0, 0), "22/stat": stat(22, "", 0, 100, 0),
		"23/stat": stat(23, "", 50, 50, 0), "24/stat": stat(24, "", 100, 0, 0), "25/stat": stat(25, "", 80, 20, 0),
		"11/stat": {Data: []byte("11 (x")}, "12/stat": {Data: []byte("12 (x) R 1")},
		"x/stat": stat(13, "rdmatui", 500, 500, 1)}
	r.asks = 10
	r.on = map[int]map[string]bool{7: {"client": true, "server": true}, 8: {"server": true}}
	got, want := r.read(start.Add(2*time.Second)), []Thread{{20, "", "", 0, 1, 0},
		{7, "rdmatui", "both ends", 0.75, 0.15, 1}, {8, "a) b (", "server", 0.25, 0.25, 1}, {21, "", "", 0.5, 0, 0},
		{22, "", "", 0, 0.5, 0}, {23, "", "", 0.25, 0.25, 0}, {24, "", "", 0.5, 0, 0}, {25, "", "", 0.4, 0.1, 0},
		{10, "mlx5", "", 0, 0.01, 0}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if len(r.on) != 0 || r.asks != 0 || r.last[7].user != 250 {
		t.Error("the next second begins with the answers of this one")
	}
}

// TestParseStat: a line that is cut off or has other than numbers tells nothing.
func TestParseStat(t *testing.T) {
	whole := string(stat(7, "x", 100, 50, 3).Data)
	short := strings.Join(strings.Fields(whole)[:38], " ") // up to the field before the processor
	for text, want := range map[string]bool{
		whole: true, "(x" + strings.TrimPrefix(whole, "7 (x"): true,
		short: false, short + " 3": true, short + " x": false, "": false, "7 (x": false, ")" + whole[:5]: false,
		strings.Replace(whole, "(", "", 1): false, strings.Replace(whole, ")", "", 1): false,
		strings.Replace(whole, " 100 ", " x ", 1): false, strings.Replace(whole, " 50 ", " x ", 1): false,
	} {
		got, ok := parseStat(text)
		if ok != want || ok && got != (threadTime{"x", 100, 50, 3}) {
			t.Errorf("%q: %+v, %v", text, got, ok)
		}
	}
}

// TestThreadsLook: each look asks the loops of the segment for their threads; each tenth reads all threads, and so does
// the last unless they were just read.
func TestThreadsLook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, host := range []string{"", "10.0.0.1"} {
			g := &segment{p: bench.Params{Host: host}, run: &run{thread: 1}}
			role := map[bool]string{true: "client", false: "server"}[host != ""]
			r := newThreadReader()
			r.task, r.at = fstest.MapFS{}, time.Now().Add(-time.Hour)
			r.ask("another", g.run)
			for look := 1; look < threadEvery; look++ {
				if r.look(g, false); !r.on[1][role] || len(r.on) != 1 || len(r.on[1]) != 2 {
					t.Errorf("look %d: %v", look, r.on)
				}
			}
			if r.look(g, false); len(r.on) != 0 || !r.at.Equal(time.Now()) {
				t.Errorf("the tenth look does not read: %v", r.on)
			}
			g.run.(*run).thread = 0
			for _, ago := range []time.Duration{interval - 1, interval} {
				r.at = time.Now().Add(-ago)
				r.look(g, true)
				if got, want := r.at.Equal(time.Now()), ago == interval; got != want || len(r.on) != 0 {
					t.Errorf("the last look, %s after another: reads %v, %v", ago, got, r.on)
				}
			}
			g.server.Store(&bench.Run{})
			if r.look(g, false); len(r.on) != 0 {
				t.Errorf("a server that has not begun is on %v", r.on)
			}
		}
	})
}
